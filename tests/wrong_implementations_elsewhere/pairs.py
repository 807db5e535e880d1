"""Implementations of attention that make two common mistakes together.

First come pairs of mistakes that each replace one part of the correct code. Then come pairs that are written out.
"""

from functools import partial

import numpy as np

from wrong_implementations.parts import hide, project, softmax, source_of_keys

from .around_heads import forgets_the_output_projection
from .masking import ignores_the_mask, multiplies_the_scores_by_the_mask
from .mixing import transposes_the_weights
from .normalizing import goes_down_the_columns, sums_the_whole_matrix, takes_the_softmax_twice
from .projecting import (
    copies_the_key_line_for_the_values,
    forgets_the_bias_of_the_values,
    swaps_the_matrices_of_query_and_key,
)
from .record import PAIRS, pair, wrong
from .right import into_heads, mask_of, out_of_heads, weights_of
from .scoring import (
    compares_queries_with_queries,
    forgets_the_root,
    forgets_the_scale,
    multiplies_by_the_root,
    takes_the_root_of_the_count,
    takes_the_root_of_the_tokens_width,
)
from .splitting import reshapes_straight_into_heads, reshapes_straight_out_of_heads

both = partial(wrong, common=True, into=PAIRS)

for first, second in (
    (forgets_the_scale, goes_down_the_columns),
    (multiplies_by_the_root, transposes_the_weights),
    (forgets_the_root, takes_the_softmax_twice),
    (takes_the_root_of_the_tokens_width, goes_down_the_columns),
    (takes_the_root_of_the_count, sums_the_whole_matrix),
    (forgets_the_root, goes_down_the_columns),
    (swaps_the_matrices_of_query_and_key, goes_down_the_columns),
):
    pair(first, second)

for other in (
    sums_the_whole_matrix,
    transposes_the_weights,
    compares_queries_with_queries,
    copies_the_key_line_for_the_values,
    swaps_the_matrices_of_query_and_key,
):
    pair(forgets_the_scale, other)

pair(forgets_the_scale, ignores_the_mask, needs="mask")
pair(forgets_the_root, multiplies_the_scores_by_the_mask, needs="mask")
pair(goes_down_the_columns, ignores_the_mask, needs="mask")
pair(forgets_the_scale, forgets_the_bias_of_the_values, needs="bias")

# The code in https://github.com/ethen8181/machine-learning/issues/13 makes the third of these pairs of mistakes.
for other in (
    reshapes_straight_into_heads,
    reshapes_straight_out_of_heads,
    forgets_the_scale,
    goes_down_the_columns,
    sums_the_whole_matrix,
    takes_the_root_of_the_tokens_width,
):
    pair(forgets_the_output_projection, other, heads="several")

pair(reshapes_straight_into_heads, forgets_the_scale, heads="several")
pair(reshapes_straight_out_of_heads, takes_the_root_of_the_tokens_width, heads="several")
pair(forgets_the_output_projection, ignores_the_mask, heads="several", needs="mask")


@both()
def neither_division_nor_scale(p):
    """Compute attention on the inputs `p`, but do not divide the scores by √d_k, nor the exponentials by their sum."""
    q, k, v = project(p)
    return np.exp(hide(q @ k.T, p.mask)) @ v


@both()
def tokens_mixed_without_scale(p):
    """Compute `softmax(q @ k.T) @ x` on the inputs `p`: without √d_k, and with the tokens instead of the values."""
    q, k, _ = project(p)
    return softmax(hide(q @ k.T, p.mask)) @ source_of_keys(p)


@both()
def no_projection_and_no_scale(p):
    """Compute `softmax(x @ x.T) @ x` on the inputs `p`: without the matrices W^Q, W^K, W^V and without √d_k."""
    c = source_of_keys(p)
    return softmax(hide(np.einsum("id,jd->ij", p.x, c), p.mask)) @ c


@both()
def first_query_without_root(p):
    """Compute attention on the inputs `p`, but use query 1 for every token, and divide by d_k instead of √d_k."""
    q, k, v = project(p)
    return softmax(hide(np.array([[q[0] @ key / len(key) for key in k] for _ in q]), p.mask)) @ v


