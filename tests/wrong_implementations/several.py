"""Mistakes in multi-head attention: in the split into heads, inside the heads, in their concatenation, and in W^O."""

import numpy as np

from .parts import merge, one_head, project, score, softmax, source_of_keys, split
from .projections import normalize_rows, project_except
from .record import record


def record_several(name, says, **more):
    """Add to `ALL` a mistake in multi-head attention.

    `says` describes it, and `more` holds further arguments of `record`.
    """
    record(name, says, heads="several", **more)


def record_leave(name, says, function, **more):
    """Add to `ALL` a mistake in the last step of multi-head attention.

    `function` takes the concatenated heads and the problem, and returns the output. `says` describes the mistake, and
    `more` holds further arguments of `record`.
    """
    record_several(name, says, leave=function, **more)


def record_merge(name, says, function, **more):
    """Add to `ALL` a mistake in the concatenation: `function` takes the heads (h, n, d) and returns one matrix.

    `says` describes the mistake, and `more` holds further arguments of `record`.
    """
    record_several(name, says, merge=function, **more)


def reshape_without_transpose(a, h):
    """Reshape the matrix `a` from (n, d) to (h, n, d / h) in one step, without transposing, which is wrong."""
    return a.reshape(h, a.shape[0], -1)


def split_alternating_columns(a, h):
    """Split the matrix `a` into `h` heads, giving every h-th column to a head instead of neighbouring columns."""
    return a.reshape(a.shape[0], -1, h).transpose(2, 0, 1)


def repeat_first_slice(a, h):
    """Return the first slice of the matrix `a` for all `h` heads, instead of one slice for each head."""
    return np.repeat(split(a, h)[:1], h, 0)


def split_shifted_by_a_head(a, h):
    """Split the matrix `a` into `h` heads, but give each head the slice of its neighbour instead of its own."""
    return np.roll(split(a, h), 1, 0)


def split_tokens(a, h):
    """Split the matrix `a` into `h` groups of tokens instead of groups of columns."""
    return a.reshape(h, -1, a.shape[1])


def split_overlapping(a, h):
    """Split the matrix `a` into `h` heads that overlap: head i begins at column i instead of column i · width."""
    d = a.shape[1] // h
    return np.stack([a[:, i : i + d] for i in range(h)])


def project_slices_alike(a, w, h):
    """Split `a` into `h` slices, multiply each by the same block of the weight matrix `w`, and join the products.

    Correct is to multiply all of `a` by `w`.
    """
    d, e = a.shape[1] // h, w.shape[1] // h
    return np.hstack([a[:, i * d : (i + 1) * d] @ w[:d, :e] for i in range(h)])


def project_slices(p):
    """Return queries, keys and values of the inputs `p`, but split the tokens into heads before the projections."""
    c = source_of_keys(p)
    return tuple(project_slices_alike(a, w, p.n_heads) for a, w in ((p.x, p.w_q), (c, p.w_k), (c, p.w_v)))


def run_as_one_head(p):
    """Compute multi-head attention on the inputs `p`, but as one head of the full width, multiplied by W^O."""
    right = one_head(p)
    return right | {"concat": right["output"], "output": right["output"] @ p.w_o}


def mask_first_head(s, mask):
    """Apply the mask to the scores `s` of the first head alone."""
    return np.concatenate([np.where(mask, s[:1], -np.inf), s[1:]])


def softmax_over_heads_and_keys(s):
    """Apply one softmax to the scores `s` across all heads and keys of a query."""
    e = np.exp(s - s.max((0, 2), keepdims=True))
    return e / e.sum((0, 2), keepdims=True)


def repeat_for_heads(a, s):
    """Return the matrix `a` (n, m) repeated for each head, in the shape of `s`."""
    return np.broadcast_to(a, s.shape).copy()


