"""Mistakes in the scores, the weights and the weighted sums of several heads."""

import numpy as np

from wrong_implementations.parts import hide, project, softmax

from .record import wrong
from .right import into_heads, out_of_heads, seen, unmasked, weigh


@wrong(common=True, heads="several", source="https://github.com/karpathy/ng-video-lecture/pull/6")
def scales_by_the_width_of_the_model(p):
    """The root of the width of x divides the scores of each head."""
    q, k, v = into_heads(p)
    wei = hide(q @ k.transpose(0, 2, 1) * p.x.shape[1] ** -0.5, p.mask)
    return out_of_heads(softmax(wei) @ v, p)


@wrong(common=True, heads="several", source="https://github.com/aladdinpersson/Machine-Learning-Collection/issues/65")
def scales_by_the_width_of_all_heads(p):
    """The root of the width of all queries divides the scores, and not that of one head."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    energy = np.einsum("qhd,khd->hqk", q, k) / (p.w_q.shape[1] ** (1 / 2))
    return np.einsum("hql,lhd->qhd", softmax(hide(energy, p.mask)), v).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def forgets_the_scale_in_each_head(p):
    """The scores of each head are divided by nothing."""
    outs = []
    for q, k, v in zip(*into_heads(p), strict=True):
        outs.append(softmax(hide(q @ k.T, p.mask)) @ v)
    return np.concatenate(outs, axis=-1) @ p.w_o


@wrong(common=True, heads="several", source="https://github.com/esceptico/perceiver-io/issues/9")
def divides_by_what_divides_already(p):
    """`scale = d ** -0.5`, and then `scores / scale`."""
    q, k, v = into_heads(p)
    factor = q.shape[-1] ** -0.5
    return out_of_heads(softmax(hide(q @ k.swapaxes(1, 2) / factor, p.mask)) @ v, p)


@wrong(
    common=True, heads="several", source="https://github.com/jadore801120/attention-is-all-you-need-pytorch/issues/52"
)
def goes_over_the_heads(p):
    """The softmax runs over the first axis, which is that of the heads."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in project(p))
    e = np.exp(q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1]))
    weights = e / e.sum(axis=0) * seen(p)
    return (weights @ v).transpose(1, 0, 2).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several", source="https://github.com/nerminnuraydogan/vision-transformer/issues/1")
def goes_over_the_queries(p):
    """`softmax(dim=1)` in an array (h, n, m): each key shares itself out over the queries."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    e = np.exp(hide(np.einsum("qhd,khd->hqk", q, k) / np.sqrt(q.shape[-1]), p.mask))
    weights = e / e.sum(axis=1, keepdims=True)
    return np.einsum("hqk,khd->qhd", weights, v).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def sums_over_all_heads_and_cells(p):
    """`np.exp(s) / np.sum(np.exp(s))` over the whole array of all heads."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1).transpose(1, 0, 2) for a in project(p))
    e = np.exp(hide(q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1]), p.mask))
    return (e / np.sum(e) @ v).transpose(1, 0, 2).reshape(len(p.x), -1) @ p.w_o


@wrong(common=True, heads="several")
def forgets_the_softmax_in_each_head(p):
    """The scaled scores of each head weigh the values."""
    outs = [(unmasked(q, k, p) * seen(p)) @ v for q, k, v in zip(*into_heads(p), strict=True)]
    return np.hstack(outs) @ p.w_o


@wrong(common=True, heads="several")
def swaps_query_and_key_in_each_head(p):
    """`k @ q.T` in the loop over the heads."""
    outs = []
    for q, k, v in zip(*into_heads(p), strict=True):
        outs.append(softmax(hide(k @ q.T / np.sqrt(q.shape[1]), p.mask)) @ v)
    return np.concatenate(outs, axis=-1) @ p.w_o


@wrong(common=True, heads="several")
def forgets_the_head_in_the_einsum(p):
    """`qhd,khd->qk` sums over the heads, and all share one matrix of weights."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    weights = softmax(hide(np.einsum("qhd,khd->qk", q, k) / np.sqrt(q.shape[-1]), p.mask))
    return np.einsum("qk,khd->qhd", weights, v).reshape(len(p.x), -1) @ p.w_o


@wrong(heads="several")
def sums_over_the_wrong_letter(p):
    """`hqk,hqd->hqd` runs where queries and keys are as many: each token gets its own value back."""
    q, k, v = into_heads(p)
    return out_of_heads(np.einsum("hqk,hqd->hqd", weigh(q, k, p), v), p)


@wrong(heads="several")
def compares_with_the_keys_of_all_heads(p):
    """`qhd,kgd->hqk` has a letter of its own for the heads of the keys, and sums over it."""
    q, k, v = (a.reshape(len(a), p.n_heads, -1) for a in project(p))
    scores = hide(np.einsum("qhd,kgd->hqk", q, k) / np.sqrt(q.shape[-1]), p.mask)
    return np.einsum("hqk,khd->qhd", softmax(scores), v).reshape(len(p.x), -1) @ p.w_o


@wrong(heads="several")
def transposes_the_weights_of_each_head(p):
    """`hkq` for `hqk` in the second einsum."""
    q, k, v = into_heads(p)
    return out_of_heads(np.einsum("hkq,hkd->hqd", weigh(q, k, p), v), p)


@wrong(heads="several")
def averages_the_weights_of_the_heads(p):
    """The weights are averaged over the heads, as some libraries return them, and used for each."""
    q, k, v = into_heads(p)
    return out_of_heads(weigh(q, k, p).mean(axis=0) @ v, p)


@wrong(common=True, heads="several")
def computes_one_wide_head(p):
    """The number of heads is never used: one head of full width, then W^O."""
    q, k, v = project(p)
    scores = np.where(seen(p), q @ k.T / np.sqrt(k.shape[-1]), -np.inf)
    return softmax(scores) @ v @ p.w_o


# Mistake 5 of the list: the heads are averaged, not put side by side.
@wrong(
    common=True,
    heads="several",
    source="https://ttsugriy.github.io/llm-first-principles/stages/stage-05/common-mistakes",
)
def averages_the_heads(p):
    """The mean over the heads, and no W^O, as it no longer fits."""
    outs = []
    for q, k, v in zip(*into_heads(p), strict=True):
        outs.append(softmax(hide(q @ k.T / np.sqrt(k.shape[1]), p.mask)) @ v)
    return np.mean(outs, axis=0)


@wrong(heads="several")
def sums_the_heads(p):
    """The sum over the heads, and no W^O."""
    return sum(weigh(q, k, p) @ v for q, k, v in zip(*into_heads(p), strict=True))


@wrong(common=True, heads="several")
def answers_with_the_first_head(p):
    """The answer of head 1, as if there were one."""
    q, k, v = (a[0] for a in into_heads(p))
    return weigh(q, k, p) @ v
