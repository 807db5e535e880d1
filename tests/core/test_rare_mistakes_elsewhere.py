"""Test rare mistakes of several kinds, each computed once more from its description.

They concern rows in which every key is hidden, waves of positions, grouped heads, and calculations by hand.
"""

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import MultiHeadProjections, multi_head_attention, self_attention
from attention_core.diagnosis.pasted import POSITIONS, diagnose_pasted, example_of_embeddings, problem_of
from attention_core.mistakes.rare.by_hand import mistakes_by_hand
from attention_core.mistakes.rare.empty_rows import wrong_empty_rows
from attention_core.mistakes.rare.grouped_heads import wrong_grouped_heads
from attention_core.mistakes.rare.waves import wrong_waves
from attention_core.position_trace import sinusoidal_steps
from attention_core.reading.matrix_text import read_matrix, write_matrix
from strategies import random_numbers

N, D = 4, 4
ROOT = np.sqrt(D)
EMPTY = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]], dtype=bool)


def trace_of_one_head(mask=None, n=N):
    """Return a trace (all matrices of the computation) of one head of self-attention on random numbers."""
    x, *w = (random_numbers(n, D, seed=300), *(random_numbers(D, D, seed=301 + i) for i in range(3)))
    return self_attention(x, *w, mask=mask, **{f"b_{m}": random_numbers(D, seed=310 + i) for i, m in enumerate("qkv")})


def by_name(entries):
    """Return a dictionary of the mistakes in `entries`, by the name of each mistake."""
    return {mistake.name: mistake for mistake in entries}


# --- rows with every key hidden ---

FILLED = {
    "fill_of_a_billion": lambda s: softmax(np.where(EMPTY, s, -1e9), axis=1),
    "fill_of_ten_thousand": lambda s: softmax(np.where(EMPTY, s, -1e4), axis=1),
    "billion_added": lambda s: softmax(s - 1e9 * ~EMPTY, axis=1),
}


def test_what_is_made_of_a_row_with_every_key_hidden():
    right, mistakes = trace_of_one_head(EMPTY), by_name(wrong_empty_rows())
    np.testing.assert_array_equal(right.weights[2], 0)
    nan = mistakes.pop("empty_row_to_nan").apply(right)
    assert np.isnan(nan.weights[2]).all()
    np.testing.assert_allclose(np.delete(nan.weights, 2, axis=0), np.delete(right.weights, 2, axis=0))
    mistakes.pop("softmax_over_columns_to_nan")
    assert mistakes.keys() == FILLED.keys()
    for name, mistake in mistakes.items():
        np.testing.assert_allclose(mistake.apply(right).weights, FILLED[name](right.q @ right.k.T / ROOT), atol=1e-6)
    np.testing.assert_allclose(mistakes["fill_of_a_billion"].apply(right).weights[2], 1 / N)


def test_mistakes_of_empty_rows_show_only_with_an_empty_row_or_large_scores():
    great = self_attention(
        [[300.0, 0], [0, 300], [-300, 0]], np.eye(2) * 10, np.eye(2) * 10, np.eye(2), mask=np.tri(3, dtype=bool)
    )
    for mistake in (each for each in wrong_empty_rows() if each.name != "softmax_over_columns_to_nan"):
        assert mistake.shows(trace_of_one_head(EMPTY))
        assert not mistake.shows(trace_of_one_head(np.tri(N, dtype=bool)))
        assert mistake.shows(great) == (mistake.name != "empty_row_to_nan")


def test_a_softmax_down_the_columns_divides_nought_by_nought_where_a_key_is_hidden():
    mistake = by_name(wrong_empty_rows())["softmax_over_columns_to_nan"]
    padding = np.tile([True, True, False, True], (N, 1))
    right = trace_of_one_head(padding)
    assert mistake.shows(right)
    assert not mistake.shows(trace_of_one_head(np.tri(N, dtype=bool)))
    down = softmax(right.q @ right.k.T / ROOT, axis=0)
    down[:, 2] = np.nan
    np.testing.assert_allclose(mistake.apply(right).weights, down)


