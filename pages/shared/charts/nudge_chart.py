"""The chart “nudge”: how a weight depends on its score for each divisor, and where the weight is now."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import altair as alt
import numpy as np

from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, series_encodings, spec
from pages.shared.notation.palette import SERIES
from pages.shared.notation.plain import plain


def nudge(
    values: np.ndarray,
    weights: Mapping[str, np.ndarray],
    score: float,
    present_weights: Mapping[str, float],
    *,
    key: str,
) -> None:
    """Draw how one attention weight depends on its score: a line for each divisor, with a dot at the present score.

    `values` are the scores from left to right. `weights` has the weights at these scores, by the name of the divisor.
    `score` is the present score, and `present_weights` has the present weight, by the name of the divisor.
    """
    names = [plain(name) for name in weights]
    data = {
        "divisor": [*np.repeat(names, len(values)), *names],
        "score": [*np.tile(values, len(names)), *[score] * len(names)],
        "weight": [*np.concatenate([*weights.values()]), *present_weights.values()],
        "dot": [*[False] * (len(values) * len(names)), *[True] * len(names)],
    }
    draw(data, _nudge_spec(tuple(names)), key=key)


@cache
def _nudge_spec(divisors: tuple[str, ...]) -> Spec:
    marks = series_encodings("divisor:N", SERIES[: len(divisors)], values=divisors, title=None)
    base = alt.Chart().encode(
        x=alt.X("score:Q", title="its score, undivided", scale=alt.Scale(nice=False, zero=False)),
        y=alt.Y("weight:Q", title="weight", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5)),
        tooltip=[
            "divisor:N",
            alt.Tooltip("score:Q", title="score", format=",.2f"),
            alt.Tooltip("weight:Q", format=".4f"),
        ],
    )
    lines = base.transform_filter("!datum.dot").mark_line(strokeWidth=3).encode(**marks)
    dots = base.transform_filter("datum.dot").mark_point(size=160, filled=True, opacity=1).encode(color=marks["color"])
    chart = alt.layer(lines, dots).properties(
        height=190,
        autosize=FIT_WIDTH,
        description="A weight over its own score, a line for each divisor. The dots are where the score stands: "
        "the steeper the line there, the more the weight answers to a nudge.",
    )
    return spec(chart)
