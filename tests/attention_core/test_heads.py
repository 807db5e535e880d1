"""Test multi-head attention: splitting and merging, what each head adds to the output, grouped queries, and errors."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    MultiHeadProjections,
    attend,
    causal_mask,
    merge_heads,
    multi_head_attention,
    project,
    repeat_heads,
    self_attention,
    split_heads,
)
from strategies import law, random_numbers, read_only, sizes


def weights_for(n_heads, *, d_model=6, d_context=6, d_k=2, d_v=3, n_kv_heads=None, seed=0):
    """Return random weight matrices and biases for multi-head attention with `n_heads` heads and these sizes."""
    kv = n_heads if n_kv_heads is None else n_kv_heads
    return MultiHeadProjections(
        w_q=random_numbers(d_model, n_heads * d_k, seed=seed), b_q=random_numbers(n_heads * d_k, seed=seed),
        w_k=random_numbers(d_context, kv * d_k, seed=seed + 1), b_k=random_numbers(kv * d_k, seed=seed + 1),
        w_v=random_numbers(d_context, kv * d_v, seed=seed + 2), b_v=random_numbers(kv * d_v, seed=seed + 2),
        w_o=random_numbers(n_heads * d_v, d_model, seed=seed + 3), b_o=random_numbers(d_model, seed=seed + 3),
    )  # fmt: skip


def test_split_by_hand():
    heads = split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], 2)
    np.testing.assert_array_equal(heads, [[[1, 2], [5, 6]], [[3, 4], [7, 8]]])
    np.testing.assert_array_equal(merge_heads(heads), [[1, 2, 3, 4], [5, 6, 7, 8]])


@law
@given(sizes, sizes, sizes, st.lists(sizes, max_size=2))
def test_merge_undoes_split(n, n_heads, d, batch):
    x = random_numbers(*batch, n, n_heads * d)
    heads = split_heads(x, n_heads)
    assert heads.shape == (*batch, n_heads, n, d)
    for h in range(n_heads):
        np.testing.assert_array_equal(heads[..., h, :, :], x[..., h * d : (h + 1) * d])
    np.testing.assert_array_equal(merge_heads(heads), x)


def test_repeat_by_hand():
    np.testing.assert_array_equal(repeat_heads([[[1]], [[2]]], 3).ravel(), [1, 1, 1, 2, 2, 2])


@pytest.mark.parametrize("n_heads", [1, 2, 4])
def test_each_head_is_attention_over_its_columns(n_heads):
    x, weights = random_numbers(5, 6), weights_for(n_heads)
    trace = multi_head_attention(x, weights, n_heads, mask=causal_mask(5))
    for h in range(n_heads):
        k, v = slice(2 * h, 2 * h + 2), slice(3 * h, 3 * h + 3)
        one = self_attention(
            x, weights.w_q[:, k], weights.w_k[:, k], weights.w_v[:, v],
            b_q=np.asarray(weights.b_q)[k], b_k=np.asarray(weights.b_k)[k], b_v=np.asarray(weights.b_v)[v],
            mask=causal_mask(5),
        )  # fmt: skip
        for name in ("q", "k", "v", "scores", "scaled", "masked", "weights", "output"):
            np.testing.assert_allclose(getattr(trace.heads, name)[h], getattr(one, name), rtol=1e-12)
        np.testing.assert_allclose(trace.concat[:, v], one.output, rtol=1e-12)


@law
@given(sizes, st.sampled_from([1, 2, 3, 4]), st.integers(0, 1000))
def test_shares_and_bias_add_up_to_the_output(n, n_heads, seed):
    trace = multi_head_attention(random_numbers(n, 6, seed=seed), weights_for(n_heads, seed=seed), n_heads)
    np.testing.assert_allclose(trace.shares.sum(axis=0) + trace.projections.b_o, trace.output, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(
        project(trace.concat, trace.projections.w_o, trace.projections.b_o), trace.output, rtol=1e-13
    )


def swap_blocks(matrix, d, axis):
    """Return `matrix` with its two blocks of width `d` swapped along `axis`."""
    return np.roll(matrix, d, axis=axis)


def test_swapping_two_heads_with_their_rows_of_w_o_changes_nothing():
    x, weights = random_numbers(4, 6), weights_for(2)
    columns = {
        name: swap_blocks(getattr(weights, name), 3 if name[-1] == "v" else 2, -1)
        for name in ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
    }
    without = dataclasses.replace(weights, **columns)
    with_rows = dataclasses.replace(without, w_o=swap_blocks(weights.w_o, 3, 0))
    right = multi_head_attention(x, weights, 2).output
    np.testing.assert_allclose(multi_head_attention(x, with_rows, 2).output, right, rtol=1e-12)
    assert np.abs(multi_head_attention(x, without, 2).output - right).max() > 0.1


def test_one_head_with_the_identity_is_self_attention():
    x, w_q, w_k, w_v = (
        random_numbers(3, 4),
        random_numbers(4, 4),
        random_numbers(4, 4, seed=1),
        random_numbers(4, 4, seed=2),
    )
    one = multi_head_attention(x, MultiHeadProjections(w_q=w_q, w_k=w_k, w_v=w_v, w_o=np.eye(4)), 1)
    np.testing.assert_allclose(one.output, self_attention(x, w_q, w_k, w_v).output, rtol=1e-13)


def test_grouped_queries_share_keys_and_values():
    x, weights = random_numbers(5, 6), weights_for(4, n_kv_heads=2)
    trace = multi_head_attention(x, weights, 4, n_kv_heads=2)
    assert trace.k.shape == (5, 4)
    for h in range(4):
        one = attend(trace.q[:, 2 * h : 2 * h + 2], split_heads(trace.k, 2)[h // 2], split_heads(trace.v, 2)[h // 2])
        np.testing.assert_allclose(trace.heads.output[h], one.output, rtol=1e-12)


def test_keys_and_values_come_from_the_context():
    x, context = random_numbers(2, 6), random_numbers(5, 4)
    trace = multi_head_attention(x, weights_for(2, d_context=4), 2, context=context)
    assert trace.heads.weights.shape == (2, 2, 5)
    np.testing.assert_array_equal(trace.v, project(context, trace.projections.w_v, trace.projections.b_v))


def test_batches_equal_the_loop():
    x, weights = random_numbers(3, 2, 4, 6), weights_for(2)
    batch = multi_head_attention(x, weights, 2)
    assert batch.shares.shape == (3, 2, 2, 4, 6)
    for index in np.ndindex(3, 2):
        one = multi_head_attention(x[index], weights, 2)
        np.testing.assert_allclose(batch.output[index], one.output, rtol=1e-12)
        np.testing.assert_allclose(batch.shares[index], one.shares, rtol=1e-12)


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    w, b = read_only(np.ones((4, 4), dtype)), read_only(np.ones(4, dtype))
    weights = MultiHeadProjections(w_q=w, w_k=w, w_v=w, w_o=w, b_q=b, b_k=b, b_v=b, b_o=b)
    trace = multi_head_attention(read_only(np.ones((3, 4), dtype)), weights, 2)
    for part in (trace.q, trace.heads.weights, trace.concat, trace.shares, trace.output):
        assert part.dtype == expected
    x = read_only(np.ones((2, 3, 4), dtype))
    for part in (split_heads(x, 2), merge_heads(x), repeat_heads(x, 2)):
        assert part.dtype == expected


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (split_heads, (np.ones((5, 2, 6)), 4), r"got 4 heads for x \(5, 2, 6\): choose one of \[1, 2, 3, 6\]"),
        (split_heads, (np.ones((2, 6)), 0), r"n_heads must be a whole number of at least 1; got 0"),
        (split_heads, (np.ones(6), 2), r"x must have at least 2 axes; got shape \(6,\)"),
        (merge_heads, (np.ones((2, 6)),), r"x must have at least 3 axes; got shape \(2, 6\)"),
        (repeat_heads, (np.ones((2, 6)), 2), r"x must have at least 3 axes; got shape \(2, 6\)"),
        (repeat_heads, (np.ones((1, 2, 6)), 1.5), r"n must be a whole number of at least 1; got 1\.5"),
    ],
)
def test_errors_of_the_parts(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)


@pytest.mark.parametrize(
    ("n_heads", "n_kv_heads", "changed", "message"),
    [
        (5, None, {}, r"n_heads must divide the width; got 5 heads for x \(3, 8\): choose one of \[1, 2, 4, 8\]"),
        (4, 3, {}, r"n_kv_heads must divide n_heads; got n_kv_heads 3, n_heads 4: every key head serves"),
        (4, 0, {}, r"n_kv_heads must be a whole number of at least 1; got 0"),
        (4, None, {"w_q": np.ones((5, 8))}, r"w_q: x and w must share d_in, but x is \(3, 6\) and w is \(5, 8\)"),
        (4, None, {"w_k": np.ones((5, 8))}, r"w_k: x and w must share d_in, but x is \(3, 6\) and w is \(5, 8\)"),
        (
            4,
            None,
            {"w_k": np.ones((6, 4)), "b_k": None},
            r"q and k must share d_k, but q is \(4, 3, 2\) and k is \(4, 3, 1\)",
        ),
        (4, None, {"w_o": np.ones((7, 6))}, r"w_o: x and w must share d_in, but x is \(3, 12\) and w is \(7, 6\)"),
        (4, None, {"b_o": np.ones(7)}, r"w_o: w and b must share d_out, but w is \(12, 6\) and b is \(7,\)"),
        (4, None, {"w_v": np.full((6, 12), np.nan)}, r"w_v: w must be finite; got nan at \(0, 0\)"),
    ],
)
def test_errors_of_the_whole(n_heads, n_kv_heads, changed, message):
    weights = dataclasses.replace(weights_for(4), **changed)
    with pytest.raises(ValueError, match=message):
        multi_head_attention(np.ones((3, 6)), weights, n_heads, n_kv_heads=n_kv_heads)
