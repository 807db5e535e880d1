"""The chart “chances”: probabilities of words as bars, one bar for each way to compute or to count them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import altair as alt
import numpy as np
from numpy.typing import ArrayLike

from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec
from pages.shared.notation.palette import INK, SERIES

BAR = 13  # pixels: the height of a bar
BETWEEN = 9  # pixels between two words


def chances(words: Sequence[str], series: Mapping[str, ArrayLike], *, key: str) -> None:
    """Draw the probability of each word as a group of bars with numbers: one bar for each series.

    `series` has the probabilities of all words, by the name of the series, which is one way to compute or to count
    them.
    """
    names, n = list(series), len(words)
    values = np.stack([np.asarray(each, dtype=float) for each in series.values()], axis=1)
    data = {
        "word": np.repeat([f"{i} {word}" for i, word in enumerate(words, start=1)], len(names)),
        "what": np.tile(names, n),
        "chance": values.ravel(),
        "said": [f"{value:.0%}" if value >= 0.005 or value == 0 else "< 1%" for value in values.ravel()],
    }
    draw(data, _chances_spec(n, tuple(names)), key=key)


@cache
def _chances_spec(n_words: int, names: tuple[str, ...]) -> Spec:
    marks = SERIES[: len(names)]
    legend = alt.Legend(orient="top", title=None, columns=2, labelLimit=300) if len(names) > 1 else None
    base = alt.Chart().encode(
        y=alt.Y(
            "word:N",
            title=None,
            sort=None,
            scale=alt.Scale(paddingInner=0.2),
            axis=alt.Axis(labelExpr="slice(datum.label, indexof(datum.label, ' '))", labelLimit=140, ticks=False),
        ),
        yOffset=alt.YOffset("what:N", sort=list(names)),
        x=alt.X(
            "chance:Q", title="probability", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(tickCount=5, format="%")
        ),
        tooltip=[alt.Tooltip("word:N"), alt.Tooltip("what:N"), alt.Tooltip("chance:Q", format=".4f")],
    )
    bars = base.mark_bar(stroke=INK, strokeWidth=1).encode(
        color=alt.Color(
            "what:N",
            sort=list(names),
            legend=legend,
            scale=alt.Scale(domain=list(names), range=[mark.colour for mark in marks]),
        )
    )
    labels = base.mark_text(align="left", dx=5, fontSize=12).encode(text="said:N", color=alt.value(INK))
    chart = alt.layer(bars, labels).properties(
        height=n_words * (BAR * len(names) + BETWEEN),
        autosize=FIT_WIDTH,
        description=f"The probability of each word, from 0 to 1, as bars: {', '.join(names)}.",
    )
    return spec(chart)
