"""Functions that say whether a mistake changes a number of a trace. The files of mistakes name them as `shows`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.masks import Mask
from attention_core.mistakes.engine.named_traces import Trace, inner_of, places_of
from attention_core.rotation import PositionTrace

Attention = SelfAttentionTrace | MultiHeadTrace

GREAT = 1000.0  # a score below −GREAT is so low that −10⁴ does not hide a key next to it
MOST_PRODUCTS = 1_000_000  # the greatest number of elements that all outer products may have together


def has_mask(trace: Attention) -> bool:
    """Return whether the mask of a trace hides at least one key from a query."""
    return bool(np.isneginf(inner_of(trace).masked).any())


def is_causal(trace: Attention) -> bool:
    """Return whether the mask of a trace lets each token attend only to itself and to the tokens before it."""
    hidden = np.isneginf(inner_of(trace).masked)
    n_q, n_k = hidden.shape[-2:]
    return n_q > 1 and np.array_equal(hidden, np.broadcast_to(~np.tri(n_q, n_k, dtype=bool), hidden.shape))


def is_not_causal(trace: Attention) -> bool:
    """Return whether a trace has no mask, or a mask that is not causal."""
    return not is_causal(trace)


def has_empty_row(trace: Attention) -> bool:
    """Return whether the mask of a trace hides every key from some query."""
    return bool(np.isneginf(inner_of(trace).masked).all(axis=-1).any())


def has_empty_column(trace: Attention) -> bool:
    """Return whether the mask of a trace hides some key from every query."""
    return bool(np.isneginf(inner_of(trace).masked).all(axis=-2).any())


def fill_can_matter(trace: Attention) -> bool:
    """Return whether a finite number in place of −∞ can change the result.

    This is possible if a row has no visible key, or if a mask hides keys and some scores are far below 0.
    """
    return has_empty_row(trace) or (has_mask(trace) and bool((inner_of(trace).scaled < -GREAT).any()))


def has_row_of_zeros(trace: Attention) -> bool:
    """Return whether a trace has a mask, and a row in which all visible scores are 0."""
    seen = np.nan_to_num(inner_of(trace).masked, neginf=0)
    return has_mask(trace) and bool((~seen.any(axis=-1)).any())


def has_score_of_zero(trace: Attention) -> bool:
    """Return whether a score of `trace` is exactly 0 after scaling and masking."""
    return bool((inner_of(trace).masked == 0).any())


def _visible_keys(trace: Attention) -> Mask:
    seen = np.isfinite(inner_of(trace).masked)
    return seen if seen.ndim == 2 else seen[0]


def has_window(trace: Attention) -> bool:
    """Return whether a trace has a sliding window: each query attends only to itself and a few tokens before itself."""
    seen = _visible_keys(trace)
    n_q, n_k = seen.shape
    width, before = int(seen.sum(axis=-1).max(initial=0)), max(n_k - n_q, 0)
    causal = np.tri(n_q, n_k, before, dtype=bool)
    window = causal & ~np.tri(n_q, n_k, before - width, dtype=bool)
    return 0 < width and np.array_equal(seen, window) and not np.array_equal(seen, causal)


def has_wide_window(trace: Attention) -> bool:
    """Return whether the mask of a trace is a sliding window of two or more tokens."""
    return has_window(trace) and bool(_visible_keys(trace).sum(axis=-1).max() > 1)


def has_window_at_the_end(trace: Attention) -> bool:
    """Return whether a trace has fewer queries than keys, and a sliding window that ends with the last key."""
    n_q, n_k = _visible_keys(trace).shape
    return n_q < n_k and has_window(trace)


def has_causal_mask_at_the_end(trace: Attention) -> bool:
    """Return whether a trace has fewer queries than keys, and a causal mask that ends with the last key."""
    seen = _visible_keys(trace)
    n_q, n_k = seen.shape
    return n_q < n_k and np.array_equal(seen, np.tri(n_q, n_k, n_k - n_q, dtype=bool))


def has_padding(trace: Attention) -> bool:
    """Return whether the mask of a trace is a padding mask: it hides only the last keys, from every query."""
    seen = _visible_keys(trace)
    n_real = int(seen[0].sum())
    return 0 < n_real < seen.shape[1] and np.array_equal(
        seen, np.tile(np.tri(1, seen.shape[1], n_real - 1, dtype=bool), (len(seen), 1))
    )


def hides_same_keys_from_all(trace: Attention) -> bool:
    """Return whether a trace has as many queries as keys, and its mask hides the same keys from every query."""
    seen = _visible_keys(trace)
    hidden = ~seen.any(axis=0)
    return seen.shape[0] == seen.shape[1] and bool(hidden.any()) and bool((seen == ~hidden).all())


def has_padding_and_causal_mask(trace: Attention) -> bool:
    """Return whether the mask of a trace is causal, and also hides some keys from every query."""
    seen = _visible_keys(trace)
    hidden = ~seen.any(axis=0)
    causal = np.tri(len(seen), dtype=bool)
    return seen.shape[0] == seen.shape[1] and bool(hidden.any()) and np.array_equal(seen, causal & ~hidden)


def has_context(trace: Attention) -> bool:
    """Return whether the keys and values of a trace come from other tokens than its queries."""
    return trace.context is not trace.x and not np.array_equal(trace.context, trace.x)


def has_no_context(trace: Attention) -> bool:
    """Return whether the queries, keys and values of a trace come from the same tokens."""
    return not has_context(trace)


def has_bias(bias: str) -> Callable[[Attention], bool]:
    """Return a function that says whether a given trace has the bias with this name, such as "b_q".

    A bias of zeros does not count.
    """

    def shows(trace: Attention) -> bool:
        found = getattr(trace.projections if isinstance(trace, MultiHeadTrace) else trace, bias)
        return found is not None and bool(np.any(found))

    return shows


def has_any_bias(trace: Attention) -> bool:
    """Return whether the queries, the keys or the values of a trace have a bias. A bias of zeros does not count."""
    return any(has_bias(bias)(trace) for bias in ("b_q", "b_k", "b_v"))


def has_few_products(trace: SelfAttentionTrace) -> bool:
    """Return whether a trace has no mask, and its outer products have at most a million numbers together."""
    return trace.mask is None and trace.scores.size * trace.q.shape[-1] * trace.k.shape[-1] <= MOST_PRODUCTS


def has_root_with_decimals(trace: Attention) -> bool:
    """Return whether √d_k is not a whole number."""
    return math.sqrt(inner_of(trace).k.shape[-1]) % 1 != 0


def overflows(trace: Attention) -> bool:
    """Return whether a score of a trace is so large that its exponential is infinite."""
    return bool((inner_of(trace).masked > np.log(np.finfo(trace.q.dtype).max)).any())


def has_more_than_one_head(trace: MultiHeadTrace) -> bool:
    """Return whether a trace has more than one head."""
    return trace.n_heads > 1


def has_several_wide_heads(trace: MultiHeadTrace) -> bool:
    """Return whether a trace has more than one head, each wider than one number."""
    return trace.n_heads > 1 and trace.heads.output.shape[-1] > 1


def has_several_heads_and_mask(trace: MultiHeadTrace) -> bool:
    """Return whether a trace has several heads and a mask."""
    return has_more_than_one_head(trace) and has_mask(trace)


def has_groups(trace: MultiHeadTrace) -> bool:
    """Return whether each head of a trace has its own keys, and the number of heads is even and at least 4.

    Such heads can form two or more groups of equal size.
    """
    return trace.n_kv_heads == trace.n_heads >= 4 and trace.n_heads % 2 == 0


def has_base_of_the_paper(trace: PositionTrace) -> bool:
    """Return whether the base of an encoding is 10,000."""
    return trace.base == 10_000


def has_embeddings(trace: PositionTrace) -> bool:
    """Return whether an encoding was added to embeddings."""
    return trace.x is not None


def has_odd_width(trace: PositionTrace) -> bool:
    """Return whether the encoding of a trace has an odd number of columns."""
    return bool(trace.encoding.shape[-1] % 2)


def has_two_pairs(trace: PositionTrace) -> bool:
    """Return whether the encoding of a trace has more than one pair of columns."""
    return bool(trace.encoding.shape[-1] > 2)


def first_query_is_later(trace: Trace) -> bool:
    """Return whether a trace has positions in its scores, and its first query is not at position 0."""
    places = places_of(trace)
    return places is not None and bool(places.queries[0])


SHOWS: Mapping[str, Callable[[Any], bool]] = {
    "has_query_bias": has_bias("b_q"),
    "has_key_bias": has_bias("b_k"),
    "has_value_bias": has_bias("b_v"),
} | {
    function.__name__: function
    for function in (
        has_mask, is_causal, has_context, has_no_context, has_any_bias, has_few_products, has_root_with_decimals,
        overflows, has_more_than_one_head, has_several_wide_heads, has_base_of_the_paper, has_embeddings,
        is_not_causal, has_empty_row, has_empty_column, fill_can_matter, has_row_of_zeros, has_score_of_zero,
        has_window, has_wide_window, has_window_at_the_end, has_causal_mask_at_the_end, has_padding,
        hides_same_keys_from_all, has_padding_and_causal_mask, has_several_heads_and_mask, has_groups, has_odd_width,
        has_two_pairs, first_query_is_later,
    )
}  # fmt: skip
