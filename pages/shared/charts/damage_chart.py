"""The chart “damage”: the loss with each of many mistakes as a dot, with a line from the loss of the correct model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import altair as alt

from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec
from pages.shared.notation.palette import COLOURS, INK

ROW = 19  # pixels: the height of a row
TICKS = (3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100)
CHOSEN = "▶ "  # stands before the name of the chosen mistake


def damage(
    names: Sequence[str], values: Sequence[float], chosen: int, correct_value: float, measure: str, *, key: str
) -> None:
    """Draw each value as a dot beside its name, with a line to it from `correct_value`, the value of the correct model.

    The dot with the index `chosen` is larger. In place of a value that is NaN, the text “no number” is drawn. `measure`
    is the title of the axis.
    """
    numbers = [value == value for value in values]
    data = {
        "name": [f"{CHOSEN * (i == chosen)}{name}" for i, name in enumerate(names)],
        "value": [value if number else correct_value for value, number in zip(values, numbers, strict=True)],
        "right": [correct_value] * len(names),
        "said": [f"{value:.2f}" if number else "no number" for value, number in zip(values, numbers, strict=True)],
        "chosen": [i == chosen for i, _ in enumerate(names)],
        "number": numbers,
    }
    draw(data, _damage_spec(len(names), measure), key=key)


@cache
def _damage_spec(n_rows: int, measure: str) -> Spec:
    base = alt.Chart().encode(
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=230, labelFontSize=12, labelOverlap=False)),
        tooltip=[alt.Tooltip("name:N", title="mistake"), alt.Tooltip("said:N", title=measure)],
    )
    x = alt.X(
        "value:Q",
        title=measure,
        scale=alt.Scale(type="log", nice=False, padding=28),
        axis=alt.Axis(values=TICKS),
    )
    colour = alt.condition("datum.chosen", alt.value(COLOURS[1]), alt.value(COLOURS[0]))
    lines = base.mark_rule(strokeWidth=2).encode(x=x, x2="right", color=colour)
    with_number = base.transform_filter("datum.number")
    dots = with_number.mark_point(filled=True, opacity=1).encode(
        x=x,
        color=colour,
        size=alt.condition("datum.chosen", alt.value(150), alt.value(55)),
        shape=alt.condition("datum.chosen", alt.value("diamond"), alt.value("circle")),
    )
    labels = base.mark_text(align="left", dx=9, fontSize=12).encode(x=x, text="said:N", color=alt.value(INK))
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], aria=False).encode(x="min(right):Q", color=alt.value(INK))
    chart = alt.layer(rule, lines, dots, labels).properties(
        height=ROW * n_rows,
        autosize=FIT_WIDTH,
        description=f"{measure.capitalize()}, a line a mistake, the least first; a dashed rule marks what is right, "
        "a diamond the one that is chosen.",
    )
    return spec(chart)