@both()
def no_keepdims_and_no_scale(p):
    """Compute attention on the inputs `p`, without √d_k, but divide column j of the exponentials by the sum of row j.

    The code says `e / e.sum(axis=1)` without `keepdims=True`.
    """
    q, k, v = project(p)
    e = np.exp(hide(q @ k.T, p.mask))
    return e / e.sum(axis=1) @ v


@both()
def last_value_alone_without_scale(p):
    """Compute attention on the inputs `p`, but without √d_k, and keep only the last weighted value of each sum.

    The loop says `=` instead of `+=`.
    """
    q, k, v = project(p)
    weights, out = softmax(hide(q @ k.T, p.mask)), np.zeros((len(q), v.shape[1]))
    for i in range(len(q)):
        for j in range(len(k)):
            out[i] = weights[i, j] * v[j]
    return out


@both()
def row_never_reset_without_root(p):
    """Compute attention on the inputs `p`, but divide by d_k, not √d_k, and add to each output all above it."""
    q, k, v = project(p)
    weights = softmax(hide(q @ k.T / k.shape[1], p.mask))
    return np.cumsum(weights @ v, axis=0)


@both()
def columns_without_scale(p):
    """Compute attention on the inputs `p`, but without √d_k, and return the output with tokens as columns."""
    q, k, v = project(p)
    return (softmax(hide(q @ k.T, p.mask)) @ v).T


@both(needs="mask")
def masked_behind_without_scale(p):
    """Compute attention on the inputs `p`, but without √d_k, and apply the mask after the softmax."""
    q, k, v = project(p)
    return softmax(q @ k.T) * p.mask @ v


@both(needs="bias")
def neither_bias_nor_scale(p):
    """Compute attention on the inputs `p`, but without √d_k and without the biases of queries, keys and values."""
    c = source_of_keys(p)
    return softmax(hide(p.x @ p.w_q @ (c @ p.w_k).T, p.mask)) @ (c @ p.w_v)


@both(needs="context")
def no_context_and_no_root(p):
    """Compute cross-attention on the inputs `p`, but use x instead of the context, and d_k instead of √d_k."""
    q, k, v = p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v
    return softmax(hide(q @ k.T / k.shape[1], p.mask)) @ v


@both(heads="several")
def one_head_and_no_output_projection(p):
    """Compute multi-head attention on the inputs `p`, but as one head of the full width, and without W^O."""
    q, k, v = project(p)
    return weights_of(q, k, p) @ v


@both(heads="several")
def average_of_heads_without_scale(p):
    """Compute multi-head attention on the inputs `p`, but without √d_k, and return the heads' mean without W^O."""
    outs = [softmax(hide(q @ k.T, p.mask)) @ v for q, k, v in zip(*into_heads(p), strict=True)]
    return sum(outs) / p.n_heads


@both(heads="several")
def first_head_each_time_without_scale(p):
    """Compute multi-head attention on the inputs `p`, but use head 1 in place of every head, without √d_k."""
    q, k, v = into_heads(p)
    return out_of_heads([softmax(hide(q[0] @ k[0].T, p.mask)) @ v[0] for _ in q], p)


@both(heads="several")
def columns_in_turn_without_output_projection(p):
    """Compute multi-head attention on the inputs `p`, but give columns 1, 1 + h, 1 + 2h, … to head 1 of h, without W^O.

    Correct is to give neighbouring columns to each head.
    """
    q, k, v = (a.reshape(len(a), -1, p.n_heads).transpose(2, 0, 1) for a in project(p))
    return np.hstack(list(weights_of(q, k, p) @ v))


@both(heads="several")
def over_the_heads_without_scale(p):
    """Compute multi-head attention on the inputs `p`, but without √d_k, and apply the softmax across the heads."""
    q, k, v = into_heads(p)
    e = np.exp(q @ k.swapaxes(1, 2))
    return out_of_heads(e / e.sum(axis=0) * mask_of(p) @ v, p)


@both(heads="several")
def straight_out_and_one_letter_wrong(p):
    """Compute multi-head attention on the inputs `p`, but use keys as values, and reshape heads without transposing."""
    q, k, _ = into_heads(p)
    return reshapes_straight_out_of_heads(weights_of(q, k, p) @ k) @ p.w_o
