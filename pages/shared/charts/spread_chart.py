"""The chart “spread”: a histogram of random scores, and the counts that theory predicts."""

from __future__ import annotations

from functools import cache

import altair as alt
import numpy as np

from attention_core.experiments.spread import Histogram
from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec
from pages.shared.notation.palette import COLOURS

DRAWN, PREDICTED = "drawn", "predicted"


def spread(histogram: Histogram, deviation: float, *, key: str) -> None:
    """Draw the counts of a histogram as bars and the predicted counts as a line.

    Vertical lines mark plus and minus `deviation`, the predicted standard deviation.
    """
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

    counts = alt.Y("count:Q", title="how many")
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
                alt.Tooltip("start:Q", title="from", format=",.1f"),
                alt.Tooltip("end:Q", title="to", format=",.1f"),
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
        description="How often each size of q · k was drawn, as bars, and the normal curve that √d_k predicts, "
        "with lines at minus and plus √d_k.",
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
