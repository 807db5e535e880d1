"""Learning: what a model can do, and what its heads look at, step by step of its training."""

from __future__ import annotations

from functools import cache

import altair as alt

from attention_core.induction.course import Points
from attention_core.induction.snapshots import STEPS
from pages.shared.charts.draw import Spec, draw, spec, told_apart
from pages.shared.notation.palette import INK, SERIES

LINES = {
    "previous": "first head: one place back",
    "induction": "last head: what followed before",
    "accuracy": "right guesses",
}


def learning(points: Points, *, key: str) -> None:
    """Draw the loss in one panel, and in another what grows from 0 to 1."""
    every = [(step, getattr(now, name), words, now.loss) for name, words in LINES.items() for step, now in points]
    columns = ("step", "share", "what", "loss")
    draw(dict(zip(columns, map(list, zip(*every, strict=True)), strict=True)), _learning_spec(), key=key)


@cache
def _learning_spec() -> Spec:
    steps = alt.X(
        "step:Q", title="steps of training", scale=alt.Scale(domain=[0, STEPS[-1]]), axis=alt.Axis(tickCount=5)
    )
    loss = (
        alt.Chart()
        .mark_line(point=True)
        .encode(
            x=steps.title(None),
            y=alt.Y("loss:Q", title="loss, nats", scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=4)),
            color=alt.value(INK),
            tooltip=["step:Q", alt.Tooltip("loss:Q", format=".3f")],
        )
        .transform_filter(f"datum.what === '{LINES['accuracy']}'")
        .properties(height=90)
    )
    shares = (
        alt.Chart()
        .mark_line(point=True)
        .encode(
            x=steps,
            y=alt.Y("share:Q", title="share", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=4)),
            **told_apart("what:N", SERIES[:3], values=tuple(LINES.values()), title=None),
            tooltip=["step:Q", "what:N", alt.Tooltip("share:Q", format=".3f")],
        )
        .properties(height=150)
    )
    description = "Over the steps of training: the loss, the share of right guesses, and what each head gives."
    return spec(alt.vconcat(loss, shares).properties(description=description))
