"""Test the mistakes that have no switch on a page, so that only the diagnosis names them.

Each is computed once more from its description.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, log_softmax, softmax

from attention_core import self_attention, sinusoidal, softmax_steps
from attention_core.mistakes import (
    WITHOUT_SWITCH,
    elementwise_product,
    naive_softmax,
    naive_softmax_steps,
    outer_attention,
    outer_scores,
    sinusoidal_doubled_exponent,
    sinusoidal_shifted_cosine,
    weigh_features,
)
from attention_core.mistakes.engine.code_lines import lines_of, run
from attention_core.mistakes.engine.edits import edited_lines, program
from attention_core.mistakes.engine.pipelines import ATTENTION, POSITIONS
from attention_core.mistakes.engine.rewriting import in_several_heads
from house_rules import oracle_of
from strategies import law, random_numbers

N, D = 4, 4  # there are as many tokens as features, so that every mistake can be made
CAUSAL = np.tril(np.ones((N, N), dtype=bool))
ROOT = np.sqrt(D)
OF_ONE_HEAD = [mistake for mistake in WITHOUT_SWITCH if mistake.concept not in ("multi_head", "positional_encoding")]


def correct_trace(*, mask=None, context=None):
    """Return a correct trace (all matrices of the computation) of self-attention on random numbers."""
    x, w_q, w_k, w_v = (random_numbers(N, D, seed=seed) for seed in (10, 11, 12, 13))
    b_q, b_k, b_v = (random_numbers(D, seed=seed) for seed in (14, 15, 16))
    return self_attention(x, w_q, w_k, w_v, mask=mask, context=context, b_q=b_q, b_k=b_k, b_v=b_v)


def attention_of(q, k, v, divisor=ROOT):
    return softmax(q @ k.T / divisor, axis=1) @ v


def attention_under_mask(t, mask, fill=-np.inf):
    """Return the output of attention under another mask, for the queries, keys and values of the trace `t`."""
    powers = np.exp(np.where(mask, t.q @ t.k.T / ROOT, fill) - 20)
    if fill != -np.inf:
        return softmax(np.where(mask, t.q @ t.k.T / ROOT, fill), axis=1) @ t.v
    totals = powers.sum(axis=1)
    return np.stack([p @ t.v / total if total else np.zeros(D) for p, total in zip(powers, totals, strict=True)])


def with_nan(output, *rows):
    """Return `output` with NaN in these rows."""
    return np.where(np.isin(np.arange(N), rows)[:, None], np.nan, output)


def scaled_scores(t):
    """Return the scaled scores of the trace `t`."""
    return t.q @ t.k.T / ROOT


def cosines(t):
    """Return the cosine of each query with each key of the trace `t`."""

    def unit(m):
        return np.array([row / np.sqrt((row**2).sum()) for row in m])

    return unit(t.q) @ unit(t.k).T


def attention_of_normalized_tokens(t):
    """Return the output of attention after the tokens were normalized (layer normalization)."""
    x = np.array([(row - row.mean()) / np.sqrt(row.var() + 1e-5) for row in t.x])
    return attention_of(x @ t.w_q + t.b_q, x @ t.w_k + t.b_k, x @ t.w_v + t.b_v)


STRICT, AHEAD = np.tri(N, k=-1, dtype=bool), np.tri(N, k=1, dtype=bool)
MASKED = {
    "mask_forgotten": lambda t: attention_of(t.q, t.k, t.v),
    "mask_transposed": lambda t: attention_under_mask(t, CAUSAL.T),
    "mask_transposed_with_a_billion": lambda t: attention_under_mask(t, CAUSAL.T),
    "mask_inverted_with_a_billion": lambda t: attention_under_mask(t, ~CAUSAL, -1e9),
    "mask_inverted_to_nan": lambda t: with_nan(attention_under_mask(t, ~CAUSAL), 3),
    "mask_without_self": lambda t: attention_under_mask(t, STRICT),
    "mask_without_self_with_a_billion": lambda t: attention_under_mask(t, STRICT, -1e9),
    "mask_without_self_to_nan": lambda t: with_nan(attention_under_mask(t, STRICT), 0),
    "mask_one_ahead": lambda t: attention_under_mask(t, AHEAD),
    "mask_added_as_ones": lambda t: softmax(scaled_scores(t) + CAUSAL, axis=1) @ t.v,
    "forbidden_added_as_ones": lambda t: softmax(scaled_scores(t) + ~CAUSAL, axis=1) @ t.v,
    "mask_times_infinity": lambda t: with_nan(t.output, 0, 1, 2, 3),
}
SHARED = {
    "softmax_forgotten": lambda t: scaled_scores(t) @ t.v,
    "sums_without_keepdims": lambda t: np.exp(scaled_scores(t)) / np.exp(scaled_scores(t)).sum(axis=1)[None, :] @ t.v,
    "exponential_forgotten": lambda t: np.array([row / sum(row) for row in scaled_scores(t)]) @ t.v,
    "never_normalised": lambda t: np.exp(scaled_scores(t)) @ t.v,
    "never_normalised_from_the_maximum": lambda t: np.array([np.exp(row - max(row)) for row in scaled_scores(t)]) @ t.v,
    "sigmoid_for_softmax": lambda t: expit(scaled_scores(t)) @ t.v,
    "greatest_takes_all": lambda t: t.v[scaled_scores(t).argmax(axis=1)],
    "base_two": lambda t: np.array([2**row / sum(2**row) for row in scaled_scores(t)]) @ t.v,
    "logarithms_of_the_weights": lambda t: log_softmax(scaled_scores(t), axis=1) @ t.v,
    "even_weights": lambda t: np.tile(t.v.mean(axis=0), (N, 1)),
    "attention_transposed": lambda t: softmax(scaled_scores(t), axis=1).T @ t.v,
    "half_of_a_power": lambda t: attention_of(t.q, t.k, t.v, 2 * D),
    "divided_by_root_d_v": lambda t: attention_of(t.q, t.k, t.v, np.sqrt(D)),
    "divided_by_d_model": lambda t: attention_of(t.q, t.k, t.v, D),
    "divided_by_n": lambda t: attention_of(t.q, t.k, t.v, N),
    "multiplied_by_d_k": lambda t: attention_of(t.q, t.k, t.v, 1 / D),
    "divided_by_d_k_squared": lambda t: attention_of(t.q, t.k, t.v, D * D),
    "divided_by_n_after_softmax": lambda t: attention_of(t.q, t.k, t.v) / N,
}
MIXED_UP = {
    "keys_with_query_weights": lambda t: attention_of(t.q, t.x @ t.w_q + t.b_q, t.v),
    "keys_with_query_weights_alone": lambda t: attention_of(t.q, t.x @ t.w_q + t.b_k, t.v),
    "queries_with_key_weights": lambda t: attention_of(t.x @ t.w_k + t.b_k, t.k, t.v),
    "queries_with_value_weights": lambda t: attention_of(t.x @ t.w_v + t.b_v, t.k, t.v),
    "keys_with_value_weights": lambda t: attention_of(t.q, t.x @ t.w_v + t.b_v, t.v),
    "values_with_query_weights": lambda t: attention_of(t.q, t.k, t.x @ t.w_q + t.b_q),
    "query_weights_for_all": lambda t: attention_of(t.q, t.q, t.q),
    "key_weights_for_all": lambda t: attention_of(t.k, t.k, t.k),
    "value_weights_for_all": lambda t: attention_of(t.v, t.v, t.v),
    "query_and_key_weights_swapped": lambda t: attention_of(t.k, t.q, t.v),
    "query_and_value_weights_swapped": lambda t: attention_of(t.v, t.k, t.q),
    "keys_and_values_swapped": lambda t: attention_of(t.q, t.v, t.k),
    "query_weights_transposed": lambda t: attention_of(np.einsum("nd,kd->nk", t.x, t.w_q) + t.b_q, t.k, t.v),
    "key_weights_transposed": lambda t: attention_of(t.q, np.einsum("nd,kd->nk", t.x, t.w_k) + t.b_k, t.v),
    "value_weights_transposed": lambda t: attention_of(t.q, t.k, np.einsum("nd,kd->nk", t.x, t.w_v) + t.b_v),
    "query_bias_forgotten": lambda t: attention_of(t.q - t.b_q, t.k, t.v),
    "key_bias_forgotten": lambda t: attention_of(t.q, t.k - t.b_k, t.v),
    "value_bias_forgotten": lambda t: attention_of(t.q, t.k, t.v) - t.b_v,
    "input_as_values": lambda t: attention_of(t.q, t.k, t.x),
    "input_as_queries": lambda t: attention_of(t.x, t.k, t.v),
    "input_as_keys": lambda t: attention_of(t.q, t.x, t.v),
    "scores_of_the_input": lambda t: attention_of(t.x, t.x, t.v),
    "nothing_projected": lambda t: attention_of(t.x, t.x, t.x),
    "queries_meet_queries": lambda t: attention_of(t.q, t.q, t.v),
    "keys_meet_keys": lambda t: attention_of(t.k, t.k, t.v),
    "keys_reshaped": lambda t: attention_of(t.q, t.k.ravel().reshape(D, N).T, t.v),
    "queries_and_keys_normalised": lambda t: softmax(cosines(t) / ROOT, axis=1) @ t.v,
    "normalised_first": attention_of_normalized_tokens,
    "input_added": lambda t: attention_of(t.q, t.k, t.v) + t.x,
    "outer_products_not_scaled": lambda t: np.stack([_outer(t, i) for i in range(N)]),
}
ACROSS = {
    "context_ignored": lambda t: attention_of(t.q, t.x @ t.w_k + t.b_k, t.x @ t.w_v + t.b_v),
    "values_from_those_who_ask": lambda t: attention_of(t.q, t.k, t.x @ t.w_v + t.b_v),
    "keys_from_those_who_ask": lambda t: attention_of(t.q, t.x @ t.w_k + t.b_k, t.v),
    "roles_swapped": lambda t: attention_of(t.context @ t.w_q + t.b_q, t.x @ t.w_k + t.b_k, t.x @ t.w_v + t.b_v),
}
TRACES = {
    **dict.fromkeys(MASKED, correct_trace(mask=CAUSAL)),
    **dict.fromkeys(SHARED | MIXED_UP, correct_trace()),
    **dict.fromkeys(ACROSS, correct_trace(context=random_numbers(N, D, seed=17))),
}
EXPECTED = MASKED | SHARED | MIXED_UP | ACROSS


def _outer(t, i):
    shares = softmax([np.outer(t.q[i], key) for key in t.k])  # all entries of all these matrices together add up to 1
    return sum(share @ t.v[i] for share in shares)


@pytest.mark.parametrize("mistake", OF_ONE_HEAD, ids=lambda mistake: mistake.name)
def test_each_mistake_does_what_it_says(mistake):
    trace = TRACES[mistake.name]
    assert mistake.shows(trace)
    np.testing.assert_allclose(
        mistake.apply(trace).output, oracle_of(mistake.name, EXPECTED, __file__)(trace), atol=1e-12
    )


def test_none_is_forgotten_and_none_is_the_right_one():
    assert {mistake.name for mistake in OF_ONE_HEAD} == EXPECTED.keys()
    same = [name for name, wrong in EXPECTED.items() if np.allclose(wrong(TRACES[name]), TRACES[name].output)]
    # Values are as wide as keys here. A bias that adds the same number to all scores of a row does not change the
    # softmax.
    assert same == ["divided_by_root_d_v", "key_bias_forgotten"]


def test_a_mistake_of_the_mask_or_the_context_shows_only_there():
    for mistake in OF_ONE_HEAD:
        assert mistake.shows(correct_trace()) == (mistake.name in SHARED | MIXED_UP)
        assert bool(mistake.needs) >= (not mistake.shows(correct_trace()))


def test_naive_softmax_overflows_above_709_78():
    np.testing.assert_allclose(naive_softmax([709.78, 0]), [1, 0], atol=1e-300)
    assert np.isnan(naive_softmax([709.79, 0])[0])
    assert np.isnan(naive_softmax(np.array([88.73, 0], np.float32))[0])
    assert np.isnan(naive_softmax([-1000, -1001])).all()


def test_naive_steps_equal_the_right_ones_without_subtracting_the_maximum():
    naive, right = naive_softmax_steps([3, 1, 0], base=2), softmax_steps([3, 1, 0], base=2)
    np.testing.assert_array_equal(naive.peak, [0])
    np.testing.assert_array_equal(naive.powers, [8, 2, 1])
    np.testing.assert_array_equal(naive.totals, [11])
    np.testing.assert_allclose(naive.weights, right.weights, rtol=1e-15)
    warm = naive_softmax_steps([800, 0], temperature=2)
    np.testing.assert_array_equal(warm.shifted, [400, 0])
    assert np.isfinite(warm.weights).all()


def test_the_entropy_of_an_overflowing_row_is_nan():
    naive = naive_softmax_steps([[800, 0], [3, 1]])
    assert np.isnan(naive.entropies[0, 0])
    np.testing.assert_allclose(naive.entropies[1], softmax_steps([[3, 1]]).entropies[0])


def test_elementwise_product_is_not_a_matrix_product():
    np.testing.assert_array_equal(elementwise_product([[1, 2], [3, 4]], [[5, 6], [7, 8]]), [[5, 12], [21, 32]])
    with pytest.raises(
        ValueError, match=r"x \* w needs x and w of one shape, but x is \(3, 4\) and w is \(4, 3\)\. Write x @ w"
    ):
        elementwise_product(np.ones((3, 4)), np.ones((4, 3)))


def test_the_trace_of_an_outer_product_is_the_dot_product():
    q, k, v = random_numbers(3, 4), random_numbers(2, 4), random_numbers(3, 4, seed=1)
    np.testing.assert_array_equal(outer_scores(q, k)[2, 1], np.outer(q[2], k[1]))
    np.testing.assert_allclose(np.trace(outer_scores(q, k), axis1=2, axis2=3), q @ k.T)
    outer = outer_attention(q, k, v)
    np.testing.assert_allclose(outer.weights.sum(axis=(1, 2, 3)), 1)
    np.testing.assert_allclose(outer.output[2], sum(outer.weights[2, j] @ v[2] for j in range(2)))


def test_weigh_features_of_a_single_query():
    np.testing.assert_array_equal(weigh_features([10, 1], [[1, 2], [3, 4]]), [40, 6])


@law
@given(st.sampled_from([2, 4, 16, 64]), st.sampled_from([10.0, 10000.0]))
def test_the_doubled_exponent_is_the_paper_with_base_squared(d_model, base):
    doubled = sinusoidal_doubled_exponent(50, d_model, base)
    np.testing.assert_allclose(doubled, sinusoidal(50, d_model, base**2), atol=1e-12)


def test_the_doubled_exponent_by_hand():
    expected = [np.sin(3), np.cos(3), np.sin(3 / 10000), np.cos(3 / 10000)]
    np.testing.assert_allclose(sinusoidal_doubled_exponent(4, 4)[3], expected, rtol=1e-12)


def test_the_shifted_cosine_by_hand():
    expected = [np.sin(3), np.cos(3 / 100), np.sin(3 / 10000), np.cos(3 / 10**6)]
    np.testing.assert_allclose(sinusoidal_shifted_cosine(4, 4)[3], expected, rtol=1e-12)


def test_only_with_the_shifted_cosine_products_depend_on_more_than_distance():
    def spread(table):
        return np.ptp(np.diagonal(table @ table.T, offset=3))

    assert spread(sinusoidal(20, 8)) < 1e-12
    assert spread(sinusoidal_doubled_exponent(20, 8)) < 1e-12
    assert spread(sinusoidal_shifted_cosine(20, 8)) > 0.1


def lines_edited_together(*codes, changed=()):
    """Return the lines of code of attention after several edits."""
    steps = lines_of("\n".join(step.code for step in ATTENTION.steps))
    return [line.text for line in edited_lines(steps, *map(lines_of, codes), changed=changed)]


@pytest.mark.parametrize(
    ("codes", "lines"),
    [
        (
            # an added line comes after its step, which is computed again
            ("weights = weights * allowed", "scaled = scores"),
            ["scaled = scores", "masked = np.where(allowed, scaled, -np.inf)", "weights = softmax(masked)",
             "weights = weights * allowed", "output = weights @ v"],
        ),
        (
            ("scaled = scores", "scaled = scores / d_k"),  # the later mistake replaces the step
            ["scaled = scores / d_k", "masked = np.where(allowed, scaled, -np.inf)", "weights = softmax(masked)",
             "output = weights @ v"],
        ),
        (
            ("masked = scaled\nweights = weights * allowed", "masked = np.where(allowed, scaled, 0)"),
            ["masked = np.where(allowed, scaled, 0)", "weights = softmax(masked)", "weights = weights * allowed",
             "output = weights @ v"],
        ),
        (("q, k, v = x @ w_q, x @ w_k, x @ w_v", "v = k"), [
            "q, k, v = x @ w_q, x @ w_k, x @ w_v", "v = k", "scores = q @ k.T", "scaled = scores / np.sqrt(d_k)",
            "masked = np.where(allowed, scaled, -np.inf)", "weights = softmax(masked)", "output = weights @ v",
        ]),
    ],
)  # fmt: skip
def test_several_edits_become_one_list_of_lines(codes, lines):
    assert lines_edited_together(*codes) == lines


def test_only_steps_after_changed_matrices_are_computed_again():
    assert lines_edited_together(changed=("scores", "weights")) == [
        "scaled = scores / np.sqrt(d_k)",
        "masked = np.where(allowed, scaled, -np.inf)",
        "output = weights @ v",
    ]


def test_a_program_has_every_step_and_refuses_constants():
    program_lines = program(ATTENTION, lines_of("scaled = scores"))
    assert [name for line in program_lines for name in line.gives] == ["d_k", *ATTENTION.names]
    with pytest.raises(ValueError, match=r"every step must read .* another step; got base = 10000\.0: give its number"):
        program(POSITIONS)


def test_a_mistake_that_indexes_matrices_has_no_form_in_several_heads():
    assert in_several_heads("output = weights[0][:, None] * v") == ()
    assert [line.text for line in in_several_heads("v = k\noutput = weights @ v.T / v.shape[-1]")] == [
        "v = k",
        "heads = weights @ v_heads.mT / v_heads.shape[-1]",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "scores = q @ k",
            r"`scores = q @ k` needs matrices that fit each other, but the shapes are k \(2, 3\), q \(2, 3\)\. Correct",
        ),
        ("scores = q @ w", r"`scores = q @ w` needs w, but has only q, k, np\. Compute it first"),
    ],
)
def test_a_line_that_cannot_be_run_says_why(line, message):
    with pytest.raises(ValueError, match=message):
        run(lines_of(line), {"q": np.ones((2, 3)), "k": np.ones((2, 3)), "np": np})


def test_a_line_with_the_same_inputs_is_not_run_again():
    names, memory = {"q": np.ones((2, 3)), "np": np}, {}
    once, again = (run(lines_of("twice = 2 * q"), names, memory)["twice"] for _ in range(2))
    other = run(lines_of("twice = 2 * q"), names | {"q": np.zeros((2, 3))}, memory)["twice"]
    assert once is again
    assert other.sum() == 0
    assert "twice" not in names
