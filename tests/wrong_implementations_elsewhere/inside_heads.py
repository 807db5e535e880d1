"""Mistakes inside the heads of multi-head attention: in the scores, the weights and the weighted sums."""

import numpy as np

from wrong_implementations.parts import hide, project, softmax

from .record import wrong
from .right import into_heads, mask_of, out_of_heads, scaled_scores_of, weights_of


@wrong(common=True, heads="several", source="https://github.com/karpathy/ng-video-lecture/pull/6")
def scales_by_the_width_of_the_model(p):
    """Compute multi-head attention on the inputs `p`, but divide the scores by the square root of the width of x.

    Correct is the square root of the width of one head's keys.
    """
    q, k, v = into_heads(p)
    wei = hide(q @ k.transpose(0, 2, 1) * p.x.shape[1] ** -0.5, p.mask)
    return out_of_heads(softmax(wei) @ v, p)


@wrong(common=True, heads="several", source="https://github.com/aladdinpersson/Machine-Learning-Collection/issues/65")
def scales_by_the_width_of_all_heads(p):
    """Compute multi-head attention on the inputs `p`, but divide the scores by the root of the width of all heads.

    Correct is the square root of the width of one head.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    energy = np.einsum("qhd,khd->hqk", q, k) / (p.w_q.shape[1] ** (1 / 2))
    return np.einsum("hql,lhd->qhd", softmax(hide(energy, p.mask)), v).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def forgets_the_scale_in_each_head(p):
    """Compute multi-head attention on the inputs `p`, but do not divide the scores of each head by √d_k."""
    outs = []
    for q, k, v in zip(*into_heads(p), strict=True):
        outs.append(softmax(hide(q @ k.T, p.mask)) @ v)
    return np.concatenate(outs, axis=-1) @ p.w_o


@wrong(common=True, heads="several", source="https://github.com/esceptico/perceiver-io/issues/9")
def divides_by_what_divides_already(p):
    """Compute multi-head attention on the inputs `p`, but multiply the scores by √d_k instead of dividing by √d_k.

    The code sets `scale = d ** -0.5`, and then computes `scores / scale`.
    """
    q, k, v = into_heads(p)
    factor = q.shape[-1] ** -0.5
    return out_of_heads(softmax(hide(q @ k.swapaxes(1, 2) / factor, p.mask)) @ v, p)


@wrong(
    common=True, heads="several", source="https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/52"
)
def goes_over_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but apply the softmax across the heads instead of the keys.

    The code uses the first axis of the array, which is the axis of the heads.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in project(p))
    e = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1]))
    weights = e / e.sum(axis=0) * mask_of(p)
    return (weights @ v).transpose(1, 0, 2).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several", source="https://github.com/nerminnuraydogan/vision-transformer/issues/1")
def goes_over_the_queries(p):
    """Compute multi-head attention on the inputs `p`, but apply the softmax across the queries instead of the keys.

    The code says `softmax(dim=1)` for an array of shape (h, n, m) with h heads, n queries and m keys.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    e = np.exp(hide(np.einsum("qhd,khd->hqk", q, k) / np.sqrt(q.shape[-1]), p.mask))
    weights = e / e.sum(axis=1, keepdims=True)
    return np.einsum("hqk,khd->qhd", weights, v).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def sums_over_all_heads_and_cells(p):
    """Compute multi-head attention on the inputs `p`, but divide the exponentials by their sum over all heads.

    The code says `np.exp(s) / np.sum(np.exp(s))`, where `s` holds the scores of all heads.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in project(p))
    e = np.exp(hide(q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1]), p.mask))
    return (e / np.sum(e) @ v).transpose(1, 0, 2).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def forgets_the_softmax_in_each_head(p):
    """Compute multi-head attention on the inputs `p`, but use the scaled scores as weights, without a softmax."""
    outs = [(scaled_scores_of(q, k, p) * mask_of(p)) @ v for q, k, v in zip(*into_heads(p), strict=True)]
    return np.hstack(outs) @ p.w_o


@wrong(common=True, heads="several")
def swaps_query_and_key_in_each_head(p):
    """Compute multi-head attention on the inputs `p`, but compute the scores as `k @ q.T` instead of `q @ k.T`."""
    outs = []
    for q, k, v in zip(*into_heads(p), strict=True):
        outs.append(softmax(hide(k @ q.T / np.sqrt(q.shape[1]), p.mask)) @ v)
    return np.concatenate(outs, axis=-1) @ p.w_o


@wrong(common=True, heads="several")
def forgets_the_head_in_the_einsum(p):
    """Compute multi-head attention on the inputs `p`, but sum the scores over the heads, so all heads share one matrix.

    The code says `einsum("qhd,khd->qk")` instead of `einsum("qhd,khd->hqk")`.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    weights = softmax(hide(np.einsum("qhd,khd->qk", q, k) / np.sqrt(q.shape[-1]), p.mask))
    return np.einsum("qk,khd->qhd", weights, v).reshape(len(p.x), -1) @ p.w_o


