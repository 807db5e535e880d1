"""Test changes to heads: heads that are removed, swapped or shared, a changed W^O, and the cost of heads."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import MultiHeadProjections, multi_head_attention
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.heads import cost, identity_w_o, pool_heads, run_rewired, swap_heads, without_heads
from random_traces import random_weights
from strategies import law, random_numbers

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
