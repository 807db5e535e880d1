"""The chart “values plane”: the result of a lookup, from the average of all values to the value of one key."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import altair as alt
import numpy as np

from pages.shared.charts.draw import Spec, draw, spec
from pages.shared.notation.palette import COLOURS, INK, Colour

VALUE, RESULT = COLOURS[:2]


def values_plane(
    values: np.ndarray, path: np.ndarray, now: np.ndarray, tokens: Sequence[str], query_token: str, *, key: str
) -> None:
    """Draw the values as points in a plane, and the path that the output takes as the weights become sharper.

    The plane has the first two features. `path` has the outputs in order, `now` is the present output, `tokens` are the
    labels of the values, and `query_token` is the token that attends.
    """
    points = np.vstack([path, values, now])[:, :2]
    kinds, counts = ["path", "value", "now"], [len(path), len(values), 1]
    data = {
        "kind": np.repeat(kinds, counts),
        "a": points[:, 0],
        "b": points[:, 1],
        "label": [*[""] * len(path), *tokens, f"output of “{query_token}”"],
        "order": np.arange(len(points)),
    }
    draw(data, _plane_spec(), key=key)


@cache
def _plane_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X("a:Q", title="feature 1 of the value", scale=alt.Scale(zero=False, padding=30)),
        y=alt.Y("b:Q", title="feature 2 of the value", scale=alt.Scale(zero=False, padding=30)),
    )

    def of(kinds: str, colour: Colour) -> alt.Chart:
        return base.transform_filter(f"datum.kind {kinds}").encode(color=alt.value(colour))

    path = of("== 'path'", INK).mark_line(strokeDash=[5, 3]).encode(order="order:Q")
    marks = of("== 'value'", VALUE).mark_point(size=160, filled=True, opacity=1, shape="square")
    now = of("== 'now'", RESULT).mark_point(size=220, filled=True, opacity=1)
    names = of("!= 'path'", INK).mark_text(dy=-16, fontSize=14).encode(text="label:N")
    chart = alt.layer(path, marks, now, names).properties(
        height=320,
        description="The values as points, and among them what is looked up, on its way from their mean to the best.",
    )
    return spec(chart)
