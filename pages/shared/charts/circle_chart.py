"""The chart “circle”: one pair of the encoding at each position, as a point on a circle."""

from __future__ import annotations

from functools import cache

import altair as alt
import numpy as np

from attention_core import ShiftTrace
from pages.shared.charts.draw import Spec, draw, spec
from pages.shared.notation.palette import COLOURS, INK, Colour

RIM = 121  # the number of points of the circle
OUTSIDE = 1.22  # the radius at which names are written
SIDE = 280  # pixels: the width and the height of the chart
TURNING = COLOURS[1]


def circle(trace: ShiftTrace, *, key: str) -> None:
    """Draw a sine and a cosine of the positional encoding as points on a circle: one point for each position.

    The points before and after the shift in `trace` are marked.
    """
    turn = np.linspace(0, 2 * np.pi, RIM)
    rim = np.stack([np.sin(turn), np.cos(turn)], axis=-1)
    ends = np.concatenate([trace.before, trace.after])
    spokes = np.concatenate([trace.before, np.zeros((1, 2)), trace.after])
    points = np.concatenate([rim, trace.circle, spokes, ends, OUTSIDE * ends])
    kinds = ["rim", "position", "spoke", "end", "name"]
    labels = [f"position {trace.position}", f"position {trace.position + trace.shift}"]
    counts = [RIM, len(trace.circle), len(spokes), len(ends), len(labels)]
    data = {
        "kind": np.repeat(kinds, counts),
        "sine": points[:, 0],
        "cosine": points[:, 1],
        "order": np.arange(len(points)),
        "label": [*[""] * (sum(counts) - len(labels)), *labels],
    }
    draw(data, _circle_spec(), key=key, width="content")


@cache
def _circle_spec() -> Spec:
    reach = alt.Scale(domain=[-1.5, 1.5], nice=False)
    axis = alt.Axis(values=[-1, 0, 1])
    base = alt.Chart().encode(
        x=alt.X("cosine:Q", title="cosine", scale=reach, axis=axis),
        y=alt.Y("sine:Q", title="sine", scale=reach, axis=axis),
    )

    def of(kind: str, colour: Colour) -> alt.Chart:
        return base.transform_filter(f"datum.kind == '{kind}'").encode(color=alt.value(colour))

    rim = of("rim", INK).mark_line(strokeWidth=1).encode(order="order:Q")
    positions = of("position", INK).mark_point(filled=True, size=30, opacity=1)
    spokes = of("spoke", TURNING).mark_line(strokeWidth=2).encode(order="order:Q")
    ends = of("end", TURNING).mark_point(filled=True, size=120, opacity=1)
    names = of("name", INK).mark_text(fontSize=13).encode(text="label:N")
    chart = alt.layer(rim, positions, spokes, ends, names).properties(
        width=SIDE,
        height=SIDE,
        description="One pair of the encoding as a point on a circle: small dots for all positions, and two large ones "
        "for the position that is moved and where it comes to lie.",
    )
    return spec(chart)
