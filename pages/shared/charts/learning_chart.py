"""Learning: what a model can do, and what its heads look at, step by step of its training."""

from __future__ import annotations

from functools import cache
from typing import Any

import altair as alt

from attention_core.induction.course import Points
from attention_core.induction.snapshots import STEPS
from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec, told_apart
from pages.shared.notation.palette import SERIES

LOSS = "loss"
LINES = {  # by what is measured
    "previous": "back",
    "induction": "finds",
    "accuracy": "right",
    "loss": LOSS,
}


def learning(points: Points, *, key: str) -> None:
    """Draw the loss and what grows from 0 to 1, a line for each over the steps."""
    every = [(step, getattr(now, name), line) for name, line in LINES.items() for step, now in points]
    steps, values, lines = map(list, zip(*every, strict=True))
    draw({"step": steps, "value": values, "what": lines}, _learning_spec(), key=key)


@cache
def _learning_spec() -> Spec:
    shares = _lines(f"datum.what !== '{LOSS}'", alt.Y("value:Q", title="share", scale=alt.Scale(domain=[0, 1])))
    right = alt.Axis(orient="right", tickCount=4, grid=False)
    loss = _lines(f"datum.what === '{LOSS}'", alt.Y("value:Q", title="loss, nats", scale=_FROM_0, axis=right))
    chart = alt.layer(shares, loss).resolve_scale(y="independent")
    description = "Over the steps of training: how far each head does its part, right guesses, and the loss."
    return spec(chart.properties(height=190, autosize=FIT_WIDTH, description=description))


_FROM_0 = alt.Scale(domainMin=0)


def _lines(which: str, y: Any) -> alt.Chart:
    scale, axis = alt.Scale(domain=[0, STEPS[-1]]), alt.Axis(tickCount=5)
    return (
        alt.Chart()
        .transform_filter(which)
        .mark_line(point=True)
        .encode(
            x=alt.X("step:Q", title="steps of training", scale=scale, axis=axis),
            y=y,
            **told_apart("what:N", SERIES, values=tuple(LINES.values()), title=None),
            tooltip=["step:Q", "what:N", alt.Tooltip("value:Q", format=".3f")],
        )
    )
