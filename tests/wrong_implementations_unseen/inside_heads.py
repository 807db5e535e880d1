"""Mistakes between the queries and the output of multi-head attention."""

from functools import partial

import numpy as np

from wrong_implementations.parts import hide, merge, project, softmax, split

from .record import run, wrong

several = partial(wrong, heads="several")
KARPATHY = "https://github.com/karpathy/ng-video-lecture/pull/6"
DETR = "https://github.com/facebookresearch/detr/issues/247"


@several("scaled", "scale", source=KARPATHY)
def divides_each_head_by_the_root_of_d_model(scores, q, k, p):
    """Divide the scores of each head by the square root of the width of x, instead of the width of one head."""
    return scores / np.sqrt(p.x.shape[1])


@several("scaled", "scale")
def divides_each_head_by_the_root_of_all_widths(scores, q, k, p):
    """Divide the scores of each head by the square root of the width of all heads together, instead of one head."""
    return scores / np.sqrt(p.w_q.shape[1])


@several("scaled", "scale")
def forgets_to_scale_in_each_head(scores, q, k, p):
    """Return the scores of each head as they are, without dividing them by √d_k."""
    return scores


@several("scaled", "scale")
def multiplies_each_head_by_the_root(scores, q, k, p):
    """Multiply the scores of each head by √d_k instead of dividing them by √d_k."""
    return scores * np.sqrt(k.shape[-1])


@several("scaled", "scale", rare=True)
def divides_by_one_point_four(scores, q, k, p):
    """Divide the scores of each head by √d_k rounded to 1 decimal: for example by 1.4 instead of √2."""
    return scores / np.round(np.sqrt(k.shape[-1]), 1)


@several("scaled", "scale", rare=True)
def divides_each_head_by_the_number_of_tokens(scores, q, k, p):
    """Divide the scores of each head by the number of keys instead of √d_k.

    The code uses `k.shape[1]`, which is the number of keys in an array of shape (h, n, d).
    """
    return scores / k.shape[1]


@several("weights", "softmax")
def normalizes_over_the_heads(masked_scores):
    """Apply the softmax across the heads instead of across the keys.

    The array has the shape (h, n, m) with h heads, n queries and m keys, and the code says `softmax(axis=0)`.
    """
    e = np.exp(masked_scores)
    return e / np.where(e.sum(0) > 0, e.sum(0), 1)


@several("weights", "softmax")
def normalizes_over_the_queries(masked_scores):
    """Apply the softmax across the queries instead of across the keys.

    The array has the shape (h, n, m) with h heads, n queries and m keys, and the code says `softmax(axis=1)`.
    """
    return softmax(masked_scores, axis=1)


@several("weights", "softmax", source=DETR)
def normalizes_over_keys_of_all_heads(masked_scores):
    """Apply one softmax across the keys of all heads instead of one softmax in each head.

    So the weights of a query add up to 1 in all heads together.
    """
    e = np.exp(masked_scores)
    return e / e.sum(axis=(0, 2), keepdims=True)


@several("weights", "softmax")
def normalizes_each_head_as_a_whole(masked_scores):
    """Apply one softmax across all scores of a head instead of one across each row.

    So all weights of the head together add up to 1.
    """
    e = np.exp(masked_scores)
    return e / e.sum(axis=(1, 2), keepdims=True)


@several("weights", "softmax", rare=True)
def normalizes_all_heads_as_a_whole(masked_scores):
    """Apply one softmax across all scores of all heads instead of one across each row.

    So all weights of all heads together add up to 1.
    """
    return np.exp(masked_scores) / np.exp(masked_scores).sum()


@several("weights", "softmax")
def skips_the_softmax_in_each_head(masked_scores):
    """Return the masked scores as weights, without a softmax."""
    return masked_scores


@several("weights", "after")
def averages_the_weights_of_heads(weights, mask, p):
    """Return the mean of the weights over all heads, to be used in every head instead of the head's own weights.

    Some libraries return this mean, so that people can draw it.
    """
    return np.broadcast_to(weights.mean(axis=0), weights.shape)


@several("weights", "after", rare=True)
def uses_the_first_weights_in_every_head(weights, mask, p):
    """Return the weights of the first head, to be used in every head instead of the head's own weights."""
    return np.broadcast_to(weights[0], weights.shape)


@several("scaled", "scale", rare=True)
def adds_the_scores_of_heads(scores, q, k, p):
    """Add up the scores of all heads, and use the sum in every head instead of the head's own scores.

    Such code lacks the index of the heads in an einsum.
    """
    return np.broadcast_to(scores.sum(axis=0), scores.shape) / np.sqrt(k.shape[-1])


@several("weights", "after")
def transposes_the_weights_in_each_head(weights, mask, p):
    """Transpose the weights of each head.

    The code says `einsum("hji,hjd->hid")` instead of `einsum("hij,hjd->hid")`.
    """
    return weights.swapaxes(1, 2)


@several("masked", "hide", needs="mask")
def forgets_the_mask_in_each_head(scaled, mask):
    """Return the scores as they are, without using the mask."""
    return scaled


@several("masked", "hide", needs="mask")
def masks_the_first_head_alone(scaled, mask):
    """Apply the mask to the scores of the first head alone instead of all heads."""
    return np.concatenate([hide(scaled[:1], mask), scaled[1:]])


@several("masked", "hide", needs="mask")
def fills_with_zero_in_each_head(scaled, mask):
    """Multiply the scores by the mask, which sets masked scores to 0 instead of minus infinity."""
    return scaled * mask


@several("weights", "after", needs="mask")
def masks_each_head_after_the_softmax(weights, mask, p):
    """Compute the weights of each head without the mask, and multiply them by the mask after the softmax."""
    return run(p, "several", hide=lambda scaled, mask: scaled)["weights"] * mask


@several("Q", "project")
def swaps_queries_and_keys_of_all_heads(p):
    """Compute queries, keys and values of the inputs `p`, but make the queries with W^K and the keys with W^Q.

    Raises: ValueError if `p` has a context.
    """
    if p.context is not None:
        raise ValueError("the exchange is the one of a self-attention")
    return p.x @ p.w_k, p.x @ p.w_q, p.x @ p.w_v


@several("V", "project")
def copies_keys_for_values_in_all_heads(p):
    """Compute queries and keys of the inputs `p`, but use the keys as values.

    The code runs if values are as wide as keys.
    """
    q, k, _ = project(p)
    return q, k, k


@several("heads")
def mixes_among_heads(p):
    """Compute multi-head attention on the inputs `p`, but let the heads of one token attend to each other.

    The code does not transpose the axes (n, h, d), so the scores compare the heads of a token instead of the tokens.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    scores = q @ k.swapaxes(1, 2)
    weights = softmax(scores / np.sqrt(q.shape[-1]))
    concat = (weights @ v).reshape(len(p.x), -1)
    return {"scores": scores, "weights": weights, "concat": concat, "output": concat @ p.w_o}


@several("heads", rare=True)
def attends_again_to_the_concatenation(p):
    """Compute multi-head attention on the inputs `p`, but multiply the concatenated heads by the weights again."""
    made = run(p, "several")
    concat = merge(made["weights"] @ split(made["concat"], p.n_heads))
    return {**made, "concat": concat, "output": concat @ p.w_o}