record_several(
    "split_without_transpose",
    "The columns are cut by a reshape alone.",
    split=reshape_without_transpose,
    common=True,
    source="reczoo/FuxiCTR#30; hyunwoongko/transformer#15",
)
record_several(
    "queries_without_transpose",
    "Only the queries are cut by a reshape alone.",
    split=reshape_without_transpose,
    split_k=split,
    split_v=split,
)
record_several("keys_without_transpose", "Only the keys are cut by a reshape alone.", split_k=reshape_without_transpose)
record_several(
    "values_without_transpose", "Only the values are cut by a reshape alone.", split_v=reshape_without_transpose
)
record_several("split_interleaved", "Each head takes every h-th column.", split=split_alternating_columns, common=True)
record_several(
    "split_column_order",
    "The cut reads the columns first.",
    split=lambda a, h: a.reshape((h, a.shape[0], -1), order="F"),
)
record_several("tokens_cut", "The tokens are cut instead of the columns.", split=split_tokens, common=True)
record_several("slices_overlap", "Head i begins at column i.", split=split_overlapping, common=True)
record_several(
    "heads_before_projection",
    "x is cut before it is projected, and all heads share one projection.",
    project=project_slices,
    common=True,
    source="MarcoMeter/episodic-transformer-memory-ppo#22",
)
record_several(
    "not_cut", "The columns are not cut: one head runs over the full width.", whole=run_as_one_head, common=True
)
record_several("full_width_for_each", "Each head gets all columns.", split=lambda a, h: np.stack([a] * h), common=True)
record_several("first_keys_for_all", "All heads use the keys of the first.", split_k=repeat_first_slice, common=True)
record_several(
    "first_values_for_all", "All heads use the values of the first.", split_v=repeat_first_slice, common=True
)
record_several(
    "first_queries_for_all",
    "All heads use the queries of the first.",
    split=repeat_first_slice,
    split_k=split,
    split_v=split,
)
record_several(
    "first_head_for_all",
    "The loop uses the columns of the first head each time.",
    split=repeat_first_slice,
    common=True,
)
record_several("keys_of_next_head", "Each head uses the keys of its neighbour.", split_k=split_shifted_by_a_head)
record_several("values_of_next_head", "Each head uses the values of its neighbour.", split_v=split_shifted_by_a_head)
record_several(
    "one_head_too_few",
    "The last head is left out in the loop and stays zero.",
    mix=lambda w, v: (w @ v) * (np.arange(len(w)) < len(w) - 1)[:, None, None],
    common=True,
)
record_several(
    "scale_by_full_width",
    "The root is of the full width, not of one head.",
    scale=lambda s, q, k, p: s / np.sqrt(p.w_k.shape[1]),
    common=True,
    source="lucidrains/vit-pytorch#65; omihub777/ViT-CIFAR#11; chelsea0x3b/dfdx#171",
)
record_several(
    "scale_by_d_model",
    "The root is of d_model.",
    scale=lambda s, q, k, p: s / np.sqrt(p.x.shape[1]),
    common=True,
    source="FrancescoSaverioZuppichini/ViT#1",
)
record_several(
    "scale_by_heads",
    "The root is of the number of heads.",
    scale=lambda s, q, k, p: s / np.sqrt(p.n_heads),
    common=True,
    source="tenstorrent/tt-metal#56789",
)
record_several(
    "scale_by_tokens",
    "The root is of the number of tokens.",
    scale=lambda s, q, k, p: s / np.sqrt(k.shape[1]),
    common=True,
)
record_several("heads_not_scaled", "The scores of the heads are not scaled.", scale=lambda s, q, k, p: s, common=True)
record_several("softmax_over_heads", "The softmax runs over the heads.", softmax=lambda s: softmax(s, 0), common=True)
record_several(
    "heads_softmax_over_queries",
    "The softmax of each head runs over the queries.",
    softmax=lambda s: softmax(s, 1),
    common=True,
)
record_several(
    "softmax_over_heads_and_keys",
    "One softmax runs over all heads and keys.",
    softmax=softmax_over_heads_and_keys,
    common=True,
    source="facebookresearch/detr#247",
)
record_several(
    "scores_summed_over_heads",
    "The scores are summed over the heads.",
    score=lambda q, k: repeat_for_heads(score(q, k).sum(0), score(q, k)),
    common=True,
)
record_several(
    "scores_averaged_over_heads",
    "The scores are averaged over the heads.",
    score=lambda q, k: repeat_for_heads(score(q, k).mean(0), score(q, k)),
)
record_several(
    "weights_averaged_over_heads",
    "The weights are averaged over the heads before they are used.",
    after=lambda w, m, p: repeat_for_heads(w.mean(0), w),
    common=True,
)
record_several(
    "weights_summed_over_heads",
    "The weights are summed over the heads.",
    after=lambda w, m, p: repeat_for_heads(w.sum(0), w),
)
record_several(
    "first_weights_for_all",
    "The weights of the first head are used for all.",
    after=lambda w, m, p: repeat_for_heads(w[0], w),
    common=True,
)
record_several(
    "last_weights_for_all",
    "The loop leaves the weights of the last head, which are used for all.",
    after=lambda w, m, p: repeat_for_heads(w[-1], w),
    common=True,
)
record_several("mask_on_first_head", "Only the first head is masked.", hide=mask_first_head, needs="mask", common=True)
record_several("heads_mask_ignored", "No head is masked.", hide=lambda s, m: s, needs="mask", common=True)
record_several(
    "heads_mask_inverted",
    "The mask of the heads is inverted.",
    hide=lambda s, m: np.where(m, -np.inf, s),
    needs="mask",
    common=True,
)
record_several(
    "heads_mask_after_softmax",
    "The heads are masked after the softmax.",
    hide=lambda s, m: s,
    after=lambda w, m, p: w * m,
    needs="mask",
    common=True,
)
record_several(
    "heads_keys_by_queries", "The scores of each head are K Qᵀ.", score=lambda q, k: score(k, q), common=True
)
record_several(
    "heads_weights_transposed",
    "The weights of each head are transposed.",
    mix=lambda w, v: w.swapaxes(1, 2) @ v,
    common=True,
)
record_several(
    "all_axes_transposed", "k.T reverses all three axes, not the last two.", score=lambda q, k: q @ k.T, common=True
)
record_several(
    "heads_query_key_swapped",
    "W_Q and W_K are swapped.",
    project=lambda p: project_except(p, p.x @ p.w_k, source_of_keys(p) @ p.w_q),
    common=True,
)
record_several(
    "heads_context_ignored",
    "The heads ignore the context.",
    project=lambda p: (p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v),
    needs="context",
    common=True,
)
record_several(
    "heads_bias_left_out",
    "The heads have no bias.",
    project=lambda p: (p.x @ p.w_q, p.x @ p.w_k, p.x @ p.w_v),
    needs="bias",
    common=True,
)
record_merge(
    "merge_without_transpose",
    "The heads are merged by a reshape alone.",
    lambda a: a.reshape(a.shape[1], -1),
    common=True,
    source="jsbaan/transformer-from-scratch#6; 649453932/Chinese-Text-Classification-Pytorch#10",
)
record_merge(
    "merge_interleaved",
    "The columns of the heads alternate.",
    lambda a: a.transpose(1, 2, 0).reshape(a.shape[1], -1),
    common=True,
)
record_merge("merge_reversed", "The heads are merged in the reverse order.", lambda a: merge(a[::-1]))
record_merge("merge_on_tokens", "The heads are put below each other.", np.concatenate, common=True)
record_merge("merge_columns_first", "All axes are reversed before the reshape.", lambda a: a.T.reshape(a.shape[1], -1))
record_merge("heads_summed", "The heads are summed instead of put side by side.", lambda a: a.sum(0), common=True)
record_merge("heads_averaged", "The heads are averaged.", lambda a: a.mean(0), common=True)
record_merge(
    "heads_averaged_and_repeated",
    "The average of the heads is repeated to the full width.",
    lambda a: np.tile(a.mean(0), len(a)),
)
record_merge(
    "heads_maximum",
    "The maximum over the heads is taken.",
    lambda a: np.tile(a.max(0), len(a)),
    source="broadinstitute/CellCap#40",
)
record_merge(
    "last_head_only",
    "The loop overwrites the heads, and the last is repeated.",
    lambda a: np.tile(a[-1], len(a)),
    common=True,
)
record_merge("first_head_repeated", "The first head is repeated.", lambda a: np.tile(a[0], len(a)))
record_merge("norm_on_merged", "A layer norm follows the merge.", lambda a: normalize_rows(merge(a)))
record_merge("relu_on_merged", "A ReLU follows the merge.", lambda a: np.maximum(merge(a), 0))
record_merge(
    "merge_by_heads", "The merged heads are divided by their number.", lambda a: merge(a) / len(a), common=True
)
record_leave(
    "no_output_projection",
    "W_O is left out.",
    lambda c, p: c,
    common=True,
    source="Kyubyong/transformer#117; jwallbridge/translob#4",
)
record_leave("output_projection_transposed", "W_O is transposed.", lambda c, p: c @ p.w_o.T, common=True)
record_leave("output_projection_twice", "W_O is applied twice.", lambda c, p: c @ p.w_o @ p.w_o)
record_leave("output_projection_before", "W_O comes before the merged heads.", lambda c, p: p.w_o @ c, common=True)
record_leave(
    "relu_after_output_projection",
    "A ReLU follows W_O.",
    lambda c, p: np.maximum(c @ p.w_o, 0),
    common=True,
    source="Kyubyong/transformer#17",
)
record_leave(
    "output_projection_rows_reversed", "The rows of W_O are in the reverse order.", lambda c, p: c @ p.w_o[::-1]
)
record_leave(
    "residual_after_output_projection", "The tokens are added after W_O.", lambda c, p: c @ p.w_o + p.x, common=True
)
record_leave(
    "residual_and_norm",
    "The tokens are added, and a layer norm follows.",
    lambda c, p: normalize_rows(c @ p.w_o + p.x),
    common=True,
)
record_leave("norm_after_output_projection", "A layer norm follows W_O.", lambda c, p: normalize_rows(c @ p.w_o))
record_leave("softmax_after_output_projection", "A softmax follows W_O.", lambda c, p: softmax(c @ p.w_o))
record_leave("value_projection_for_output", "W_V is used in place of W_O.", lambda c, p: c @ p.w_v, common=True)
record_leave(
    "values_projected_out", "W_O is applied to the values, and the heads are lost.", lambda c, p: project(p)[2] @ p.w_o
)
record_leave(
    "block_for_all_heads",
    "Each head is multiplied by the first block of W_O.",
    lambda c, p: sum(h @ p.w_o[: h.shape[1]] for h in np.array_split(c, p.n_heads, 1)),
    common=True,
)
record_leave(
    "blocks_averaged", "The heads pass their blocks of W_O and are averaged.", lambda c, p: c @ p.w_o / p.n_heads
)
