"""Test the key-value cache: a step with the cache gives the last row of attention over the whole text.

This holds for all shapes, masks, heads and positions.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import (
    KeyValueCache,
    MultiHeadProjections,
    attend,
    causal_mask,
    merge_heads,
    multi_head_attention,
    padding_mask,
    project,
    rope,
    split_heads,
)
from strategies import law, random_numbers, read_only

CASES = settings(law, max_examples=200)


@st.composite
def texts(draw):
    """Draw five values: queries, keys, values, the number of tokens to read into the cache first, and a bool."""
    group, n_kv, n, half = (draw(st.integers(1, most)) for most in (3, 3, 7, 3))
    rng = np.random.default_rng(draw(st.integers(0, 9999)))
    q = rng.normal(size=(group * n_kv, n, 2 * half))
    k, v = rng.normal(size=(n_kv, n, 2 * half)), rng.normal(size=(n_kv, n, draw(st.integers(1, 4))))
    return q, k, v, draw(st.integers(1, n)), draw(st.booleans())


def output_without_cache(q, k, v, mask):
    """Return the output of attention over the whole text, without a cache."""
    group = len(q) // len(k)
    return attend(q, np.repeat(k, group, axis=0), np.repeat(v, group, axis=0), mask=mask).output


@CASES
@given(texts(), st.booleans())
def test_steps_with_a_cache_are_the_rows_of_the_whole(text, one_by_one):
    q, k, v, first, rotated = text
    n = k.shape[-2]
    if rotated:
        q, k = (rope(each, np.arange(n)) for each in (q, k))
    expected = output_without_cache(q, k, v, causal_mask(n))
    cache = KeyValueCache(k[:, :first], v[:, :first])
    found = [cache.attend(q[:, :first]).output]
    step = 1 if one_by_one else max(1, n - first)
    for at in range(first, n, step):
        cache = cache.extended(k[:, at : at + step], v[:, at : at + step])
        found.append(cache.attend(q[:, at : at + step]).output)
    np.testing.assert_allclose(np.concatenate(found, axis=1), expected, atol=1e-10)
    assert cache.n == n
    assert cache.numbers == k.size + v.size


@law
@given(texts())
def test_with_another_mask_too(text):
    q, k, v, _, _ = text
    n = k.shape[-2]
    mask = causal_mask(n) & (padding_mask(max(1, n - 1), n) | np.eye(n, dtype=bool))
    cache = KeyValueCache(k[:, :-1], v[:, :-1]).extended(k[:, -1:], v[:, -1:]) if n > 1 else KeyValueCache(k, v)
    last = cache.attend(q[:, -1:], mask=mask[..., -1:, :]).output
    np.testing.assert_allclose(last, output_without_cache(q, k, v, mask)[:, -1:], atol=1e-10)


def test_a_cache_works_for_all_heads_of_a_layer():
    """Check that reading a text token by token through all heads gives the same outputs as reading it at once."""
    x, n_heads, n_kv = random_numbers(6, 8), 4, 2
    w = MultiHeadProjections(
        w_q=random_numbers(8, 12), w_k=random_numbers(8, 6), w_v=random_numbers(8, 4), w_o=random_numbers(8, 8)
    )
    expected = multi_head_attention(x, w, n_heads, n_kv_heads=n_kv, mask=causal_mask(6)).output
    cache = KeyValueCache(split_heads(x[:1] @ w.w_k, n_kv), split_heads(x[:1] @ w.w_v, n_kv))
    for row in range(1, 6):
        one = x[row : row + 1]
        cache = cache.extended(split_heads(one @ w.w_k, n_kv), split_heads(one @ w.w_v, n_kv))
        step = cache.attend(split_heads(one @ w.w_q, n_heads))
        found = project(merge_heads(step.output), w.w_o)
        np.testing.assert_allclose(found[0], expected[row], atol=1e-10)


def test_without_heads():
    q, k, v = random_numbers(5, 2), random_numbers(5, 2), random_numbers(5, 3)
    expected = attend(q, k, v, mask=causal_mask(5)).output
    found = KeyValueCache(k[:3], v[:3]).extended(k[3:], v[3:]).attend(q[3:]).output
    np.testing.assert_allclose(found, expected[3:], atol=1e-10)


def test_a_cache_never_changes_and_keeps_the_type():
    cache = KeyValueCache(read_only(np.ones((2, 2), np.float32)), read_only(np.ones((2, 1), np.float32)))
    longer = cache.extended(np.ones((1, 2), np.float32), np.ones((1, 1), np.float32))
    assert (cache.n, longer.n) == (2, 3)
    assert longer.k.dtype == np.float32


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda c: KeyValueCache(np.ones((2, 2)), np.ones((3, 2))), r"k and v must share n and heads; got k \(2, 2\)"),
        (
            lambda c: c.extended(np.ones((3, 1, 3)), np.ones((3, 1, 2))),
            r"new k must have .* got \(3, 1, 3\)",
        ),
        (lambda c: c.extended(np.ones((2, 1, 2)), np.ones((2, 1, 2))), "new k must have the heads and the width"),
        (lambda c: c.attend(np.ones((3, 5, 2))), "a key for each query; got 5 queries, 4 keys: extend it"),
        (lambda c: c.attend(np.ones((4, 1, 2))), "must divide those of the queries; got 4 query heads, 3 in the cache"),
        (lambda c: c.attend(np.ones((3, 1, 5))), "q and k must share d_k"),
    ],
)
def test_what_does_not_fit(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong(KeyValueCache(np.ones((3, 4, 2)), np.ones((3, 4, 2))))


def test_the_mask_of_the_last_tokens_is_aligned_at_the_bottom_right():
    assert causal_mask(2, 4, after=2).tolist() == [[True, True, True, False], [True, True, True, True]]
    with pytest.raises(ValueError, match="after must be a whole number of at least 0; got -1: give 0"):
        causal_mask(2, 4, after=-1)
