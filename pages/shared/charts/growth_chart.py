"""The chart “growth”: how many scores a text needs as it becomes longer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import altair as alt

from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec
from pages.shared.notation.palette import COLOURS, INK


def growth(tokens: Sequence[int], scores: Sequence[int], named: Sequence[str], *, key: str) -> None:
    """Draw how the number of scores grows with the number of tokens, as a line. Some points have a label.

    `tokens` and `scores` are the coordinates of the points. `named` has the label of each point. A point with a label
    also has a dot. A point with the label "" has neither.
    """
    draw({"tokens": tokens, "scores": scores, "name": named}, _growth_spec(), key=key)


ROOM_ABOVE = alt.Scale(padding=18)  # pixels: room for the name of the last dot


@cache
def _growth_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X("tokens:Q", title="tokens", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
        y=alt.Y("scores:Q", title="scores in each head", axis=alt.Axis(tickCount=4), scale=ROOM_ABOVE),
        tooltip=[alt.Tooltip("tokens:Q", format=","), alt.Tooltip("scores:Q", format=",")],
    )
    line = base.mark_line(strokeWidth=3).encode(color=alt.value(COLOURS[0]))
    named = base.transform_filter("datum.name")
    dots = named.mark_point(size=120, filled=True, opacity=1).encode(color=alt.value(COLOURS[0]))
    names = named.mark_text(align="right", dx=-10, dy=-6, fontSize=13).encode(text="name:N", color=alt.value(INK))
    chart = alt.layer(line, dots, names).properties(
        height=190,
        autosize=FIT_WIDTH,
        description="The number of scores over the number of tokens: a curve that grows with the square.",
    )
    return spec(chart)
