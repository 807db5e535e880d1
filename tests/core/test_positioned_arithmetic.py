"""Test that the worked arithmetic of attention with RoPE or ALiBi in its scores gives the number in every cell."""

import numpy as np
import pytest

from attention_core.arithmetic import evaluate, explain, explain_all, operands, rules_of
from attention_core.diagnosis.pasted import ALL_HEADS, Setting, example_of_weights, problem_of, problem_of_queries
from attention_core.rotation import POSITION_KINDS, PositionedTrace
from strategies import random_numbers

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
