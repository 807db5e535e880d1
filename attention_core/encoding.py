"""Encoding: a few tokens, wherever they stand, on their way to the first layer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.arithmetic import Number, Operation, Term, Worked, explain_sinusoidal
from attention_core.checks import Array, floats, positive
from attention_core.positions import sinusoidal_at


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EncodingTrace:
    """Every step from tokens and their positions to what the first layer reads."""

    positions: Array  # (n,) where each token stands, from 0
    x: Array  # (n, d_model)
    base: float
    factor: float  # √d_model
    sinusoidal: Array  # (n, d_model) the encoding of each position
    positioned: Array  # (n, d_model) x · factor + sinusoidal


def encode(x: ArrayLike, positions: ArrayLike, base: float = 10000.0) -> EncodingTrace:
    """Add to each token's embedding the encoding of the position at which it stands.

    x · √d_model + PE[positions]

    Shapes: x (n, d_model), positions (n,) → positioned (n, d_model); d_model is even.
    Raises: ValueError if there is not a position for each token, or as `sinusoidal_at`.
    Source: Vaswani et al. 2017, sections 3.4 and 3.5.
    """
    x, places, base = floats("x", x, min_rank=2), floats("positions", positions), positive("base", base)
    if len(x) != len(places):
        raise ValueError(f"x needs a position a row; got {len(places)} positions for x {x.shape}: give each its own.")
    factor, encoding = math.sqrt(x.shape[-1]), sinusoidal_at(places, x.shape[-1], base)
    return EncodingTrace(
        positions=places, x=x, base=base, factor=factor, sinusoidal=encoding, positioned=x * factor + encoding
    )


def encode_worked(t: EncodingTrace) -> Worked:
    """Return the steps cell by cell."""
    d_model = t.x.shape[-1]

    def wave(i: int, j: int) -> Term:
        return explain_sinusoidal(int(t.positions[i]), j, d_model, t.base).term

    def positioned(i: int, j: int) -> Term:
        root = Operation("root", (Number(d_model, "d_model"),))
        return Operation("sum", (Operation("product", (_at("x", t.x, i, j), root)), wave(i, j)))

    return Worked({"sinusoidal": (t.sinusoidal, wave), "positioned": (t.positioned, positioned)})


def _at(name: str, matrix: Array, i: int, j: int) -> Number:
    return Number(float(np.asarray(matrix)[i, j]), name, (i, j))
