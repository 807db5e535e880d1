"""Rarer mistakes in the encoding of positions: one position for all tokens, missing brackets, an odd width."""

from __future__ import annotations

from typing import Any

from attention_core.mistakes.engine.mistake import Concept
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake

ONE = "Each token has its own position, 0, 1, 2 …, and so its own row. Here, all rows are the same."
BRACKETS = "The exponent of a pair is the whole fraction 2i / d_model. Put this fraction in brackets."
STEP = "// rounds ln 10000 / d_model to a whole number. So the exponents are wrong, and the waves slow down too fast."
ODD = (
    "With an odd width, the last cosine is missing. This page divides by the next even width, and many programs "
    "divide by the odd width. Both are in use."
)
COUNTED = (
    "The formula divides 2i by d_model. The first programs with this encoding divide i by d_model / 2 − 1, so the "
    "last pair has the exponent 1. Both are in use, and their numbers differ."
)
_WHOLE = "angles = positions[:, None] * np.exp(exponents * even * ({}))"


def has_odd_width(trace: Any) -> bool:
    """Return whether the encoding of a trace has an odd number of columns."""
    return bool(trace.encoding.shape[-1] % 2)


def has_two_pairs(trace: Any) -> bool:
    """Return whether the encoding of a trace has more than one pair of columns."""
    return bool(trace.encoding.shape[-1] > 2)


WAVES: tuple[tuple[str, str, str, str, str], ...] = (
    ("angles", "position_of_the_first_for_all", "All tokens have position 0", "angles = angles[:1] + 0 * angles", ONE),
    ("angles", "position_of_the_second_for_all", "All tokens have position 1", "angles = angles[1:2] + 0 * angles",
        ONE),
    ("angles", "position_of_the_last_for_all", "All tokens have the last position", "angles = angles[-1:] + 0 * angles",
        ONE),
    ("angles", "number_of_tokens_for_all", "All tokens have the number of tokens as their position",
        "angles = n * base ** -exponents + 0 * angles", ONE),
    ("angles", "step_halved_in_whole_numbers", "The code has / d_model // 2 without brackets",
        _WHOLE.format("-np.log(base) / d_model // 2"), STEP),
    ("angles", "step_in_whole_numbers", "The code has // d_model, not / d_model",
        _WHOLE.format("-np.log(base) // d_model"),
        STEP),
    ("angles", "power_before_the_fraction", "The power comes before the fraction: pos / 10000 ** 2 * i / d_model",
        "angles = positions[:, None] / base ** 2 * (exponents * even / 2) / d_model", BRACKETS),
    ("angles", "width_after_the_power", "The width comes after the power: pos / 10000 ** (2 * i) / d_model",
        "angles = positions[:, None] / base ** (exponents * even) / d_model", BRACKETS),
    ("exponents", "exponent_always_one", "Exponent 1 for every pair", "exponents = 1 + 0 * exponents",
        "The exponent grows from pair to pair: 0, 2 / d_model, 4 / d_model … Here, it is 1 for all pairs."),
    ("exponents", "exponent_without_the_width", "The exponent is 2i, not divided by d_model",
        "exponents = exponents * even",
        BRACKETS),
)  # fmt: skip


def wrong_waves() -> RareMistakes:
    """Return the mistakes that compute the sinusoidal encoding of positions in a wrong way."""
    concept: Concept = "positional_encoding"
    return (
        *(diagnosis_mistake(stage, name, title, code, why, concept=concept) for stage, name, title, code, why in WAVES),
        diagnosis_mistake(
            "exponents", "exponent_of_an_odd_width", "The exponent is divided by the odd width",
            "exponents = exponents * even / d_model", ODD, concept=concept, shows=has_odd_width,
            needs="It takes an odd width.",
        ),
        diagnosis_mistake(
            "exponents", "exponent_to_one", "The exponent is i / (d_model / 2 − 1), up to 1",
            "exponents = exponents * even / (even - 2)", COUNTED, concept=concept, shows=has_two_pairs,
            needs="It takes more than one pair of columns.",
        ),
    )  # fmt: skip
