"""The chart “steps”: the cost of the next token at each length of the text, a line for each way to compute it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import altair as alt
import numpy as np

from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, series_encodings, spec
from pages.shared.notation.palette import SERIES


def steps(lengths: Sequence[int], series: Mapping[str, Sequence[float]], measure: str, *, key: str) -> None:
    """Draw the cost of the next token over the length of the text so far: a line for each way to compute the token.

    `lengths` are the lengths in tokens. `series` has the costs at these lengths, by the name of each line. `measure` is
    the title of the cost's axis. Both axes are logarithmic.
    """
    data = {
        "tokens": np.tile(lengths, len(series)),
        "value": np.concatenate([np.asarray(each, dtype=float) for each in series.values()]),
        "what": np.repeat(list(series), len(lengths)),
    }
    draw(data, _steps_spec(tuple(series), measure), key=key)


@cache
def _steps_spec(names: tuple[str, ...], measure: str) -> Spec:
    grows = alt.Scale(type="log", nice=False)
    chart = (
        alt.Chart()
        .mark_line(strokeWidth=3)
        .encode(
            x=alt.X("tokens:Q", title="tokens so far", scale=grows, axis=alt.Axis(tickCount=5, format="~s")),
            y=alt.Y("value:Q", title=measure, scale=grows, axis=alt.Axis(tickCount=5, format="~s")),
            tooltip=[
                alt.Tooltip("tokens:Q", format=","),
                "what:N",
                alt.Tooltip("value:Q", title=measure, format=","),
            ],
            **series_encodings("what:N", SERIES[: len(names)], values=names, title=None),
        )
        .properties(
            height=190,
            autosize=FIT_WIDTH,
            description=f"{measure.capitalize()} over the number of tokens so far, a line each: {', '.join(names)}.",
        )
    )
    return spec(chart)
