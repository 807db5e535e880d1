"""Measure what stays the same if every token is moved by the same number of positions."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from attention_core.checks import Array, greatest_difference
from attention_core.examples import Example
from attention_core.examples.example import frozen_copy
from attention_core.experiments.position_similarity import cosine_similarities
from attention_core.positions import even_width, rope, sinusoidal_at


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveEffect:
    """How much a move of all positions changes cosines between encodings, and scores with two kinds of encoding."""

    likeness: float  # the change of the cosine between the encodings of two positions
    sinusoidal: float  # the change of a scaled score if sinusoidal encodings are added to the rows
    rotary: float  # the change of a scaled score if queries and keys are rotated by their positions


def moved_positions(example: Example, by: int, base: float = 10_000.0) -> MoveEffect:
    """Move all tokens of an example by `by` positions. Return the greatest changes of encodings and of scores.

    Raises: ValueError if the example has a context, which has positions of its own.
    """
    if example.context is not None:
        raise ValueError("all tokens must stand in one text; got an example with a context: give one without.")
    places = np.arange(len(example.tokens), dtype=float)
    both = (places, places + by)
    width = example.x.shape[-1]
    even = [sinusoidal_at(each, even_width(width), base) for each in both]
    encoded = [each[:, :width] for each in even]
    plain = example.attention()
    return MoveEffect(
        likeness=greatest_difference(*(cosine_similarities(each) for each in even)),
        sinusoidal=greatest_difference(*(_scores(example, each) for each in encoded)),
        rotary=greatest_difference(*(_rotate(plain.q, plain.k, each, base) for each in both)),
    )


def _scores(example: Example, encoding: Array) -> Array:
    return replace(example, x=frozen_copy(example.x + encoding), sentence="").attention().scaled


def _rotate(q: Array, k: Array, places: Array, base: float) -> Array:
    paired = q.shape[-1] // 2 * 2  # a last feature without a partner stays as it is
    q, k = (np.hstack([rope(m[:, :paired], places, base=base), m[:, paired:]]) if paired else m for m in (q, k))
    return q @ k.T / q.shape[-1] ** 0.5
