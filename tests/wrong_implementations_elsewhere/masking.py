"""Mistakes with a mask, in one head and in several heads. True in a mask means that the query may attend to the key."""

import numpy as np

from wrong_implementations.parts import project, softmax

from .record import wrong
from .right import into_heads, out_of_heads, scaled_scores_of

FAR = -1e9  # most code writes this number in place of minus infinity


def triangle(p, k):
    """Return a square matrix for the tokens of `p` that is True up to the diagonal number `k`, and False above it.

    Raises: ValueError if `p` has a context, because then x does not attend to itself.
    """
    if p.context is not None:
        raise ValueError("a causal mask needs tokens that attend to themselves; got a context: leave it out.")
    return np.tri(len(p.x), k=k, dtype=bool)


@wrong(common=True, needs="mask", part="hide")
def ignores_the_mask(scores, mask):
    """Return the scores as they are, without using the mask."""
    return scores


@wrong(common=True, needs="mask", source="https://github.com/georg-wolflein/good-features/pull/1", part="hide")
def multiplies_the_scores_by_the_mask(scores, mask):
    """Multiply the scores by the mask instead of setting masked scores to minus infinity.

    A masked score becomes 0, and e^0 is 1, so a masked key still gets a weight.
    """
    return scores * mask


@wrong(common=True, needs="mask", source="https://github.com/huggingface/pytorch-image-models/pull/2236")
def masks_behind_the_softmax(p):
    """Compute attention on the inputs `p`, but apply the mask to the weights after the softmax, not to the scores.

    The weights of a row then no longer add up to 1.
    """
    q, k, v = project(p)
    e = np.exp(q @ k.T / np.sqrt(k.shape[-1]))
    attn = e / e.sum(axis=-1, keepdims=True)
    attn[~p.mask] = 0
    return attn @ v


@wrong(common=True, needs="mask", source="https://github.com/rasbt/LLMs-from-scratch/pull/1062", part="hide")
def turns_the_mask_round(scores, mask):
    """Hide the scores where the mask is True instead of where it is False."""
    return np.where(mask, FAR, scores)


@wrong(common=True, needs="mask", source="https://github.com/pbloem/former/issues/10")
def hides_the_diagonal_too(p):
    """Compute causal attention on the inputs `p`, but let no token attend to itself, so the first token sees nothing.

    The code calls `triu` without `k=1`.
    """
    q, k, v = project(p)
    scores = scaled_scores_of(q, k, p)
    for i in range(len(q)):
        for j in range(len(k)):
            if not triangle(p, -1)[i, j]:
                scores[i, j] = FAR
    return softmax(scores) @ v


@wrong(common=True, needs="mask", source="https://github.com/RVC-Boss/GPT-SoVITS/issues/965")
def sees_one_token_ahead(p):
    """Compute causal attention on the inputs `p`, but let each token also attend to the next token."""
    q, k, v = project(p)
    scores = q @ k.T / np.sqrt(k.shape[-1])
    scores[~triangle(p, 1)] = FAR
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ v


@wrong(common=True, needs="mask", source="https://github.com/karpathy/nanoGPT/issues/170")
def keeps_the_upper_triangle(p):
    """Compute causal attention on the inputs `p`, but let each token attend to itself and the future, not the past.

    The code uses `triu` instead of `tril`.
    """
    q, k, v = project(p)
    return softmax(np.where(triangle(p, 0).T, scaled_scores_of(q, k, p), FAR)) @ v


@wrong(common=True, needs="mask", source="https://github.com/huggingface/diffusers/issues/14342", part="hide")
def adds_the_mask_as_numbers(scores, mask):
    """Add the mask to the scores as 1 (True) and 0 (False), instead of setting masked scores to minus infinity."""
    return scores + mask


@wrong(needs="mask")
def writes_minus_one_for_minus_infinity(p):
    """Compute attention on the inputs `p`, but set masked scores to -1 instead of minus infinity."""
    q, k, v = project(p)
    return softmax(np.where(p.mask, scaled_scores_of(q, k, p), -1)) @ v


@wrong(common=True, heads="several", needs="mask", source="https://github.com/awslabs/gluonts/pull/1401")
def fills_with_a_tiny_number(p):
    """Compute multi-head attention on the inputs `p`, but set masked scores to 1e-9 instead of -1e9.

    So a masked key has a score of about 0, and still gets a weight.
    """
    q, k, v = into_heads(p)
    energy = np.einsum("hqd,hkd->hqk", q, k) / np.sqrt(q.shape[-1])
    energy[:, ~p.mask] = 1e-9
    return out_of_heads(np.einsum("hqk,hkd->hqd", softmax(energy), v), p)


@wrong(common=True, heads="several", needs="mask")
def ignores_the_mask_in_each_head(p):
    """Compute multi-head attention on the inputs `p`, but do not use the mask in the loop over the heads."""
    outs = []
    for q, k, v in zip(*into_heads(p), strict=True):
        outs.append(softmax(q @ k.T / np.sqrt(k.shape[1])) @ v)
    return np.concatenate(outs, axis=1) @ p.w_o


@wrong(common=True, heads="several", needs="mask", source="https://github.com/InseeFrLab/torchTextClassifiers/pull/92")
def turns_the_mask_round_in_each_head(p):
    """Compute multi-head attention on the inputs `p`, but hide what the mask allows, and allow what the mask hides."""
    q, k, v = into_heads(p)
    att = q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1])
    return out_of_heads(softmax(np.where(~p.mask, att, FAR)) @ v, p)


@wrong(common=True, heads="several", needs="mask")
def masks_behind_the_softmax_of_each_head(p):
    """Compute multi-head attention on the inputs `p`, but multiply the weights by the mask after the softmax.

    Correct is to set masked scores to minus infinity before the softmax.
    """
    q, k, v = into_heads(p)
    att = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(k.shape[-1]))
    return out_of_heads(att * p.mask @ v, p)


@wrong(heads="several", needs="mask")
def masks_the_first_head_alone(p):
    """Compute multi-head attention on the inputs `p`, but apply the mask to head 1 alone."""
    q, k, v = into_heads(p)
    att = scaled_scores_of(q, k, p)
    att[0][~p.mask] = -np.inf
    return out_of_heads(softmax(att) @ v, p)
