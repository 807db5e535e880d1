"""The chart “saturations”: how close softmax comes to a single weight of 1 as d_k grows, for each divisor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import altair as alt
import numpy as np

from attention_core.experiments.saturation import Saturation
from pages.shared.charts.draw import Spec, draw, series_encodings, spec
from pages.shared.notation.palette import SERIES
from pages.shared.notation.plain import plain

# The measurement in each panel: its column in the data, and its title.
PANELS = {"largest": "largest weight", "entropy": "entropy, nats", "jacobian": "norm of the Jacobian"}


def saturations(measurements: Mapping[str, Saturation], widths: Sequence[int], *, key: str) -> None:
    """Draw three panels over d_k: the largest weight, the entropy, and the norm of the Jacobian of the softmax.

    Each panel has one line for each divisor. `measurements` has the three measurements by the name of the divisor, and
    `widths` are the values of d_k.
    """
    parts = list(measurements.values())
    data = {
        "d_k": np.tile(widths, len(parts)),
        "divisor": np.repeat([plain(name) for name in measurements], len(widths)),
        "largest": np.concatenate([part.largest for part in parts]),
        "entropy": np.concatenate([part.entropies for part in parts]),
        "jacobian": np.concatenate([part.jacobians for part in parts]),
    }
    draw(data, _saturations_spec(tuple(map(plain, measurements))), key=key)


@cache
def _saturations_spec(divisors: tuple[str, ...]) -> Spec:
    lines = series_encodings("divisor:N", SERIES[: len(divisors)], values=divisors, title=None)
    last, width = list(PANELS)[-1], plain("d_k")

    def panel(field: str, title: str) -> alt.Chart:
        axis = alt.Axis(values=[4**i for i in range(6)], labels=field == last, ticks=field == last)
        return (
            alt.Chart()
            .mark_line(point=True)
            .encode(
                x=alt.X(
                    "d_k:Q",
                    title=width if field == last else None,
                    scale=alt.Scale(type="log", base=2),
                    axis=axis,
                ),
                y=alt.Y(f"{field}:Q", title=title, scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=4)),
                **lines,
                tooltip=[
                    alt.Tooltip("d_k:Q", title=width),
                    "divisor:N",
                    alt.Tooltip(f"{field}:Q", title=title, format=".4f"),
                ],
            )
            .properties(height=110)
        )

    chart = alt.vconcat(*(panel(*each) for each in PANELS.items())).properties(
        description="Largest weight, entropy and norm of the Jacobian over d_k from 1 to 1024, a line for each divisor."
    )
    return spec(chart)
