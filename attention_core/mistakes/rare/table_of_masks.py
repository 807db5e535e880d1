"""The table of wrong masks: transposed, shifted, off by one, or a mask where none is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from attention_core.mistakes.engine.mistake import has_mask
from attention_core.mistakes.rare.entry import shows_always
from attention_core.mistakes.without_switch.masks import is_causal
from attention_core.mistakes.without_switch.projection import has_context

TRI = "np.tri(len(x), len(context), {}, dtype=bool)"
TURNED = (
    "A row of the mask belongs to a query, and a column to a key. Your mask is transposed, mirrored or shifted, so "
    "it hides the wrong keys."
)
OTHER = "This is not the mask of the task. So some tokens "
HIDES = OTHER + "do not attend to tokens that they should see."
SHOWS = OTHER + "attend to tokens that should be hidden."
NOT_ASKED = OTHER + "attend to tokens that should be hidden, or do not attend to tokens that they should see."


def is_not_causal(trace: Any) -> bool:
    """Return whether a trace has no mask, or a mask that is not causal."""
    return not is_causal(trace)


def has_other_mask(trace: Any) -> bool:
    """Return whether a trace has a mask that is not causal."""
    return has_mask(trace) and not is_causal(trace)


@dataclass(frozen=True, slots=True)
class OtherMask:
    """A wrong mask, used in place of the correct mask. Its `code` computes which tokens may attend to which."""

    name: str
    title: str
    code: str
    shows: Callable[[Any], bool]
    has_variants: bool = False  # whether mistakes also set hidden scores to 0, or apply this mask after the softmax
    is_named: bool = False  # whether another file has the mistake that sets hidden scores to −∞ by this mask
    why: str = TURNED


_EYE, _BAND = "np.eye(len(x), len(context), dtype=bool)", f"{TRI.format(1)} & ~{TRI.format(-2)}"
_SOME = "(np.arange(len(context)) %s)"
OTHERS: tuple[OtherMask, ...] = (
    OtherMask("turned", "The mask is transposed", "allowed.T", has_mask, is_named=True),
    OtherMask("without_itself", "The causal mask also hides the token itself", TRI.format(-1), is_causal,
        is_named=True),
    OtherMask("one_too_far", "The causal mask also shows the next token", TRI.format(1), is_causal, is_named=True),
    OtherMask("mirrored", "The mask is mirrored", "allowed[..., ::-1]", has_mask),
    OtherMask("upside_down", "The mask is upside down", "allowed[..., ::-1, :]", has_mask),
    OtherMask("rotated", "The mask is turned by half", "allowed[..., ::-1, ::-1]", has_other_mask),
    OtherMask("of_the_first_row", "The first row of the mask is used for all rows", "allowed[..., :1, :]", has_mask),
    OtherMask("of_the_last_row", "The last row of the mask is used for all rows", "allowed[..., -1:, :]",
        has_other_mask),
    OtherMask("one_column_right", "The mask is one column too far to the right", "np.roll(allowed, 1, axis=-1)",
        has_mask),
    OtherMask("one_column_left", "The mask is one column too far to the left", "np.roll(allowed, -1, axis=-1)",
        has_mask),
    OtherMask("one_row_down", "The mask is one row too low", "np.roll(allowed, 1, axis=-2)", has_mask),
    OtherMask("one_row_up", "The mask is one row too high", "np.roll(allowed, -1, axis=-2)", has_mask),
    OtherMask("symmetric", "The mask hides in both directions", "allowed & allowed.T", has_other_mask),
    OtherMask("turned_and_mirrored", "The mask is transposed and mirrored", "allowed.T[..., ::-1]", has_other_mask),
    OtherMask("forbidden_transposed", "The mask is inverted and transposed", "~allowed.T", has_other_mask),
    OtherMask("along_the_queries", "The mask hides queries, not keys",
        "np.broadcast_to(allowed[..., -1, : len(x), None], (len(x), len(context)))", has_other_mask),
    OtherMask("causal_alone", "A causal mask is used in place of the mask of the task", TRI.format(0), has_other_mask,
        why=NOT_ASKED),
    OtherMask("causal", "A causal mask is used that the task does not have", f"allowed & {TRI.format(0)}",
        is_not_causal, True,
        why=HIDES),
    OtherMask("future_alone", "The mask shows each token only itself and later tokens", f"~{TRI.format(-1)}",
        is_not_causal, why=NOT_ASKED),
    OtherMask("strict_future", "The mask shows each token only later tokens", f"~{TRI.format(0)}", is_not_causal,
        why=NOT_ASKED),
    OtherMask("strict_past", "The mask shows each token only earlier tokens", f"allowed & {TRI.format(-1)}",
        is_not_causal, why=HIDES),
    OtherMask("one_too_many", "A causal mask, shifted by one, is used that the task does not have",
        f"allowed & {TRI.format(1)}",
        is_not_causal, why=HIDES),
    OtherMask("two_ahead", "The causal mask also shows the next two tokens", TRI.format(2), shows_always,
        why=NOT_ASKED),
    OtherMask("causal_at_the_end", "The causal mask ends with the last key",
        "np.tri(len(x), len(context), len(context) - len(x), dtype=bool)", has_context, why=NOT_ASKED),
    OtherMask("itself_hidden", "The mask hides each token from itself", f"allowed & ~{_EYE}", is_not_causal,
        why=HIDES),
    OtherMask("neighbours", "The mask shows each token only itself and "
                            "its neighbours", f"allowed & {_BAND}", is_not_causal, why=HIDES),
    OtherMask("window", "The mask shows each token only itself and the "
                        "token before it", f"allowed & {TRI.format(0)} & ~{TRI.format(-2)}", shows_always, why=HIDES),
    OtherMask("window_alone", "The mask of the task is missing, and each token sees "
                              "only itself and the token before it",
        f"{TRI.format(0)} & ~{TRI.format(-2)}", has_other_mask, why=NOT_ASKED),
    OtherMask("last_key_hidden", "The last key is hidden", f"allowed & {_SOME % '< len(context) - 1'}", shows_always,
        why=HIDES),
    OtherMask("first_key_hidden", "The first key is hidden", f"allowed & {_SOME % '> 0'}", shows_always, why=HIDES),
    OtherMask("last_query_free", "The last row is not masked",
        "allowed | np.reshape(np.arange(len(x)) == len(x) - 1, (-1, 1))", has_mask, why=SHOWS),
    OtherMask("first_query_free", "The first row is not masked",
        "allowed | np.reshape(np.arange(len(x)) == 0, (-1, 1))", has_mask,
        why=SHOWS),
    OtherMask("last_key_free", "The last key is not masked", f"allowed | {_SOME % '== len(context) - 1'}", has_mask,
        why=SHOWS),
    OtherMask("first_key_free", "The first key is not masked", f"allowed | {_SOME % '== 0'}", has_mask, why=SHOWS),
    OtherMask("of_the_first_query_alone", "Only the first row is masked",
        "allowed | np.reshape(np.arange(len(x)) != 0, (-1, 1))", has_mask, why=SHOWS),
    OtherMask("of_the_last_query_alone", "Only the last row is masked",
        "allowed | np.reshape(np.arange(len(x)) != len(x) - 1, (-1, 1))", has_other_mask, why=SHOWS),
    OtherMask("in_halves", "The mask shows each half of the tokens only itself",
        "allowed & np.equal.outer(2 * np.arange(len(x)) < len(x), 2 * np.arange(len(context)) < len(context))",
        shows_always,
        why=HIDES),
    OtherMask("itself_free", "The diagonal is not masked", f"allowed | {_EYE}", has_mask, why=SHOWS),
)  # fmt: skip
