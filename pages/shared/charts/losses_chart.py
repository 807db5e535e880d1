"""The chart “losses”: the loss after each step of training."""

from __future__ import annotations

from functools import cache

import altair as alt
import numpy as np

from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec
from pages.shared.notation.palette import COLOURS, INK

LEAST_SHOWN = 10  # the axis has room for at least so many steps


def losses(values: np.ndarray, taken: int, *, key: str) -> None:
    """Draw the loss before the first step and after each step. A dot marks the loss after `taken` steps."""
    ahead = np.full(max(0, LEAST_SHOWN + 1 - len(values)), np.nan)  # steps that have no loss yet, but room on the axis
    steps = np.arange(len(values) + len(ahead))
    draw({"step": steps, "loss": [*values, *ahead], "here": steps == taken}, _losses_spec(), key=key)


@cache
def _losses_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X("step:Q", title="steps", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
        y=alt.Y("loss:Q", title="loss", axis=alt.Axis(tickCount=4), scale=alt.Scale(zero=True)),
        tooltip=[alt.Tooltip("step:Q", title="after step"), alt.Tooltip("loss:Q", format=".4f")],
    )
    line = base.mark_line(strokeWidth=3).encode(color=alt.value(COLOURS[0]))
    here = base.transform_filter("datum.here")
    dot = here.mark_point(size=160, filled=True, opacity=1).encode(color=alt.value(COLOURS[0]))
    word = here.mark_text(align="left", dx=10, dy=-10, fontSize=13).encode(
        text=alt.value("you are here"), color=alt.value(INK)
    )
    chart = alt.layer(line, dot, word).properties(
        height=150,
        autosize=FIT_WIDTH,
        description="The loss before the first step and after each step that follows; a dot marks the step shown.",
    )
    return spec(chart)
