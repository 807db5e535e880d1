"""Draw a chart: its data and its specification in Vega-Lite as JSON, and the look that all charts have."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal

import altair as alt
import numpy as np
import pyarrow as pa
import streamlit as st

from pages.shared.equation.engine import note_picture
from pages.shared.notation.palette import DASHES, Mark
from pages.shared.notation.texts import texts_beside
from pages.shared.state.opening import focus

TEXTS = texts_beside(__file__)

Spec = dict[str, Any]

FIT_WIDTH = alt.AutoSizeParams(type="fit-x", contains="padding")  # large type then leaves the height as it is
MATHS = "KaTeX_Main, serif"  # the letters of formulas
LETTER = 13  # pixels: the size of names beside lines and points
NAME_WIDTH = 12  # letters: longer names are broken into lines
LINE_HEIGHT = 15  # pixels
ROOM_FOR_NUMBERS = 24  # pixels to the right of the last number of an axis
# The look of all charts. The title of a vertical axis stands above it, so that it takes no width on a phone.
LOOK: Spec = {
    "axis": {"labelFlush": False, "labelLimit": 240, "labelPadding": 8, "titlePadding": 8},
    "axisLeft": {
        "titleAngle": 0,
        "minExtent": 34,  # so that panels below each other begin at the same place
        "titleAlign": "left",
        "titleAnchor": "end",
        "titleX": 0,
        "titleY": -10,
        "titleBaseline": "bottom",
    },
}


def draw(data: Mapping[str, Any], *specs: Spec, key: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw a chart from its data and its specification. `key` is the name of the chart on the page.

    A chart of several panels has several specifications. Only the data may differ from run to run. If a specification
    changed, the browser would build the chart again.

    If the open scene of a lecture is about this chart, draw it in a container. The browser can find a container by its
    key, but not a chart.
    """
    note_picture(key, TEXTS.fill("picture"))
    focused = key == focus()
    with st.container(key=key) if focused else nullcontext():
        for i, panel in enumerate(specs):
            own = f"chart.{key}" if focused else key
            st.vega_lite_chart(pa.table(dict(data)), panel, key=f"{own}.{i}" if i else own, width=width)


def spec(chart: Any) -> Spec:
    """Return an Altair chart’s specification in the look of all charts, and without its data.

    Each run of the page sends the present data. Data in the specification would hide them.
    """
    made = chart.to_dict(validate=False)
    for part in (made, *made.get("layer", ())):
        part.pop("data", None)
    made.pop("datasets", None)
    padding = {"left": 5, "top": 5, "right": ROOM_FOR_NUMBERS, "bottom": 5}
    return {"padding": padding, **made, "config": LOOK}


# --- series, and their names ---


def series_encodings(field: str, marks: Sequence[Mark], names: Sequence[str]) -> dict[str, Any]:
    """Return Altair encodings that give each series its colour and its dashes. They have no legend.

    `field` is the column of the data that names the series, `marks` has a colour and a kind of line for each series,
    and `names` are the names in the same order.
    """
    shared: dict[str, Any] = {"legend": None, "sort": None}
    colours = alt.Scale(domain=list(names), range=[mark.colour for mark in marks])
    dashes = alt.Scale(domain=list(names), range=[DASHES[mark.line] for mark in marks])
    return {
        "color": alt.Color(field, scale=colours, **shared),
        "strokeDash": alt.StrokeDash(field, scale=dashes, **shared),
    }


def name_lines(name: str) -> str:
    """Return the name of a series in lines that are short enough to stand beside the end of its line in a chart."""
    return "\n".join(textwrap.wrap(name, NAME_WIDTH)) or name


def apart(ends: Sequence[float], low: float, high: float, height: float, lines: int = 1) -> list[float]:
    """Return where the names of series stand: each beside the end of its line, but no two over each other.

    `ends` are the last values, `low` and `high` the ends of the axis, `height` its pixels, and `lines` how many lines
    the longest name has.

    >>> apart([0.0, 0.5, 0.5], 0, 1, 100)
    [0.0, 0.425, 0.575]
    """
    gap = lines * LINE_HEIGHT * (high - low) / height
    order = np.argsort(ends, kind="stable")
    groups: list[list[float]] = []  # each has names that touch: the middle of the group, and how many there are
    for end in np.asarray(ends, dtype=float)[order]:
        groups.append([float(end), 1])
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < gap * (groups[-1][1] + groups[-2][1]) / 2:
            (above, many), (below, few) = groups.pop(), groups.pop()
            groups.append([(above * many + below * few) / (many + few), many + few])
    places = [middle + gap * (i - (n - 1) / 2) for middle, n in groups for i in range(int(n))]
    found = np.empty(len(places))
    found[order] = places
    return [round(place, 6) for place in found.tolist()]


def named_ends(
    series: Mapping[str, Sequence[float] | np.ndarray], low: float, high: float, height: float
) -> dict[str, Any]:
    """Return two columns of data that name each series beside its last value: the name there, and its height.

    The rows of the data are the values of the series, one series after the other. `low` and `high` are the ends of the
    axis, and `height` its pixels.
    """
    names, values = [name_lines(name) for name in series], list(series.values())
    last = np.cumsum([len(each) for each in values]) - 1
    said, beside = np.full(last[-1] + 1, "", dtype=object), np.full(last[-1] + 1, np.nan)
    said[last] = names
    beside[last] = apart([each[-1] for each in values], low, high, height, max(name.count("\n") + 1 for name in names))
    return {"name": said, "beside": beside}


def name_layer(
    base: alt.Chart, colour: alt.Color | Mapping[str, Any], y: str, title: str | None, *, maths: bool = False
) -> alt.Chart:
    """Return the layer of a chart that writes the names of its series. `y` is the column with their heights."""
    look: dict[str, Any] = {"fontSize": LETTER}
    if maths:
        look = {"font": MATHS, "fontStyle": "italic", "fontSize": LETTER + 2}
    text = base.transform_filter("datum.name").mark_text(
        align="left", baseline="middle", dx=9, lineBreak="\n", lineHeight=LINE_HEIGHT, aria=False, **look
    )
    return text.encode(y=alt.Y(f"{y}:Q", title=title), text="name:N", color=colour, tooltip=alt.value(None))
