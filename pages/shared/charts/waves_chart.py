"""The chart “waves”: columns of the encoding as sines and cosines over positions."""

from __future__ import annotations

from functools import cache

import altair as alt
import numpy as np

from attention_core import sinusoidal_at, wavelengths
from pages.shared.charts import MOST_POSITIONS
from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec
from pages.shared.notation.palette import COLOURS

SAMPLES = 401


def waves(n_positions: int, d_model: int, base: float, *, key: str) -> None:
    """Draw some columns of the positional encoding as waves over the positions, from the fastest to the slowest.

    The columns are in pairs, a sine and a cosine, and each pair has its own colour. A dot marks each position. `base`
    is the base of the wavelengths.
    """
    n_positions = min(n_positions, MOST_POSITIONS)
    pairs = np.unique(np.linspace(0, d_model // 2 - 1, len(COLOURS)).round().astype(int))
    between = np.linspace(0, max(n_positions - 1, 1), SAMPLES)
    whole = np.arange(n_positions)
    positions = np.concatenate([between, whole])
    table = sinusoidal_at(positions, d_model, base)
    long = wavelengths(d_model, base)
    n, each = len(positions), 2 * len(pairs)
    data = {
        "position": np.tile(positions, each),
        "value": np.concatenate([table[:, 2 * pair + half] for pair in pairs for half in (0, 1)]),
        "wavelength": np.repeat(long[pairs], 2 * n),
        "cosine": np.tile(np.repeat([0, 1], n), len(pairs)),
        "dot": np.tile(np.repeat([False, True], [SAMPLES, len(whole)]), each),
    }
    draw(data, _waves_spec(), key=key)


@cache
def _waves_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X("position:Q", title="position", axis=alt.Axis(tickMinStep=1), scale=alt.Scale(nice=False)),
        y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=[-1, 1])),
        color=alt.Color(
            "wavelength:N",
            title="wavelength (positions); sine solid, cosine dashed",
            scale=alt.Scale(range=COLOURS),
            legend=alt.Legend(orient="top", columns=4, titleLimit=700, labelExpr="format(datum.value, ',.2f')"),
        ),
    )
    lines = (
        base.transform_filter("!datum.dot")
        .mark_line(strokeWidth=2)
        .encode(
            strokeDash=alt.StrokeDash("cosine:N", legend=None)  # its own legend would make the chart too high
        )
    )
    dots = base.transform_filter("datum.dot").mark_point(filled=True, size=40, opacity=1)
    chart = alt.layer(lines, dots).properties(
        height=240,
        autosize=FIT_WIDTH,
        description="Pairs of columns as waves over positions: sines solid, cosines dashed, each pair slower than the "
        "one before; dots mark whole positions.",
    )
    return spec(chart)
