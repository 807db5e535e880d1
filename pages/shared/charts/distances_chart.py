"""The chart “distances”: how the similarity of two positions depends on their distance."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import altair as alt
import numpy as np

from pages.shared.charts.draw import Spec, draw, series_encodings, spec
from pages.shared.notation.palette import SERIES


def distances(similarities: Mapping[str, np.ndarray], *, key: str) -> None:
    """Draw how similar two positions are at the distances 0, 1, 2 and so on: a line for each name in `similarities`."""
    counts = [len(similar) for similar in similarities.values()]
    data = {
        "distance": np.concatenate([np.arange(n) for n in counts]),
        "similarity": np.concatenate(list(similarities.values())),
        "name": np.repeat(list(similarities), counts),
    }
    draw(data, _distances_spec(), key=key)


@cache
def _distances_spec() -> Spec:
    chart = (
        alt.Chart()
        .mark_line(point=True)
        .encode(
            x=alt.X("distance:Q", title="distance", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
            y=alt.Y("similarity:Q", title="similarity", scale=alt.Scale(domainMax=1)),
            **series_encodings("name:N", SERIES[:2], title=None),
            tooltip=[
                alt.Tooltip("name:N"),
                alt.Tooltip("distance:Q"),
                alt.Tooltip("similarity:Q", format=".4f"),
            ],
        )
        .properties(
            height=280,
            description="Lines of similarity by distance: 1 at distance 0, then falling and rising again in waves.",
        )
    )
    return spec(chart)