# --- waves ---

P, WIDTH = np.arange(5.0)[:, None], 8
TWICE = np.repeat(np.arange(0, WIDTH, 2), 2)  # the number 2i in the exponent of each column


def waves(angles):
    """Return sines of the angles in the even columns and cosines in the odd columns."""
    return np.where(np.arange(WIDTH) % 2 == 0, np.sin(angles), np.cos(angles))


WAVES = {
    "position_of_the_first_for_all": waves(0 * P * TWICE),
    "position_of_the_second_for_all": waves(1 / 10000 ** (TWICE / WIDTH) + 0 * P),
    "position_of_the_last_for_all": waves(4 / 10000 ** (TWICE / WIDTH) + 0 * P),
    "number_of_tokens_for_all": waves(5 / 10000 ** (TWICE / WIDTH) + 0 * P),
    "step_halved_in_whole_numbers": waves(P * np.exp(TWICE * (-np.log(10000) / WIDTH // 2))),
    "step_in_whole_numbers": waves(P * np.exp(TWICE * (-np.log(10000) // WIDTH))),
    "power_before_the_fraction": waves(P / 10000**2 * (TWICE / 2) / WIDTH),
    "width_after_the_power": waves(P / 10000.0**TWICE / WIDTH),
    "exponent_always_one": waves(P / 10000 + 0 * TWICE),
    "exponent_without_the_width": waves(P / 10000.0**TWICE),
    "exponent_to_one": waves(P * np.exp(-np.log(10000) / (WIDTH / 2 - 1) * (TWICE / 2))),
}


def test_each_wrong_encoding_equals_its_formula():
    right, mistakes = sinusoidal_steps(5, WIDTH), by_name(wrong_waves())
    odd = mistakes.pop("exponent_of_an_odd_width")
    assert mistakes.keys() == WAVES.keys()
    for name, mistake in mistakes.items():
        np.testing.assert_allclose(mistake.apply(right).encoding, WAVES[name], atol=1e-12, err_msg=name)
    assert not odd.shows(right)
    of_five = odd.apply(sinusoidal_steps(3, 5)).encoding
    np.testing.assert_allclose(of_five[:, 2], np.sin(np.arange(3) / 10000 ** (2 / 5)))


def test_mistakes_of_the_first_transformer_programs_are_named():
    """Check that the diagnosis names two mistakes that the first Transformer programs made in positional encodings.

    The exponents run from 0 to 1, and all sines come before all cosines.
    """
    problem = problem_of(example_of_embeddings(np.ones((5, WIDTH))), POSITIONS)
    angles = P / 10000 ** (np.arange(WIDTH / 2) / (WIDTH / 2 - 1))
    table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    for matrix, names in (
        (np.reshape(np.stack([np.sin(angles), np.cos(angles)], axis=-1), (5, WIDTH)), {"exponent_to_one"}),
        (table, {"exponent_to_one", "sines_then_cosines"}),
    ):
        found = diagnose_pasted(problem, read_matrix(write_matrix(matrix, 4)), {})
        assert [{mistake.name for mistake in each.mistakes} for each in found.findings] == [names]


# --- heads ---

HEADS = 4


def trace_of_four_heads(context=None):
    """Return a trace (all matrices of the computation) of four heads of attention on random numbers.

    Keys and values come from `context`, or from the tokens if `context` is None.
    """
    w = {f"w_{m}": random_numbers(8, 8, seed=320 + i) / 2 for i, m in enumerate("qkvo")}
    return multi_head_attention(random_numbers(3, 8, seed=330), MultiHeadProjections(**w), HEADS, context=context)


def output_of_heads(t, q, k, v):
    """Return the output of multi-head attention from the queries, keys and values of each head."""
    heads = [softmax(a @ b.T / np.sqrt(a.shape[1]), axis=1) @ c for a, b, c in zip(q, k, v, strict=True)]
    return np.hstack(heads) @ t.projections.w_o


def test_grouped_heads():
    t, mistakes = trace_of_four_heads(), by_name(wrong_grouped_heads())
    q, k, v = (np.hsplit(m, HEADS) for m in (t.q, t.k, t.v))
    tiled_k, tiled_v = ([m[0], m[2], m[0], m[2]] for m in (k, v))
    summed = [q[0] + q[1], q[0] + q[1], q[2] + q[3], q[2] + q[3]]
    expected = {
        "heads_kv_tiled": (q, tiled_k, tiled_v),
        "heads_k_tiled": (q, tiled_k, v),
        "heads_v_tiled": (q, k, tiled_v),
        "heads_queries_summed_in_pairs": (summed, k, v),
        "heads_queries_summed_in_groups": (summed, k, v),  # with 4 heads, each group has 2 heads
    }
    assert mistakes.keys() == expected.keys()
    for name, parts in expected.items():
        np.testing.assert_allclose(mistakes[name].apply(t).output, output_of_heads(t, *parts), atol=1e-9, err_msg=name)
        assert not mistakes[name].shows(multi_head_attention(t.x, t.projections, 2))


# --- by hand ---


def attention_of(q, k, v):
    """Return attention without a mask, softmax(q kᵀ / √d_k) v."""
    return softmax(q @ k.T / ROOT, axis=1) @ v


def test_mistakes_of_a_calculator_and_mixed_biases():
    t, mistakes = trace_of_one_head(), by_name(mistakes_by_hand())
    assert t.b_q is not None
    assert t.b_k is not None
    assert t.b_v is not None
    e = np.exp(t.q @ t.k.T / ROOT)
    brackets = np.array([[p / row[0] + sum(row[1:]) for p in row] for row in e])
    np.testing.assert_allclose(mistakes["brackets_of_the_sum_forgotten"].apply(t).weights, brackets)
    zero = self_attention(np.eye(2), [[0, 1], [1, 0]], np.eye(2), np.eye(2))
    np.testing.assert_allclose(mistakes["zeroth_power_as_nought"].apply(zero).weights, [[0, 1], [1, 0]])
    np.testing.assert_allclose(mistakes["bias_of_k_added_to_q"].apply(t).output, attention_of(t.q + t.b_k, t.k, t.v))
    np.testing.assert_allclose(mistakes["bias_of_q_for_v"].apply(t).output, attention_of(t.q, t.k, t.v - t.b_v + t.b_q))
    first = [m - b * (np.arange(N) > 0)[:, None] for m, b in ((t.q, t.b_q), (t.k, t.b_k), (t.v, t.b_v))]
    np.testing.assert_allclose(mistakes["biases_of_the_first_token_alone"].apply(t).output, attention_of(*first))
    assert sum(name.startswith("bias_of") for name in mistakes) == 8


@pytest.mark.parametrize(
    "name", ["heads_of_the_input", "weight_matrices_reshaped_into_heads", "heads_with_roles_swapped"]
)
def test_heads_that_are_cut_too_early_or_ask_the_wrong_way(name):
    c = random_numbers(3, 8, seed=340)
    t, w = trace_of_four_heads(c), trace_of_four_heads().projections
    cut = {
        "heads_of_the_input": [np.hsplit(m, HEADS) for m in (t.x, c, c)],
        "weight_matrices_reshaped_into_heads": [
            [m @ part for part in matrix.reshape(HEADS, 8, 2)] for m, matrix in ((t.x, w.w_q), (c, w.w_k), (c, w.w_v))
        ],
        "heads_with_roles_swapped": [np.hsplit(m, HEADS) for m in (c @ w.w_q, t.x @ w.w_k, t.x @ w.w_v)],
    }[name]
    made = by_name(mistakes_by_hand())[name].apply(t).output
    expected = output_of_heads(t, *cut)
    if name == "heads_of_the_input":
        expected = expected @ np.linalg.inv(t.projections.w_o)
    np.testing.assert_allclose(made, expected, atol=1e-8)
