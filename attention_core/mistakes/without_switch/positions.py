"""Mistakes in the encoding of positions that the diagnosis names: in the exponent, the angle, the waves or the sum."""

from __future__ import annotations

from typing import Any

from attention_core.mistakes.engine.mistake import Mistake

EXPONENT = (
    "The exponent of a pair is 2i / d_model, where i is the number of the pair: 0, 1, 2 … You left out the factor 2."
)
SUM = "First the embedding is multiplied by the square root of d_model. Then the encoding is added to it."


def _wave_mistake(name: str, title: str, code: str, why: str, stage: Any, *sources: str) -> Mistake[Any]:
    return Mistake(
        name=name, concept="positional_encoding", stage=stage, title=title, code=code, why=why, sources=sources,
        needs="Add the encoding to embeddings." * (stage == "positioned"),
    )  # fmt: skip


WAVE_MISTAKES: tuple[Mistake[Any], ...] = (
    _wave_mistake(
        "exponent_halved", "The exponent is i / d_model, not 2i / d_model", "exponents = exponents / 2", EXPONENT,
            "exponents"
    ),
    _wave_mistake(
        "exponent_cut_to_whole_numbers", "The exponent uses // and not /",
        "exponents = (np.arange(d_model) - np.arange(d_model) % 2)[None] // even",
        "// rounds down to a whole number, so every exponent is 0, and all waves have the same length.", "exponents",
        "Kyubyong/transformer#81",
    ),
    _wave_mistake(
        "positions_from_one", "The positions are counted from 1",
            "angles = (positions[:, None] + 1) * base ** -exponents",
        "The first token has the position 0. You began with 1.", "angles",
    ),
    _wave_mistake(
        "logarithm_to_base_ten", "The logarithm is log₁₀, not ln",
        "angles = positions[:, None] * np.exp(-exponents * np.log10(base))",
        "exp is the inverse of the natural logarithm ln. With log₁₀, the waves of later pairs are too fast.", "angles",
    ),
    _wave_mistake(
        "exponent_positive", "The positions are multiplied by the power of 10000",
            "angles = positions[:, None] * base ** exponents",
        "You multiplied the position by the power. Divide by it instead, so that later pairs turn more "
        "slowly.", "angles",
        "harvardnlp/annotated-transformer#131",
    ),
    _wave_mistake(
        "whole_turns_for_radians", "The angles are multiplied by 2π", "angles = 2 * np.pi * angles",
        "In the paper, the angle is the position divided by the power, in radians. It has no factor π.", "angles",
    ),
    _wave_mistake(
        "sine_and_cosine_swapped", "Sine and cosine are swapped",
        "sinusoidal = np.where(np.arange(d_model) % 2 == 0, np.cos(angles), np.sin(angles))",
        "Counted from 0, the even columns are sines and the odd columns are cosines.", "encoding",
    ),
    _wave_mistake(
        "sines_alone", "Every column has a sine", "sinusoidal = np.sin(angles)",
        "The odd columns should be cosines. With only sines, both columns of a pair are the same.", "encoding",
    ),
    _wave_mistake(
        "positions_multiplied", "The embedding is multiplied by the encoding",
            "positioned = x * np.sqrt(d_model) * sinusoidal", SUM,
        "positioned",
    ),
    _wave_mistake(
        "positions_multiplied_unscaled", "The embedding is multiplied by the encoding, without √d_model",
            "positioned = x * sinusoidal",
        SUM, "positioned",
    ),
    _wave_mistake(
        "root_after_the_sum", "The product with √d_model comes after the sum",
            "positioned = (x + sinusoidal) * np.sqrt(d_model)", SUM,
        "positioned",
    ),
    _wave_mistake(
        "embedding_divided", "The embedding is divided by √d_model", "positioned = x / np.sqrt(d_model) + sinusoidal",
            SUM,
        "positioned",
    ),
    _wave_mistake(
        "positions_appended", "The encoding is put beside the embedding",
        "positioned = np.concatenate([x * np.sqrt(d_model), sinusoidal], axis=1)", SUM, "positioned",
    ),
)  # fmt: skip
