"""The chart “numbering”: counting, bits and waves over the same positions, below each other."""

from __future__ import annotations

from functools import cache

import altair as alt
import numpy as np

from attention_core import sinusoidal_at
from attention_core.caching import cache_recent
from attention_core.experiments.numbering import in_bits
from pages.shared.charts.draw import Spec, draw, spec
from pages.shared.notation.palette import COLOURS, INK

POSITIONS = 16
BITS = 4
BASE = 16.0  # with this base and eight columns, each wave is half as fast as the one before, like the bits
SAMPLES = 151
NAMES = ("count", *(f"bit {i + 1}" for i in range(BITS)), *(f"wave {i + 1}" for i in range(BITS)))
HALF = 0.36  # the part of a strip's height from its middle to its highest point


def numbering(*, key: str) -> None:
    """Draw three ways to number sixteen positions, each as lines: counting, four bits, and four waves."""
    draw(_data(), _numbering_spec(), key=key)


@cache_recent
def _data() -> dict[str, np.ndarray]:
    whole, between = np.arange(POSITIONS), np.linspace(0, POSITIONS - 1, SAMPLES)
    stepped = np.repeat(whole, 2)[1:]  # horizontally from one position to the next, then up or down
    height = np.concatenate([whole[:, None] / (POSITIONS - 1), in_bits(POSITIONS, BITS)], axis=1) * 2 - 1
    before = np.repeat(height, 2, axis=0)[:-1]
    waves, dots = (sinusoidal_at(places, 2 * BITS, BASE)[:, ::2] for places in (between, whole))
    strips, parts = np.arange(len(NAMES)), (before, waves, height, dots)
    named = (strips[: BITS + 1], strips[BITS + 1 :]) * 2
    at = (stepped, between, whole, whole)
    return {
        "position": np.concatenate([np.tile(p, len(n)) for p, n in zip(at, named, strict=True)]).astype(float),
        "strip": np.concatenate([np.repeat(n, len(p)) for p, n in zip(at, named, strict=True)]),
        "height": np.concatenate([(HALF * part.T - n[:, None]).ravel() for part, n in zip(parts, named, strict=True)]),
        "dot": np.repeat([False, True], [before.size + waves.size, height.size + dots.size]),
        "order": np.arange(sum(part.size for part in parts)),
    }


@cache
def _numbering_spec() -> Spec:
    names = "[" + ", ".join(f"'{name}'" for name in NAMES) + "]"
    axis = alt.Axis(values=[-i for i in range(len(NAMES))], labelExpr=f"{names}[-datum.value]", grid=False, title=None)
    base = alt.Chart().encode(
        x=alt.X("position:Q", title="position", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
        y=alt.Y("height:Q", axis=axis, scale=alt.Scale(domain=[-len(NAMES) + 0.5, 0.5], nice=False)),
        detail="strip:N",
    )

    def of(low: int, high: int, colour: str) -> list[alt.Chart]:
        part = base.transform_filter(f"datum.strip >= {low} && datum.strip <= {high}").encode(color=alt.value(colour))
        lines = part.transform_filter("!datum.dot").mark_line(strokeWidth=2).encode(order="order:Q")
        return [lines, part.transform_filter("datum.dot").mark_point(filled=True, size=30, opacity=1)]

    chart = alt.layer(*of(0, 0, INK), *of(1, BITS, COLOURS[1]), *of(BITS + 1, 2 * BITS, COLOURS[0])).properties(
        height=300,
        description="Over sixteen positions, below each other: the count as a line that rises without end; four bits, "
        "each half as fast as the one above it, that jump between 0 and 1; four waves that do the same smoothly.",
    )
    return spec(chart)
