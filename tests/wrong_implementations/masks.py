"""Mistakes with the mask. True in a mask means that the query may attend to the key."""

import numpy as np

from .parts import hide
from .record import record

INF = np.inf


def zero_masked(weights, mask, p):
    """Set masked weights to 0 after the softmax, instead of masking the scores before it."""
    return weights if mask is None else weights * mask


def zero_masked_then_rows_to_one(weights, mask, p):
    """Set masked weights to 0 after the softmax, and divide each row by its sum, which gives the correct weights."""
    cut = zero_masked(weights, mask, p)
    return cut / cut.sum(-1, keepdims=True)


def zero_masked_then_columns_to_one(weights, mask, p):
    """Set masked weights to 0 after the softmax, and divide each column by its sum instead of each row."""
    cut = zero_masked(weights, mask, p)
    return cut / cut.sum(-2, keepdims=True)


def leave_unmasked(scaled, mask):
    """Return the scaled scores as they are, without using the mask."""
    return scaled


def record_mask(name, says, function, **more):
    """Add to `ALL` a mistake with the mask.

    `function` takes the scaled scores and the mask, and returns the masked scores. `says` describes the mistake, and
    `more` holds further arguments of `record`.
    """
    record(name, says, hide=function, needs="mask", **more)


record_mask(
    "mask_inverted",
    "The mask hides what may be seen.",
    lambda s, m: np.where(m, -INF, s),
    common=True,
    source="InseeFrLab/torchTextClassifiers#92; pytorch/pytorch#41508",
)
record_mask(
    "mask_transposed",
    "The mask is transposed, so that the past is hidden instead of the future.",
    lambda s, m: hide(s, m.T),
    common=True,
)
record_mask(
    "mask_ignored", "The mask is not used.", leave_unmasked, common=True, source="facebookresearch/xformers#103"
)
record(
    "mask_after_softmax",
    "Weights are set to zero after the softmax, and rows no longer sum to 1.",
    common=True,
    needs="mask",
    hide=leave_unmasked,
    after=zero_masked,
    source="huggingface/pytorch-image-models#2236",
)
record(
    "mask_after_softmax_renormalised",
    "Weights are set to zero after the softmax, and divided by their sums again: the result is right.",
    needs="mask",
    hide=leave_unmasked,
    after=zero_masked_then_rows_to_one,
    source="abisee/pointer-generator#88",
)
record(
    "mask_after_softmax_columns",
    "Weights are set to zero after the softmax, and divided by the column sums.",
    needs="mask",
    hide=leave_unmasked,
    after=zero_masked_then_columns_to_one,
)
record_mask(
    "zero_for_minus_infinity",
    "Hidden scores are set to zero instead of minus infinity.",
    lambda s, m: np.where(m, s, 0),
    common=True,
)
record_mask("scores_times_mask", "The scores are multiplied by the mask.", lambda s, m: s * m, common=True)
record_mask("mask_added", "The mask of zeros and ones is added to the scores.", lambda s, m: s + m, common=True)
record_mask("inverse_mask_added", "One is added to hidden scores.", lambda s, m: s + ~m)
record_mask("mask_subtracted", "One is subtracted from hidden scores.", lambda s, m: s - ~m, common=True)
record_mask(
    "minus_one_for_infinity", "Hidden scores are set to minus one.", lambda s, m: np.where(m, s, -1), common=True
)
record_mask(
    "tiny_number", "Hidden scores are set to -1e-9 instead of -1e9.", lambda s, m: np.where(m, s, -1e-9), common=True
)
record_mask(
    "plus_infinity",
    "Hidden scores are set to plus infinity.",
    lambda s, m: np.where(m, s, INF),
    common=True,
    source="lucidrains/memory-compressed-attention#2",
)
record_mask(
    "plus_large_number",
    "A large number is added to hidden scores instead of subtracted.",
    lambda s, m: s + ~m * 1e9,
    common=True,
)
record_mask(
    "minus_large_on_seen",
    "A large number is subtracted from the scores that may be seen.",
    lambda s, m: s - m * 1e9,
    common=True,
)
record_mask(
    "minus_ten", "Hidden scores are set to -10, which still lets a little through.", lambda s, m: np.where(m, s, -10)
)
record_mask(
    "minus_ten_thousand",
    "Hidden scores are set to -10000: the result is right here.",
    lambda s, m: np.where(m, s, -1e4),
    source="hyunwoongko/transformer#40",
)
record_mask(
    "infinity_times_mask",
    "Minus infinity is multiplied by the inverse mask, and 0 times infinity is not a number.",
    lambda s, m: s + ~m * -INF,
    common=True,
)
record_mask(
    "self_hidden",
    "The mask begins one too early, and hides the token itself.",
    lambda s, m: np.where(np.tril(m, -1), s, -INF),
    common=True,
    source="pbloem/former#10",
)
record_mask(
    "one_future_token_seen",
    "The mask begins one too late, and the next token is seen.",
    lambda s, m: np.where(m | np.eye(m.shape[0], m.shape[1], 1, dtype=bool), s, -INF),
    common=True,
)
record_mask(
    "first_row_of_mask", "The first row of the mask is used for every query.", lambda s, m: hide(s, m[0]), common=True
)
record_mask("last_row_of_mask", "The last row of the mask is used for every query.", lambda s, m: hide(s, m[-1]))
record_mask(
    "first_column_of_mask",
    "The mask is taken along the queries instead of the keys.",
    lambda s, m: hide(s, m[:, -1:]),
    common=True,
    source="hyunwoongko/transformer#40",
)
record_mask("mask_flipped", "The mask is mirrored from left to right.", lambda s, m: hide(s, m[:, ::-1]))
record_mask("mask_upside_down", "The rows of the mask are in the wrong order.", lambda s, m: hide(s, m[::-1]))
record_mask("mask_shifted_right", "The mask is one key too far to the right.", lambda s, m: hide(s, np.roll(m, 1, 1)))
record_mask("mask_shifted_down", "The mask is one query too late.", lambda s, m: hide(s, np.roll(m, 1, 0)), common=True)
record_mask("only_self_seen", "Each token sees only itself.", lambda s, m: hide(s, np.eye(*m.shape, dtype=bool)))
record_mask("hidden_scores_only_lowered", "Hidden scores are halved.", lambda s, m: np.where(m, s, s / 2))
record_mask("nan_for_infinity", "Hidden scores are set to nan.", lambda s, m: np.where(m, s, np.nan))
record_mask(
    "scores_shifted_by_minimum", "Hidden scores are set to the least score.", lambda s, m: np.where(m, s, s.min())
)
record_mask(
    "mask_as_index",
    "The mask is an array of integers, used as row numbers.",
    lambda s, m: s[m.astype(int)],
    common=True,
)
record(
    "mask_on_output",
    "Hidden queries, not keys, are set to zero in the output.",
    common=True,
    needs="mask",
    hide=leave_unmasked,
    finish=lambda o, p: o * p.mask[:, -1:],
)
record(
    "mask_before_large_scale",
    "The mask of -1e9 is added before scaling: the result is right.",
    needs="mask",
    scale=lambda s, q, k, p: (s - ~p.mask * 1e9) / np.sqrt(k.shape[-1]),
    hide=leave_unmasked,
)
record(
    "causal_always",
    "A causal mask is used though nobody asked for one.",
    common=True,
    hide=lambda s, m: np.where(np.tri(*s.shape, dtype=bool), s, -INF),
)
record(
    "last_key_always_hidden",
    "The last key is taken for padding.",
    common=True,
    hide=lambda s, m: hide(s, np.arange(s.shape[-1]) < s.shape[-1] - 1),
)
record(
    "window_of_one",
    "Only neighbours are seen.",
    hide=lambda s, m: np.where(abs(np.subtract.outer(range(len(s)), range(s.shape[1]))) < 2, s, -INF),
)
