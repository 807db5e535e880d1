"""Mistakes with a mask, in one head and in several."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import wrong
from .right import into_heads, out_of_heads, unmasked

FAR = -1e9  # what most code writes for minus infinity


def triangle(p, k):
    """Return the lower triangle of True up to diagonal k. Raises: ValueError if x does not attend to itself."""
    if p.context is not None:
        raise ValueError("a causal mask needs tokens that attend to themselves; got a context: leave it out.")
    return np.tri(len(p.x), k=k, dtype=bool)


@wrong(common=True, needs="mask", part="hide")
def ignores_the_mask(scores, mask):
    """The mask is passed on and never used."""
    return scores


@wrong(common=True, needs="mask", source="https://github.com/georg-wolflein/good-features/pull/1", part="hide")
def multiplies_the_scores_by_the_mask(scores, mask):
    """Hidden scores become 0, and e to the power of 0 is 1."""
    return scores * mask


@wrong(common=True, needs="mask", source="https://github.com/huggingface/pytorch-image-models/pull/2236")
def masks_behind_the_softmax(p):
    """The mask sets weights to 0 when the softmax is done; the rest no longer sums to 1."""
    q, k, v = project(p)
    e = np.exp(q @ k.T / np.sqrt(k.shape[-1]))
    attn = e / e.sum(axis=-1, keepdims=True)
    attn[~p.mask] = 0
    return attn @ v


@wrong(common=True, needs="mask", source="https://github.com/rasbt/LLMs-from-scratch/pull/1062", part="hide")
def turns_the_mask_round(scores, mask):
    """True is read as hidden."""
    return np.where(mask, FAR, scores)


@wrong(common=True, needs="mask", source="https://github.com/pbloem/former/issues/10")
def hides_the_diagonal_too(p):
    """`triu` without `k=1`: a token may not look at itself either, and the first one sees nothing."""
    q, k, v = project(p)
    scores = unmasked(q, k, p)
    for i in range(len(q)):
        for j in range(len(k)):
            if not triangle(p, -1)[i, j]:
                scores[i, j] = FAR
    return softmax(scores) @ v


@wrong(common=True, needs="mask", source="https://github.com/RVC-Boss/GPT-SoVITS/issues/965")
def sees_one_token_ahead(p):
    """The causal mask begins one diagonal too late."""
    q, k, v = project(p)
    scores = q @ k.T / np.sqrt(k.shape[-1])
    scores[~triangle(p, 1)] = FAR
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


@wrong(common=True, needs="mask", source="https://github.com/karpathy/nanoGPT/issues/170")
def keeps_the_upper_triangle(p):
    """`triu` for `tril`: each token sees itself and the future."""
    q, k, v = project(p)
    return softmax(np.where(triangle(p, 0).T, unmasked(q, k, p), FAR)) @ v


@wrong(common=True, needs="mask", source="https://github.com/huggingface/diffusers/issues/14342", part="hide")
def adds_the_mask_as_numbers(scores, mask):
    """The mask of True and False is added to the scores, as 1 and 0."""
    return scores + mask


@wrong(needs="mask")
def writes_minus_one_for_minus_infinity(p):
    """Hidden scores become -1."""
    q, k, v = project(p)
    return softmax(np.where(p.mask, unmasked(q, k, p), -1)) @ v


@wrong(common=True, heads="several", needs="mask", source="https://github.com/awslabs/gluonts/pull/1401")
def fills_with_a_tiny_number(p):
    """`masked_fill(mask == 0, 1e-9)` for -1e9: what is hidden has a score of about 0."""
    q, k, v = into_heads(p)
    energy = np.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1])
    energy[:, ~p.mask] = 1e-9
    return out_of_heads(np.einsum("hqk,hkd->hqd", softmax(energy), v), p)


@wrong(common=True, heads="several", needs="mask")
def ignores_the_mask_in_each_head(p):
    """The loop over the heads has no mask."""
    outs = []
    for q, k, v in zip(*into_heads(p), strict=True):
        outs.append(softmax(q @ k.T / np.sqrt(k.shape[1])) @ v)
    return np.concatenate(outs, axis=1) @ p.w_o


@wrong(common=True, heads="several", needs="mask", source="https://github.com/InseeFrLab/torchTextClassifiers/pull/92")
def turns_the_mask_round_in_each_head(p):
    """A mask that says what to hide is used as one that says what to keep."""
    q, k, v = into_heads(p)
    att = q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1])
    return out_of_heads(softmax(np.where(~p.mask, att, FAR)) @ v, p)


@wrong(common=True, heads="several", needs="mask")
def masks_behind_the_softmax_of_each_head(p):
    """Softmax first, then `att * mask`."""
    q, k, v = into_heads(p)
    att = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1]))
    return out_of_heads(att * p.mask @ v, p)


@wrong(heads="several", needs="mask")
def masks_the_first_head_alone(p):
    """The mask is laid on head 1, and the others see everything."""
    q, k, v = into_heads(p)
    att = unmasked(q, k, p)
    att[0][~p.mask] = -np.inf
    return out_of_heads(softmax(att) @ v, p)
