"""Mistakes in the sinusoidal encoding: a misread index, a wrong unit of angles, a wrong order of columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive_integer
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.position_trace import PositionTrace
from attention_core.positions import frequencies

WRONG_BASE = 1000.0


def sinusoidal_doubled_exponent(n_positions: int, d_model: int, base: float = 10000.0) -> Array:
    """Return the sinusoidal encoding with an exponent that is twice the correct one.

    In the code, i = 0, 2, 4 … is already the 2i of the paper's formula, but the code multiplies i by 2 again.

    PE[pos, i] = sin(pos / base^(2i/d_model)), PE[pos, i+1] = cos(pos / base^(2i/d_model)) for i = 0, 2, 4 …

    Shapes: → (n_positions, d_model).
    Raises: ValueError for the same reasons as `sinusoidal`.
    Wrong:  it is the paper's formula with base². Sine and cosine still are pairs, so dot products depend on distance
            only, but the frequencies fall twice as fast, and the upper half of the columns hardly changes.
    Source: erratum 001-01.

    >>> sinusoidal_doubled_exponent(2, 4).round(4)[1]
    array([8.415e-01, 5.403e-01, 1.000e-04, 1.000e+00])
    """
    return doubled_exponent_at(_positions(n_positions), d_model, base)


def sinusoidal_shifted_cosine(n_positions: int, d_model: int, base: float = 10000.0) -> Array:
    """Return the sinusoidal encoding with a doubled exponent, and with the exponent of the next column for the cosine.

    PE[pos, i] = sin(pos / base^(2i/d_model)), PE[pos, i+1] = cos(pos / base^(2(i+1)/d_model)) for i = 0, 2, 4 …

    Shapes: → (n_positions, d_model).
    Raises: ValueError for the same reasons as `sinusoidal`.
    Wrong:  the sine and the cosine of a pair have different frequencies, so the dot product of two rows depends on
            their positions, not on their distance alone.
    Source: SamLynnEvans/Transformer#25, jadore801120/attention-is-all-you-need-pytorch#32, shenweichen/DeepCTR#379.

    >>> sinusoidal_shifted_cosine(2, 4).round(4)[1]
    array([8.415e-01, 1.000e+00, 1.000e-04, 1.000e+00])
    """
    return shifted_cosine_at(_positions(n_positions), d_model, base)


def doubled_exponent_at(positions: ArrayLike, d_model: int, base: float = 10000.0) -> Array:
    """Return the rows of `sinusoidal_doubled_exponent` for any positions.

    Shapes: positions (n,) → (n, d_model).
    Raises: ValueError for the same reasons as `sinusoidal_at`.
    """
    angles = floats("positions", positions)[:, None] * frequencies(d_model, base) ** 2
    return _interleave(np.sin(angles), np.cos(angles))


def shifted_cosine_at(positions: ArrayLike, d_model: int, base: float = 10000.0) -> Array:
    """Return the rows of `sinusoidal_shifted_cosine` for any positions.

    Shapes: positions (n,) → (n, d_model).
    Raises: ValueError for the same reasons as `sinusoidal_at`.
    """
    places, doubled = floats("positions", positions)[:, None], frequencies(d_model, base) ** 2
    next_column = doubled * float(base) ** (-2 / d_model)
    return _interleave(np.sin(places * doubled), np.cos(places * next_column))


def _positions(n_positions: int) -> Array:
    return np.arange(positive_integer("n_positions", n_positions), dtype=np.float64)


def _interleave(sines: Array, cosines: Array) -> Array:
    return np.stack([sines, cosines], axis=-1).reshape(len(sines), -1)


POSITION_MISTAKES: tuple[Mistake[PositionTrace], ...] = (
    Mistake(
        name="exponent_doubled",
        concept="positional_encoding",
        stage="exponents",
        title="The exponent is doubled",
        formula=r"\sin\!\left(pos / 10000^{2 \cdot 2i / d_{\text{model}}}\right)",
        code="exponents = 2 * exponents",
        why="If your loop counts 0, 2, 4 …, it already counts 2i. You doubled it again. So the waves of later pairs "
        "are too slow.",
        sources=("001-01",),
    ),
    Mistake(
        name="cosine_shifted",
        concept="positional_encoding",
        stage="exponents",
        title="The exponent is doubled, and the cosine is at 2(i+1)",
        formula=r"\cos\!\left(pos / 10000^{2(i+1) / d_{\text{model}}}\right), \; i = 0, 2, 4 \ldots",
        code="exponents = 2 * np.arange(d_model)[None] / even",
        why="The sine and the cosine of a pair must have the same frequency. With two frequencies, the dot product of "
        "two rows depends on their positions, and not only on their distance.",
        sources=(
            "SamLynnEvans/Transformer#25",
            "jadore801120/attention-is-all-you-need-pytorch#32",
            "shenweichen/DeepCTR#379",
        ),
    ),
    Mistake(
        name="exponent_of_each_column",
        concept="positional_encoding",
        stage="exponents",
        title="Each column has its own exponent",
        formula=r"\cos\!\left(pos / 10000^{(2i+1) / d_{\text{model}}}\right)",
        code="exponents = np.arange(d_model)[None] / even",
        why="You used the number of each column as the exponent. In the formula, both columns of a pair have the "
        "exponent of the pair, 2i. So your sine and cosine of a pair have different frequencies.",
        sources=("maxjcohen/transformer#62",),
    ),
    Mistake(
        name="base_misses_a_zero",
        concept="positional_encoding",
        stage="exponents",
        title="The base is 1000, not 10000",
        formula=r"\sin\!\left(pos / 1000^{2i / d_{\text{model}}}\right)",
        code="base = 1000.0",
        why="One zero is missing in the base. So only the first pair is correct, and all other pairs turn too fast.",
        sources=("maxjcohen/transformer#62",),
        needs="The base must be 10,000.",
        shows=lambda trace: trace.base == 10 * WRONG_BASE,
    ),
    Mistake(
        name="degrees_for_radians",
        concept="positional_encoding",
        stage="angles",
        title="The angles are in degrees, not in radians",
        formula=r"\sin\!\left(\frac{\pi}{180} \cdot \frac{pos}{10000^{2i/d_{\text{model}}}}\right)",
        code="angles = np.pi / 180 * angles",
        why="Your calculator or your code used degrees. So every wave is 57 times too slow, and neighbouring rows are "
        "nearly the same.",
        sources=("MathOnco/valis#103",),
    ),
    Mistake(
        name="sines_then_cosines",
        concept="positional_encoding",
        stage="encoding",
        title="All sines come first, then all cosines",
        formula=r"[\sin \ldots \sin \; \cos \ldots \cos]",
        code="sinusoidal = np.concatenate([sinusoidal[:, ::2], sinusoidal[:, 1::2]], axis=1)",
        why="The numbers are correct, but in other columns. In the paper, sines and cosines alternate. A network can "
        "learn with each of the two orders, but two programs must use the same one.",
        sources=("tensorflow/tensor2tensor#391", "allenai/allennlp#2993"),
    ),
    Mistake(
        name="embedding_not_scaled",
        concept="positional_encoding",
        stage="positioned",
        title="The embedding is not multiplied by √d_model",
        formula=r"X + PE",
        code="positioned = x + sinusoidal",
        why="The paper multiplies the embedding (a token’s learned numbers) by √d_model before it adds the positions. "
        "Embeddings are small numbers, so without this factor the encoding would be much larger than they are.",
        sources=("pytorch/tutorials#2655",),
        needs="Add the encoding to embeddings.",
        shows=lambda trace: trace.x is not None,
    ),
)
