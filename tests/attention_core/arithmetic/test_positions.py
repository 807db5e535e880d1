"""Test that the worked arithmetic of encodings, rotations, shuffles, RoPE and ALiBi gives the number in every cell."""

import numpy as np
import pytest

from attention_core import alibi_bias, alibi_slopes
from attention_core.arithmetic import CellCalculations, evaluate, explain, explain_all, operands, rules_of, shape_of
from attention_core.arithmetic.position_rules import (
    alibi_rules,
    embedding_rules,
    encoding_rules,
    outcome_rules,
    rope_rules,
    shift_rules,
    shuffle_rules,
    similarity_rules,
)
from attention_core.diagnosis.pasted import ALL_HEADS, Setting, example_of_weights, problem_of, problem_of_queries
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.positions import embed_positions, new_order, shuffle_tokens
from attention_core.rotation import POSITION_KINDS, PositionedTrace, rope_scores, shift_pair
from strategies import random_numbers

SMALL = [name for name in EXAMPLES if example(name).x.size <= 64]


def check(worked: CellCalculations, *, tolerance=1e-12):
    """Check that the arithmetic of every cell in `worked` gives the number in that cell."""
    for name, (matrix, _) in worked.rules.items():
        assert shape_of(worked, name) == matrix.shape
        evaluated = [evaluate(cell.term) for cell in explain_all(worked, name)]
        np.testing.assert_allclose(evaluated, matrix.ravel(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(("n", "d_model", "base"), [(1, 2, 10000.0), (7, 8, 100.0), (20, 6, 10000.0)])
def test_encodings(n, d_model, base):
    check(encoding_rules(n, d_model, base))
    check(similarity_rules(n, d_model, base))


@pytest.mark.parametrize(("position", "shift", "pair"), [(0, 0, 0), (5, 7, 2), (9, -4, 1)])
def test_shifts(position, shift, pair):
    check(shift_rules(shift_pair(position, shift, pair, 8)))


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("name", SMALL)
def test_embeddings(name, root):
    check(embedding_rules(embed_positions(example(name).x, root=root)))


@pytest.mark.parametrize("positions", [True, False])
@pytest.mark.parametrize("name", SMALL)
def test_shuffles(name, positions):
    this = example(name)
    trace = shuffle_tokens(this, new_order("rotated", len(this.x)), positions=positions)
    check(shuffle_rules(trace))
    for outcome in ("shuffled", "moved"):
        check(outcome_rules(trace, outcome, embed_positions(this.x), positions=positions))


@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("d", [1, 2, 3, 4, 7, 8])
def test_ropes(d, interleaved):
    check(rope_rules(rope_scores(random_numbers(d), random_numbers(d, seed=1), 5, 100.0, interleaved)))


@pytest.mark.parametrize(("n_heads", "head"), [(1, 0), (8, 3), (6, 5)])
def test_alibis(n_heads, head):
    check(alibi_rules(alibi_slopes(n_heads), alibi_bias(n_heads, 3, 4), head))


def test_a_rotated_query_is_computed_from_its_own_row():
    worked = rope_rules(rope_scores([1, 2, 3, 4], [1, 1, 1, 1], 3), query_row=2, key_row=1)
    assert operands(explain(worked, "q_turned", (1, 0)).term) == {("q", (2, 0)), ("q", (2, 2))}
    assert operands(explain(worked, "k_turned", (1, 3)).term) == {("k", (1, 1)), ("k", (1, 3))}


def test_a_moved_output_is_computed_from_its_row_before_the_shuffle():
    worked = shuffle_rules(shuffle_tokens(example("hand"), (2, 0, 1), positions=True))
    assert operands(explain(worked, "moved", (0, 1)).term) == {("output", (2, 1))}


def test_the_width_of_an_odd_encoding_is_not_called_d_model():
    odd, even = (embedding_rules(embed_positions(np.ones((2, d)))) for d in (5, 4))
    names = [repr(explain(worked, "sinusoidal", (1, 0)).term) for worked in (odd, even)]
    assert ["d_model" in name for name in names] == [False, True]
    assert "Number(value=6" in names[0]


KINDS = [kind for kind in POSITION_KINDS if kind != "none"]
OWN = example_of_weights(
    random_numbers(5, 6),
    random_numbers(6, 16, seed=1),
    random_numbers(6, 8, seed=2),
    random_numbers(6, 8, seed=3),
    n_heads=4,
    n_kv_heads=2,
)


def check_all(trace):
    """Check that the arithmetic of every cell of `trace` gives the number in that cell."""
    for name, (matrix, _) in rules_of(trace).items():
        evaluated = [evaluate(cell.term) for cell in explain_all(trace, name)]
        np.testing.assert_allclose(evaluated, np.ravel(matrix), rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("mask", ["none", "causal", "causal_at_end"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_of_one_head(kind, mask):
    setting = Setting(mask=mask, positions=kind, base=100.0, slope=0.25)
    check_all(
        problem_of_queries(
            random_numbers(3, 4), random_numbers(5, 4, seed=1), random_numbers(5, 2, seed=2), "output", setting
        ).trace
    )


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_of_heads_that_share_keys(kind, mask):
    setting = Setting(mask=mask, positions=kind, n_kv_heads=2)
    check_all(problem_of(OWN, ALL_HEADS, setting).trace)


@pytest.mark.parametrize("kind", KINDS)
def test_every_cell_of_one_of_several_heads(kind):
    check_all(problem_of(OWN, "output", Setting(positions=kind, n_kv_heads=2, head=3)).trace)


def test_the_penalty_is_the_slope_times_the_distance():
    trace = problem_of_queries(np.eye(3), np.eye(3), np.eye(3), "weights", Setting(positions="alibi", slope=0.5)).trace
    assert isinstance(trace, PositionedTrace)
    lowered = explain(trace, "masked", (2, 0)).term
    assert evaluate(lowered) == 0 - 0.5 * 2
    assert operands(lowered) == {("scaled", (2, 0))}
