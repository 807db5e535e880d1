"""Mistakes in ALiBi, which lowers scores by distance: in its sign, slopes or distances, or at a wrong step."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.mistakes.engine.further_pipelines import pipeline_with
from attention_core.mistakes.engine.named_traces import inner_of, places_of
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake, shows_always
from attention_core.mistakes.rare.rotations import CACHE, NEEDS_CACHE, first_query_is_later

FORGOTTEN = "ALiBi subtracts the slope of the head times the distance of the two tokens from each scaled score."
SIGN = "Subtract the distance, so that near tokens count more. If you add it, far tokens count more."
SLOPES = (
    "The slopes of n heads are 2^(−8h / n) for h = 1 … n. Counted from 0, the first slope is 1, and every head has the "
    "slope of the head before it."
)
OF_THE_HEAD = "Each head has a slope of its own: 2^(−8h / n) for h = 1 … n."
EIGHT = "The slopes are ½, ¼, ⅛ … only with 8 heads. With n heads they are 2^(−8h / n), h = 1 … n."
POWER = (
    "If the number of heads is no power of 2, the published slopes are those of the power of 2 below it, and then "
    "every other slope of the power above. Some programs take the plain formula: both are in use."
)
AFTER = "Add the bias after the division by √d_k."
ABSOLUTE = "A distance has no sign. With i − j, a later token gets a higher score instead of a lower one."
COLUMNS = (
    "The slope times the position of the key gives the same weights only with a causal mask. Without one, later "
    "tokens get a higher score instead of a lower one."
)
SOFTMAX = "Add the bias to the scores, before the softmax. After the softmax, the weights do not add up to 1."
ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("alibi_left_out", "The positions are missing: ALiBi is left out", "biased = scaled", FORGOTTEN),
    ("alibi_added", "The distance is added, not subtracted", "bias = -bias", SIGN),
    ("alibi_slopes_from_nought", "The slopes are counted from 0: the first slope is 1",
        "slopes = 2.0 ** (-8 * np.arange(len(slopes)) / len(slopes))", SLOPES),
    ("alibi_without_slopes", "The distance has no slope", "slopes = 1 + 0 * slopes", OF_THE_HEAD),
    ("alibi_before_scaling", "The distance is subtracted before the scores are divided",
        "biased = (scores + bias) / np.sqrt(d_k)", AFTER),
    ("alibi_after_softmax", "The bias is added to the weights",
        "biased = scaled\nweights = softmax(masked) + np.where(allowed, bias, 0)", SOFTMAX),
    ("alibi_added_twice", "The bias is added twice", "biased = scaled + 2 * bias", FORGOTTEN),
)  # fmt: skip
OF_SLOPES: tuple[tuple[str, str, str, str], ...] = (
    ("alibi_slopes_in_reverse", "The slopes of the heads are in reverse order", "slopes = slopes[::-1]", OF_THE_HEAD),
    ("alibi_slope_of_the_first", "All heads use the slope of the first head", "slopes = slopes[:1] + 0 * slopes",
        OF_THE_HEAD),
    ("alibi_slope_of_the_next", "Each head uses the slope of the next head", "slopes = np.roll(slopes, -1)",
        OF_THE_HEAD),
    ("alibi_slopes_of_eight_heads", "The slopes are those of eight heads: ½, ¼, ⅛ …",
        "slopes = 2.0 ** -(1.0 + np.arange(len(slopes)))", EIGHT),
)  # fmt: skip
_SIGNED = "bias = -of_own_head(slopes) * (query_places[:, None] - key_places)"
_OF_KEYS = "bias = of_own_head(slopes) * (key_places + 0 * query_places[:, None])"
_FROM_NOUGHT = "bias = -of_own_head(slopes) * np.abs(np.arange(len(query_places))[:, None] - key_places)"


def has_slopes(trace: Any) -> bool:
    """Return whether a trace uses ALiBi with several heads, so that the heads have different slopes."""
    places = places_of(trace)
    return places is not None and len(places.slopes) > 1


def has_slopes_beyond_power_of_two(trace: Any) -> bool:
    """Return whether a trace uses ALiBi with several heads, and their number is not a power of 2."""
    return has_slopes(trace) and bool((n := len(trace.places.slopes)) & (n - 1))


def sees_later_tokens(trace: Any) -> bool:
    """Return whether a query of a trace with positions attends to a later key."""
    places = places_of(trace)
    if places is None:
        return False
    seen = np.isfinite(inner_of(trace).masked)
    return bool((seen & (places.keys > places.queries[:, None])).any())


def wrong_distances() -> RareMistakes:
    """Return the mistakes in ALiBi, which lowers each score by the distance of the two tokens."""
    sees_later = (sees_later_tokens, "It takes a query that attends to a later token.")
    rows = (
        *((row, shows_always, "") for row in ROWS),
        *((row, has_slopes, "It takes the slopes of several heads.") for row in OF_SLOPES),
        (
            ("alibi_plain_formula", "The plain formula of the slopes, 2^(−8h / n), for a number that is no power of 2",
                "slopes = 2.0 ** (-8 * (1 + np.arange(len(slopes))) / len(slopes))", POWER),
            has_slopes_beyond_power_of_two, "It takes a number of heads that is no power of 2.",
        ),
        (("alibi_signed", "The distance has a sign", _SIGNED, ABSOLUTE), *sees_later),
        (("alibi_of_keys", "The position of the key is used in place of the distance", _OF_KEYS, COLUMNS), *sees_later),
        (
            ("alibi_cache_forgotten", "The distances are counted as if new queries stood at position 0", _FROM_NOUGHT,
                CACHE),
            first_query_is_later, NEEDS_CACHE,
        ),
    )  # fmt: skip
    return tuple(
        diagnosis_mistake(
            "masked", name, title, code, why, concept="positional_encoding", shows=shows, needs=needs,
            edits=pipeline_with("alibi"),
        )
        for (name, title, code, why), shows, needs in rows
    )  # fmt: skip
