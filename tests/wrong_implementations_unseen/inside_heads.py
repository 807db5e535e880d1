"""Mistakes between the queries and the output of several heads."""

from functools import partial

import numpy as np

from wrong_implementations.parts import hide, merge, project, softmax, split

from .record import run, wrong

several = partial(wrong, heads="several")
KARPATHY = "https://github.com/karpathy/ng-video-lecture/pull/6"
DETR = "https://github.com/facebookresearch/detr/issues/247"


@several("scaled", "scale", source=KARPATHY)
def divides_each_head_by_the_root_of_d_model(scores, q, k, p):
    """`C ** -0.5`: the width of the embeddings, not of a head."""
    return scores / np.sqrt(p.x.shape[1])


@several("scaled", "scale")
def divides_each_head_by_the_root_of_all_widths(scores, q, k, p):
    """The width of all queries together."""
    return scores / np.sqrt(p.w_q.shape[1])


@several("scaled", "scale")
def forgets_to_scale_in_each_head(scores, q, k, p):
    """Nothing divides the scores."""
    return scores


@several("scaled", "scale")
def multiplies_each_head_by_the_root(scores, q, k, p):
    """The root multiplies."""
    return scores * np.sqrt(k.shape[-1])


@several("scaled", "scale", rare=True)
def divides_by_one_point_four(scores, q, k, p):
    """The root of 2 is rounded to 1.4."""
    return scores / np.round(np.sqrt(k.shape[-1]), 1)


@several("scaled", "scale", rare=True)
def divides_each_head_by_the_number_of_tokens(scores, q, k, p):
    """`k.shape[1]`: in (h, n, d) that is the number of tokens."""
    return scores / k.shape[1]


@several("weights", "softmax")
def normalizes_over_the_heads(hidden):
    """`softmax(axis=0)` on (h, n, m): for each pair of tokens, the heads share 1."""
    e = np.exp(hidden)
    return e / np.where(e.sum(0) > 0, e.sum(0), 1)


@several("weights", "softmax")
def normalizes_over_the_queries(hidden):
    """`softmax(axis=1)` on (h, n, m)."""
    return softmax(hidden, axis=1)


@several("weights", "softmax", source=DETR)
def normalizes_over_keys_of_all_heads(hidden):
    """One softmax over the keys of all heads: the weights of a query sum to 1 in all heads together."""
    e = np.exp(hidden)
    return e / e.sum(axis=(0, 2), keepdims=True)


@several("weights", "softmax")
def normalizes_each_head_as_a_whole(hidden):
    """One softmax over all queries and keys of a head."""
    e = np.exp(hidden)
    return e / e.sum(axis=(1, 2), keepdims=True)


@several("weights", "softmax", rare=True)
def normalizes_all_heads_as_a_whole(hidden):
    """`e / e.sum()`."""
    return np.exp(hidden) / np.exp(hidden).sum()


@several("weights", "softmax")
def skips_the_softmax_in_each_head(hidden):
    """The scaled scores are the weights."""
    return hidden


@several("weights", "after")
def averages_the_weights_of_heads(weights, mask, p):
    """The mean of the weights, which a library returns for a picture, is used in every head."""
    return np.broadcast_to(weights.mean(axis=0), weights.shape)


@several("weights", "after", rare=True)
def uses_the_first_weights_in_every_head(weights, mask, p):
    """The weights are computed once, for the first head."""
    return np.broadcast_to(weights[0], weights.shape)


@several("scaled", "scale", rare=True)
def adds_the_scores_of_heads(scores, q, k, p):
    """An index of an einsum is missing: the scores of all heads are added up in each."""
    return np.broadcast_to(scores.sum(axis=0), scores.shape) / np.sqrt(k.shape[-1])


@several("weights", "after")
def transposes_the_weights_in_each_head(weights, mask, p):
    """`einsum("hji,hjd->hid")`: two letters are exchanged."""
    return weights.swapaxes(1, 2)


@several("masked", "hide", needs="mask")
def forgets_the_mask_in_each_head(scaled, mask):
    """The mask is passed on, and no line uses it."""
    return scaled


@several("masked", "hide", needs="mask")
def masks_the_first_head_alone(scaled, mask):
    """The mask is not repeated for the other heads."""
    return np.concatenate([hide(scaled[:1], mask), scaled[1:]])


@several("masked", "hide", needs="mask")
def fills_with_zero_in_each_head(scaled, mask):
    """`scaled * mask`."""
    return scaled * mask


@several("weights", "after", needs="mask")
def masks_each_head_after_the_softmax(weights, mask, p):
    """The mask comes after the softmax."""
    return run(p, "several", hide=lambda scaled, mask: scaled)["weights"] * mask


@several("Q", "project")
def swaps_queries_and_keys_of_all_heads(p):
    """W_Q makes the keys and W_K the queries."""
    if p.context is not None:
        raise ValueError("the exchange is the one of a self-attention")
    return p.x @ p.w_k, p.x @ p.w_q, p.x @ p.w_v


@several("V", "project")
def copies_keys_for_values_in_all_heads(p):
    """`v = k`, which runs where values are as wide as keys."""
    q, k, _ = project(p)
    return q, k, k


@several("heads")
def mixes_among_heads(p):
    """The axes (n, h, d) are not exchanged: each token's heads attend to each other."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    scores = q @ k.swapaxes(1, 2)
    weights = softmax(scores / np.sqrt(q.shape[-1]))
    concat = (weights @ v).reshape(len(p.x), -1)
    return {"scores": scores, "weights": weights, "concat": concat, "output": concat @ p.w_o}


@several("heads", rare=True)
def attends_again_to_the_concatenation(p):
    """The merged heads pass through the same weights once more."""
    made = run(p, "several")
    concat = merge(made["weights"] @ split(made["concat"], p.n_heads))
    return {**made, "concat": concat, "output": concat @ p.w_o}