@wrong(heads="several")
def sums_over_the_wrong_letter(p):
    """Compute multi-head attention on the inputs `p`, but give each token its own value, not a weighted sum of values.

    The code says `einsum("hqk,hqd->hqd")` instead of `einsum("hqk,hkd->hqd")`. It runs if there are as many queries
    as keys.
    """
    q, k, v = into_heads(p)
    return out_of_heads(np.einsum("hqk,hqd->hqd", weights_of(q, k, p), v), p)


@wrong(heads="several")
def compares_with_the_keys_of_all_heads(p):
    """Compute multi-head attention on the inputs `p`, but compare queries of a head with the sum of all heads' keys.

    The code says `einsum("qhd,kgd->hqk")` instead of `einsum("qhd,khd->hqk")`. Because of the letter g, the einsum
    adds up the heads of keys.
    """
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    scores = hide(np.einsum("qhd,kgd->hqk", q, k) / np.sqrt(q.shape[-1]), p.mask)
    return np.einsum("hqk,khd->qhd", softmax(scores), v).reshape(len(p.x), -1) @ p.w_o


@wrong(heads="several")
def transposes_the_weights_of_each_head(p):
    """Compute multi-head attention on the inputs `p`, but transpose the weights before multiplying them by the values.

    In the second einsum, the code says `hkq` instead of `hqk`.
    """
    q, k, v = into_heads(p)
    return out_of_heads(np.einsum("hkq,hkd->hqd", weights_of(q, k, p), v), p)


@wrong(heads="several")
def averages_the_weights_of_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but use the mean of the weights of all heads in every head.

    Some libraries return the averaged weights.
    """
    q, k, v = into_heads(p)
    return out_of_heads(weights_of(q, k, p).mean(axis=0) @ v, p)


@wrong(common=True, heads="several")
def computes_one_wide_head(p):
    """Compute multi-head attention on the inputs `p`, but as one head of the full width, without a split."""
    q, k, v = project(p)
    scores = np.where(mask_of(p), q @ k.T / np.sqrt(k.shape[-1]), -np.inf)
    return softmax(scores) @ v @ p.w_o


# This is mistake 5 in the list of the source: the heads are averaged instead of concatenated.
@wrong(
    common=True,
    heads="several",
    source="https://ttsugriy.github.io/llm-first-principles/stages/stage-05/common-mistakes",
)
def averages_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but return the mean of the heads instead of concatenating them.

    W^O is not used, because it does not fit the width of one head.
    """
    outs = []
    for q, k, v in zip(*into_heads(p), strict=True):
        outs.append(softmax(hide(q @ k.T / np.sqrt(k.shape[1]), p.mask)) @ v)
    return np.mean(outs, axis=0)


@wrong(heads="several")
def sums_the_heads(p):
    """Compute multi-head attention on the inputs `p`, but return the sum of the heads instead of concatenating them.

    W^O is not used.
    """
    return sum(weights_of(q, k, p) @ v for q, k, v in zip(*into_heads(p), strict=True))


@wrong(common=True, heads="several")
def answers_with_the_first_head(p):
    """Compute multi-head attention on the inputs `p`, but return the output of head 1 alone, without W^O."""
    q, k, v = (a[0] for a in into_heads(p))
    return weights_of(q, k, p) @ v
