"""Test changes to heads: heads that are removed, swapped or shared, a changed W^O, and the cost of heads."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import MultiHeadProjections, attend, multi_head_attention
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.heads import (
    align,
    closest_plane,
    cost,
    identity_w_o,
    nudge_of_query,
    pool_heads,
    run_rewired,
    swap_heads,
    with_one_matrix,
    without_heads,
)
from strategies import law, queries_keys_values, random_numbers, random_weights

X = random_numbers(4, 6, seed=20)
counts = st.integers(1, 5)


def output_of(weights, n_heads, **options):
    """Return the output of multi-head attention on the tokens X with these weights. `options` are those of the core."""
    return multi_head_attention(X, weights, n_heads, **options).output


# --- laws ---


@law
@given(counts)
def test_concat_times_w_o_is_the_sum_of_the_shares(n_heads):
    trace = multi_head_attention(X, random_weights(n_heads), n_heads)
    assert trace.share_residual < 1e-12
    assert trace.projections.b_o is not None
    np.testing.assert_allclose(trace.shares.sum(axis=0) + trace.projections.b_o, trace.output, atol=1e-12)


@law
@given(st.data(), counts)
def test_switching_a_head_off_subtracts_its_share(data, n_heads):
    off = data.draw(st.sets(st.integers(0, n_heads - 1)))
    whole = multi_head_attention(X, random_weights(n_heads), n_heads)
    left = output_of(without_heads(whole.projections, off, n_heads), n_heads)
    np.testing.assert_allclose(left, whole.output - whole.shares[sorted(off)].sum(axis=0), atol=1e-12)


@law
@given(st.data(), st.integers(2, 5))
def test_swapping_heads_with_their_rows_changes_nothing(data, n_heads):
    a, b = data.draw(st.permutations(range(n_heads)))[:2]
    weights = random_weights(n_heads)
    same, other = (swap_heads(weights, a, b, n_heads, rows_of_w_o=with_rows) for with_rows in (True, False))
    np.testing.assert_allclose(output_of(same, n_heads), output_of(weights, n_heads), atol=1e-12)
    assert np.abs(output_of(other, n_heads) - output_of(weights, n_heads)).max() > 1e-3


def test_identity_leaves_the_concatenation():
    weights = replace(random_weights(2, d_v=3), b_o=None)
    trace = multi_head_attention(X, identity_w_o(weights), 2)
    np.testing.assert_array_equal(trace.output, trace.concat)


def test_pooled_heads_are_means():
    whole = random_weights(4, d_k=1, d_v=1)
    pooled = pool_heads(whole, 4, 2)
    assert whole.b_v is not None
    assert pooled.b_v is not None
    np.testing.assert_allclose(pooled.w_k[:, 1], whole.w_k[:, 2:].mean(axis=1))
    np.testing.assert_allclose(pooled.b_v, [whole.b_v[:2].mean(), whole.b_v[2:].mean()])
    assert multi_head_attention(X, pooled, 4, n_kv_heads=2).k.shape == (4, 2)


def test_equal_heads_can_share_keys_without_a_change():
    one = random_weights(1)
    alike = MultiHeadProjections(
        **{name: np.tile(getattr(one, name), 3) for name in ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")},
        w_o=random_numbers(9, 6, seed=30),
    )
    np.testing.assert_allclose(output_of(pool_heads(alike, 3, 1), 3, n_kv_heads=1), output_of(alike, 3), atol=1e-12)


# --- on an example ---


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_as_it_is(name):
    this = example(name)
    np.testing.assert_array_equal(run_rewired(this, this.n_heads).output, this.multi_head().output)
    assert this.n_heads in this.head_counts()
    for n_heads in this.head_counts()[:4]:
        assert np.isfinite(run_rewired(this, n_heads, off=[0], w_o="swap_alone", sharing="all").output).all()


def test_one_head_has_nothing_to_swap_and_three_are_not_paired():
    this = example("book")
    np.testing.assert_array_equal(run_rewired(this, 1, w_o="swap_alone").output, run_rewired(this, 1).output)
    assert run_rewired(this, 3, sharing="grouped").n_kv_heads == 3
    assert run_rewired(this, 3, sharing="all").n_kv_heads == 1


def test_the_cost_of_pencil_and_paper():
    # The sizes are 3 tokens, d_model 5, d_k 4 and d_v 2, so the matrices have 20 + 20 + 10 + 10 numbers. The
    # projections take 3·60 products, and the scores and weighted sums take 9·(4+2).
    one, two = cost(run_rewired(example("hand"), 1)), cost(run_rewired(example("hand"), 2))
    assert (one.parameters, one.flops, one.exponentials, one.kv_cache) == (60, 2 * (180 + 54), 9, 6)
    assert (two.parameters, two.flops, two.exponentials, two.kv_cache) == (60, 2 * (180 + 54), 18, 6)
    assert cost(run_rewired(example("hand"), 2, sharing="all")).kv_cache == 3


def test_the_cost_with_fewer_queries_than_keys():
    context = example("context")
    n_q, n_k, d_k, d_v = len(context.tokens), len(context.key_tokens), context.w_k.shape[1], context.w_v.shape[1]
    assert n_q != n_k
    paid = cost(run_rewired(context, 1))
    projected = sum(
        rows * matrix.size
        for rows, matrix in ((n_q, context.w_q), (n_k, context.w_k), (n_k, context.w_v), (n_q, context.w_o))
    )
    assert (paid.exponentials, paid.flops) == (n_q * n_k, 2 * (projected + n_q * n_k * (d_k + d_v)))


# --- errors ---


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda w: without_heads(w, [3], 3), r"a head must be one of 0 to 2; got 3: count from 0\."),
        (lambda w: swap_heads(w, 0, -1, 3, rows_of_w_o=True), r"a head must be one of 0 to 2; got -1"),
        (lambda w: without_heads(w, [], 4), r"n_heads must divide the heads' width; got 4 heads, w_q 6"),
        (lambda w: pool_heads(w, 3, 2), r"n_kv_heads must divide n_heads; got n_kv_heads 2, n_heads 3: give 1 or 3\."),
    ],
)
def test_errors(attempt, message):
    with pytest.raises(ValueError, match=message):
        attempt(random_weights(3))


STORY = example("story")
CAT, IT = 0, 4
ALONE = [name for name in EXAMPLES if example(name).context is None]


@pytest.mark.parametrize("name", ALONE)
def test_with_one_matrix_scores_are_symmetric(name):
    one = with_one_matrix(example(name))
    assert one is not None
    scores = one.attention().scores
    np.testing.assert_allclose(scores, scores.T, rtol=1e-12)


# the scores of the example "book" happen to be symmetric
@pytest.mark.parametrize("name", sorted(set(ALONE) - {"book"}))
def test_with_two_matrices_they_are_not(name):
    scores = example(name).attention().scores
    assert not np.allclose(scores, scores.T)


def test_with_one_matrix_it_attends_to_itself_and_not_to_the_cat():
    one = with_one_matrix(STORY)
    assert one is not None
    two, same = STORY.attention(), one.attention()
    assert (two.scores[IT, CAT], two.scores[CAT, IT]) == (6, 0)
    assert same.scores[IT, CAT] == same.scores[CAT, IT] == 2
    assert two.weights[IT].argmax() == CAT
    assert same.weights[IT].argmax() == IT
    assert two.weights[IT, CAT] > 0.7
    assert same.weights[IT, CAT] < 0.02


@pytest.mark.parametrize("name", sorted(set(EXAMPLES) - set(ALONE)))
def test_a_context_has_no_version_with_one_matrix(name):
    assert with_one_matrix(example(name)) is None


def test_where_shapes_or_biases_differ_nothing_is_shown():
    hand = example("hand")
    assert with_one_matrix(hand) is not None
    assert with_one_matrix(replace(hand, w_q=hand.w_q[:, :2])) is None
    assert with_one_matrix(replace(hand, b_q=np.ones(4))) is None
    assert with_one_matrix(replace(hand, b_k=np.ones(4))) is None


@law
@given(queries_keys_values(), st.floats(-5, 5))
def test_weights_do_not_depend_on_values(qkv, factor):
    before, after = attend(qkv.q, qkv.k, qkv.v), attend(qkv.q, qkv.k, factor * qkv.v)
    np.testing.assert_array_equal(after.weights, before.weights)
    np.testing.assert_allclose(after.output, factor * before.output, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if example(name).w_q.size <= 64])
def test_the_nudge_is_the_one_that_raises_the_greatest_weight_most(name):
    this = example(name)
    trace = this.attention()
    for i in range(len(this.tokens)):
        nudge = nudge_of_query(this, trace, i)
        assert nudge is not None
        assert nudge.before == trace.weights[i, nudge.key] == trace.weights[i].max()
        assert nudge.after > nudge.before
        slopes = np.abs(
            [[slope_at(this, i, nudge.key, r, c) for c in range(this.w_q.shape[1])] for r in range(len(this.w_q))]
        )
        np.testing.assert_allclose(slopes[nudge.row, nudge.column], slopes.max(), rtol=1e-4)


def slope_at(example, i, key, row, column, by=1e-5):
    """Return how fast weight (i, key) changes with number (row, column) of W^Q.

    `by` is the step of the finite differences.
    """

    def weight(step):
        w_q = example.w_q.copy()
        w_q[row, column] += step
        return example.with_matrices({"w_q": w_q}).attention().weights[i, key]

    return (weight(by) - weight(-by)) / (2 * by)


def test_the_nudge_of_the_story_by_hand():
    nudge = nudge_of_query(STORY, STORY.attention(), IT)
    assert nudge is not None
    shifted = np.exp(np.array([8, 2, 2, 0, 0]) / 2)  # the query number "looks for somebody" grows from 3 to 4
    assert (STORY.names.x[nudge.row], STORY.names.q[nudge.column], nudge.step) == ("refers", "looks for somebody", 1)
    np.testing.assert_allclose(nudge.after, shifted[0] / shifted.sum(), rtol=1e-12)


def test_a_query_without_input_has_no_nudge():
    silent = STORY.with_matrices({"x": np.zeros_like(STORY.x)})
    assert nudge_of_query(silent, silent.attention(), IT) is None


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_same_matrices_serve_texts_of_any_length(name):
    this = example(name)
    short = this.shortened(len(this.tokens) - 1, len(this.key_tokens) - 1)
    assert all(getattr(short, id) is getattr(this, id) for id in ("w_q", "w_k", "w_v"))
    short.attention()


def test_by_hand():
    found = align([3, 4], [[6, 8], [-4, 3], [-3, -4], [0, 0]])
    assert found.length == 5
    np.testing.assert_array_equal(found.lengths, [10, 5, 5, 0])
    np.testing.assert_array_equal(found.products, [50, 0, -25, 0])
    np.testing.assert_allclose(found.degrees, [0, 90, 180, 90], atol=1e-6)


@law
@given(queries_keys_values())
def test_a_product_is_both_lengths_times_the_cosine(qkv):
    found = align(qkv.q[0], qkv.k)
    np.testing.assert_allclose(found.products, qkv.k @ qkv.q[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.length * found.lengths * found.cosines, found.products, rtol=1e-9, atol=1e-12)


@law
@given(queries_keys_values())
def test_the_angle_does_not_depend_on_lengths(qkv):
    one, longer = align(qkv.q[0], qkv.k), align(3 * qkv.q[0], 2 * qkv.k)
    np.testing.assert_allclose(longer.cosines, one.cosines, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(longer.products, 6 * one.products, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("degrees", [0, 30, 89, 90, 91, 150, 180])
def test_a_product_is_0_at_90_degrees_and_negative_beyond(degrees):
    turned = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    found = align([7, 0], 5 * turned[None])
    np.testing.assert_allclose(found.degrees, degrees, atol=1e-6)
    assert np.sign(np.round(found.products[0], 9)) == np.sign(90 - degrees)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if example(name).w_q.shape[1] <= 4])
def test_no_other_plane_comes_closer_to_the_scores(name):
    trace = example(name).attention()
    for query, scores in zip(trace.q, trace.scores, strict=True):
        missed = {
            pair: np.square(scores - trace.k[:, pair] @ query[[*pair]]).sum()
            for pair in combinations(range(len(query)), 2)
        }
        a, b = closest_plane(query, trace.k)
        assert missed[a, b] <= min(missed.values()) + 1e-9


def test_in_the_story_the_plane_keeps_the_whole_score_of_it_and_cat():
    trace = example("story").attention()
    plane = closest_plane(trace.q[4], trace.k)
    names = example("story").names
    assert [names.q[c] for c in plane] == ["looks for somebody", "looks for something"]
    assert align(trace.q[4][[*plane]], trace.k[:, plane]).products[0] == trace.scores[4, 0] == 6


def test_other_widths_are_refused():
    with pytest.raises(
        ValueError, match=r"query and keys must share d_k; got query \(2,\), keys \(3, 4\): check w_q and"
    ):
        align(random_numbers(2), random_numbers(3, 4))
