"""Charts of positions and of many draws: waves, numberings, the spread of scores."""

from __future__ import annotations

from functools import cache
from typing import Any

import altair as alt
import numpy as np

from attention_core import sinusoidal_at, wavelengths
from attention_core.caching import cache_recent
from attention_core.experiments.positions import in_bits
from attention_core.experiments.scores import Histogram
from pages.shared.charts import MOST_POSITIONS
from pages.shared.charts.draw import FIT_WIDTH, LETTER, TEXTS, Spec, apart, draw, spec
from pages.shared.notation.palette import ACCENT, DASHES, INK

SAMPLES = 401
STRIPS = 4  # at most so many pairs of columns are drawn, one below the other
STRIP = 76  # pixels: the height of a strip
HALF = 0.3  # the part of a strip's height from its middle to its highest point


def waves(n_positions: int, d_model: int, base: float, *, key: str) -> None:
    """Draw some columns of the positional encoding as waves over the positions, from the fastest to the slowest.

    Each pair of columns, a sine and its cosine, has a strip of its own, with its wavelength above it.
    """
    n_positions = min(n_positions, MOST_POSITIONS)
    pairs = np.unique(np.linspace(0, d_model // 2 - 1, STRIPS).round().astype(int))
    whole = np.arange(n_positions)
    positions = np.concatenate([np.linspace(0, max(n_positions - 1, 1), SAMPLES), whole])
    table = sinusoidal_at(positions, d_model, base)
    long = wavelengths(d_model, base)[pairs]
    columns = [(strip, half) for strip in range(len(pairs)) for half in (0, 1)]
    n, lines = len(positions), [table[:, 2 * pairs[strip] + half] for strip, half in columns]
    ends = apart([line[SAMPLES - 1] for line in lines[-2:]], -1, 1, 2 * HALF * STRIP)
    last = [""] * (n * (len(lines) - 2))
    named = [name if i == SAMPLES - 1 else "" for name in (SINE, COSINE) for i in range(n)]
    data = {
        "position": np.tile(positions, len(lines)),
        "height": np.concatenate([HALF * line - strip for (strip, _), line in zip(columns, lines, strict=True)]),
        "strip": np.repeat([strip for strip, _ in columns], n),
        "cosine": np.repeat([half for _, half in columns], n),
        "dot": np.tile(np.repeat([False, True], [SAMPLES, len(whole)]), len(lines)),
        "name": [*last, *named],
        "beside": [*[np.nan] * len(last), *np.repeat(HALF * np.array(ends) - len(pairs) + 1, n)],
        "title": [
            TEXTS.fill("wavelength", length=f"{long[strip]:,.2f}") if i == half == 0 else ""
            for strip, half in columns
            for i in range(n)
        ],
    }
    draw(data, _waves_spec(len(pairs)), key=key)


SINE, COSINE = TEXTS.fill("sine"), TEXTS.fill("cosine")


@cache
def _waves_spec(n_strips: int) -> Spec:
    heights = alt.Scale(domain=[-n_strips + 0.5, 0.62], nice=False)
    base = alt.Chart().encode(
        x=alt.X("position:Q", title=TEXTS.fill("position"), axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
        y=alt.Y("height:Q", axis=None, scale=heights),
        color=alt.Color("cosine:N", scale=alt.Scale(domain=[0, 1], range=[ACCENT, INK]), legend=None),
        detail="strip:N",
    )
    dashes = alt.Scale(domain=[0, 1], range=[DASHES["solid"], DASHES["dashed"]])
    lines = (
        base.transform_filter("!datum.dot")
        .mark_line(strokeWidth=2)
        .encode(strokeDash=alt.StrokeDash("cosine:N", scale=dashes, legend=None))
    )
    dots = base.transform_filter("datum.dot").mark_point(filled=True, size=30, opacity=1)
    names = base.transform_filter("datum.name").mark_text(align="left", baseline="middle", dx=8, fontSize=LETTER)
    titles = base.transform_filter("datum.title").mark_text(align="left", baseline="middle", fontSize=LETTER)
    chart = alt.layer(
        lines,
        dots,
        names.encode(y=alt.Y("beside:Q", axis=None, scale=heights), text="name:N"),
        titles.transform_calculate(above="0.47 - datum.strip").encode(
            y=alt.Y("above:Q", axis=None, scale=heights), text="title:N", color=alt.value(INK)
        ),
    ).properties(height=STRIP * n_strips, autosize=FIT_WIDTH, description=TEXTS.fill("about_waves"))
    return spec(chart)


POSITIONS = 16
BITS = 4
BASE = 16.0  # with this base and eight columns, each wave is half as fast as the one before, like the bits
SAMPLES_OF_NUMBERING = 151
NAMES = (
    TEXTS.fill("count"),
    *(TEXTS.fill(strip, number=i + 1) for strip in ("bit", "wave") for i in range(BITS)),
)


def numbering(*, key: str) -> None:
    """Draw three ways to number sixteen positions, each as lines: counting, four bits, and four waves."""
    draw(_data(), _numbering_spec(), key=key)


@cache_recent
def _data() -> dict[str, np.ndarray]:
    whole, between = np.arange(POSITIONS), np.linspace(0, POSITIONS - 1, SAMPLES_OF_NUMBERING)
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
        x=alt.X("position:Q", title=TEXTS.fill("position"), axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
        y=alt.Y("height:Q", axis=axis, scale=alt.Scale(domain=[-len(NAMES) + 0.5, 0.5], nice=False)),
        detail="strip:N",
    )

    def of(low: int, high: int, colour: str) -> list[alt.Chart]:
        part = base.transform_filter(f"datum.strip >= {low} && datum.strip <= {high}").encode(color=alt.value(colour))
        lines = part.transform_filter("!datum.dot").mark_line(strokeWidth=2).encode(order="order:Q")
        return [lines, part.transform_filter("datum.dot").mark_point(filled=True, size=30, opacity=1)]

    chart = alt.layer(*of(0, 0, INK), *of(1, BITS, INK), *of(BITS + 1, 2 * BITS, ACCENT)).properties(
        height=300,
        description=TEXTS.fill("about_numbering"),
    )
    return spec(chart)


LEFT: dict[str, Any] = {"align": "right", "dx": -22}
RIGHT: dict[str, Any] = {"align": "left", "dx": 22}
DRAWN, PREDICTED = TEXTS.fill("drawn"), TEXTS.fill("predicted")


def spread(histogram: Histogram, deviation: float, *, key: str) -> None:
    """Draw the counts of a histogram as bars and the predicted counts as a line."""
    start, end = histogram.edges[:-1], histogram.edges[1:]
    high = np.flatnonzero(histogram.expected >= histogram.expected.max() / 4)
    names = np.full(len(end), "", dtype=object)
    names[high[0]], names[high[-1]] = DRAWN, PREDICTED
    data = {
        "start": start, "end": end, "middle": (start + end) / 2,
        "count": histogram.counts, "expected": histogram.expected,
        "above": np.full(len(end), deviation), "below": np.full(len(end), -deviation),
        "name": names, "quarter": np.full(len(end), histogram.expected.max() / 4),
    }  # fmt: skip
    draw(data, _spread_spec(), key=key)


@cache
def _spread_spec() -> Spec:
    how_many = TEXTS.fill("how_many")
    bars = (
        alt.Chart()
        .mark_rect(fillOpacity=0.4)
        .encode(
            x=alt.X("start:Q", title="q · k", axis=alt.Axis(format="~s", tickCount=8)),
            x2="end",
            y=alt.Y("count:Q", title=how_many, axis=alt.Axis(tickCount=5)),
            y2=alt.datum(0),
            color=alt.value(INK),
            tooltip=[
                alt.Tooltip("start:Q", title=TEXTS.fill("from"), format=",.1f"),
                alt.Tooltip("end:Q", title=TEXTS.fill("to"), format=",.1f"),
                alt.Tooltip("count:Q", title=DRAWN, format=","),
                alt.Tooltip("expected:Q", title=PREDICTED, format=",.1f"),
            ],
        )
    )
    line = alt.Chart().encode(x="middle:Q", color=alt.value(ACCENT))
    curve = line.mark_line(strokeWidth=3).encode(y=alt.Y("expected:Q", title=how_many))
    # Each is named where it is a quarter as high as at its middle: the bars on the left, the line on the right.
    names = [
        line.transform_filter(f"datum.name === '{name}'")
        .mark_text(fontSize=LETTER, **place)
        .encode(y=alt.Y("quarter:Q", title=how_many), text="name:N", color=alt.value(colour))
        for name, colour, place in ((DRAWN, INK, LEFT), (PREDICTED, ACCENT, RIGHT))
    ]
    marks = [mark for name in ("below", "above") for mark in _deviation_marks(name)]
    chart = alt.layer(bars, curve, *names, *marks).properties(
        height=200,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_spread"),
    )
    return spec(chart)


def _deviation_marks(name: str) -> tuple[alt.Chart, alt.Chart]:
    """Return a dashed vertical line with a number above it. `name` is the column of the data with their position."""
    place = alt.X(f"min({name}):Q")
    number = alt.Text(f"min({name}):Q", format=".3~g")
    line = alt.Chart().mark_rule(strokeWidth=2, strokeDash=[6, 4]).encode(x=place, color=alt.value(INK))
    return line, alt.Chart().mark_text(baseline="bottom", fontSize=LETTER + 2, dy=-2).encode(
        x=place, y=alt.value(0), text=number, color=alt.value(INK)
    )
