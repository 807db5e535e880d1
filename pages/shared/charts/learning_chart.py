"""The chart “learning”: a model's loss, correct answers and two attention weights, at some steps of training."""

from __future__ import annotations

from functools import cache

import altair as alt

from attention_core.induction.snapshots import STEPS
from attention_core.induction.training_run import Points
from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, series_encodings, spec
from pages.shared.notation.palette import DASHES, INK, SERIES

SHARES = {"previous": "one back", "induction": "to the match", "accuracy": "is right"}  # by measurement: its label
LOSS = "loss"
OF_LOSS = SERIES[len(SHARES)]
BELOW_THE_EDGE = 22  # pixels from the upper edge to the name of the loss


def learning(points: Points, *, key: str) -> None:
    """Draw lines over the steps of training: the loss of a small model, its share of correct answers, and two weights.

    The weights belong to two heads: one attends to the token before, the other to the token that has to be copied.
    `points` has the number of each step and the measurements after it.
    """
    lines = {**SHARES, "loss": LOSS}
    every = [(step, getattr(now, name), line) for name, line in lines.items() for step, now in points]
    steps, values, whats = map(list, zip(*every, strict=True))
    draw({"step": steps, "value": values, "what": whats}, _learning_spec(), key=key)


@cache
def _learning_spec() -> Spec:
    steps = alt.X(
        "step:Q", title="steps of training", scale=alt.Scale(domain=[0, STEPS[-1]]), axis=alt.Axis(tickCount=5)
    )
    base = alt.Chart().encode(x=steps, tooltip=["step:Q", "what:N", alt.Tooltip("value:Q", format=".3f")])
    chart = alt.layer(_shares(base), _loss(base), _name_of_loss(base)).resolve_scale(y="independent")
    description = "Over the steps of training: how far each head does its part, right guesses, and the loss."
    return spec(chart.properties(height=190, autosize=FIT_WIDTH, description=description))


def _shares(base: alt.Chart) -> alt.Chart:
    lines = base.transform_filter(f"datum.what !== '{LOSS}'").mark_line(point=True)
    marks = series_encodings("what:N", SERIES[: len(SHARES)], values=tuple(SHARES.values()), title=None)
    return lines.encode(y=alt.Y("value:Q", title="share", scale=alt.Scale(domain=[0, 1])), **marks)


def _loss(base: alt.Chart) -> alt.Chart:
    """Return the line of the loss, with its own scale on the right. `base` is the common part of all lines."""
    axis = alt.Axis(orient="right", tickCount=4, grid=False)
    line = base.transform_filter(f"datum.what === '{LOSS}'").mark_line(point=True, strokeDash=DASHES[OF_LOSS.line])
    y = alt.Y("value:Q", title="loss, nats", scale=alt.Scale(domainMin=0), axis=axis)
    return line.encode(y=y, color=alt.value(OF_LOSS.colour))


def _name_of_loss(base: alt.Chart) -> alt.Chart:
    """Return the label of the line of the loss.

    The label is at the left end of the line, but always below the upper edge of the chart. `base` is the part that all
    lines of the chart have in common.
    """
    first = base.transform_filter(f"datum.what === '{LOSS}' && datum.step === 0")
    text = first.mark_text(align="left", dx=8, fontSize=13)
    return text.encode(y=alt.value(BELOW_THE_EDGE), text="what:N", color=alt.value(INK))
