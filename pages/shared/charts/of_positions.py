"""Charts of positions and of many draws: waves, numberings, the spread of scores."""

from __future__ import annotations

from functools import cache

import altair as alt
import numpy as np

from attention_core import sinusoidal_at, wavelengths
from attention_core.caching import cache_recent
from attention_core.experiments.positions import in_bits
from attention_core.experiments.scores import Histogram
from pages.shared.charts import MOST_POSITIONS
from pages.shared.charts.draw import FIT_WIDTH, TEXTS, Spec, draw, spec
from pages.shared.notation.palette import COLOURS, INK

SAMPLES = 401


def waves(n_positions: int, d_model: int, base: float, *, key: str) -> None:
    """Draw some columns of the positional encoding as waves over the positions, from the fastest to the slowest."""
    n_positions = min(n_positions, MOST_POSITIONS)
    pairs = np.unique(np.linspace(0, d_model // 2 - 1, len(COLOURS)).round().astype(int))
    between = np.linspace(0, max(n_positions - 1, 1), SAMPLES)
    whole = np.arange(n_positions)
    positions = np.concatenate([between, whole])
    table = sinusoidal_at(positions, d_model, base)
    long = wavelengths(d_model, base)
    n, each = len(positions), 2 * len(pairs)
    data = {
        "position": np.tile(positions, each),
        "value": np.concatenate([table[:, 2 * pair + half] for pair in pairs for half in (0, 1)]),
        "wavelength": np.repeat(long[pairs], 2 * n),
        "cosine": np.tile(np.repeat([0, 1], n), len(pairs)),
        "dot": np.tile(np.repeat([False, True], [SAMPLES, len(whole)]), each),
    }
    draw(data, _waves_spec(), key=key)


@cache
def _waves_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X("position:Q", title=TEXTS.fill("position"), axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=[-1, 1])),
        color=alt.Color(
            "wavelength:N",
            title=TEXTS.fill("wavelength"),
            scale=alt.Scale(range=COLOURS),
            legend=alt.Legend(orient="top", columns=4, titleLimit=700, labelExpr="format(datum.value, ',.2f')"),
        ),
    )
    lines = (
        base.transform_filter("!datum.dot")
        .mark_line(strokeWidth=2)
        .encode(
            strokeDash=alt.StrokeDash("cosine:N", legend=None)  # its own legend would make the chart too high
        )
    )
    dots = base.transform_filter("datum.dot").mark_point(filled=True, size=40, opacity=1)
    chart = alt.layer(lines, dots).properties(
        height=240,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_waves"),
    )
    return spec(chart)


POSITIONS = 16
BITS = 4
BASE = 16.0  # with this base and eight columns, each wave is half as fast as the one before, like the bits
SAMPLES_OF_NUMBERING = 151
NAMES = (
    TEXTS.fill("count"),
    *(TEXTS.fill(strip, number=i + 1) for strip in ("bit", "wave") for i in range(BITS)),
)
HALF = 0.36  # the part of a strip's height from its middle to its highest point


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

    chart = alt.layer(*of(0, 0, INK), *of(1, BITS, COLOURS[1]), *of(BITS + 1, 2 * BITS, COLOURS[0])).properties(
        height=300,
        description=TEXTS.fill("about_numbering"),
    )
    return spec(chart)


DRAWN, PREDICTED = TEXTS.fill("drawn"), TEXTS.fill("predicted")


def spread(histogram: Histogram, deviation: float, *, key: str) -> None:
    """Draw the counts of a histogram as bars and the predicted counts as a line."""
    start, end = histogram.edges[:-1], histogram.edges[1:]
    data = {
        "start": start, "end": end, "middle": (start + end) / 2,
        "count": histogram.counts, "expected": histogram.expected,
        "above": np.full(len(end), deviation), "below": np.full(len(end), -deviation),
    }  # fmt: skip
    draw(data, _spread_spec(), key=key)


@cache
def _spread_spec() -> Spec:
    colours = alt.Scale(domain=[DRAWN, PREDICTED], range=COLOURS[:2])

    def colour(name: str) -> alt.ColorDatum:
        return alt.ColorDatum(name, scale=colours, legend=alt.Legend(title=None, orient="top", labelLimit=300))

    counts = alt.Y("count:Q", title=TEXTS.fill("how_many"))
    bars = (
        alt.Chart()
        .mark_rect()
        .encode(
            x=alt.X("start:Q", title="q · k", axis=alt.Axis(format="~s")),
            x2="end",
            y=counts,
            y2=alt.datum(0),
            color=colour(DRAWN),
            tooltip=[
                alt.Tooltip("start:Q", title=TEXTS.fill("from"), format=",.1f"),
                alt.Tooltip("end:Q", title=TEXTS.fill("to"), format=",.1f"),
                alt.Tooltip("count:Q", title=DRAWN, format=","),
                alt.Tooltip("expected:Q", title=PREDICTED, format=",.1f"),
            ],
        )
    )
    line = alt.Chart().mark_line(strokeWidth=3).encode(x="middle:Q", y="expected:Q", color=colour(PREDICTED))
    marks = [mark for name in ("below", "above") for mark in _deviation_marks(name)]
    chart = alt.layer(bars, line, *marks).properties(
        height=200,
        autosize=FIT_WIDTH,
        description=TEXTS.fill("about_spread"),
    )
    return spec(chart)


def _deviation_marks(name: str) -> tuple[alt.Chart, alt.Chart]:
    """Return a dashed vertical line with a number above it. `name` is the column of the data with their position."""
    place = alt.X(f"min({name}):Q")
    number = alt.Text(f"min({name}):Q", format=".3~g")
    line = alt.Chart().mark_rule(strokeWidth=3, strokeDash=[6, 4]).encode(x=place)
    return line, alt.Chart().mark_text(baseline="bottom", fontSize=18, dy=-2).encode(
        x=place, y=alt.value(0), text=number
    )
