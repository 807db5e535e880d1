"""Draw a chart: its data and its specification in Vega-Lite as JSON, and pictures as PNG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal

import altair as alt
import pyarrow as pa
import streamlit as st

from pages.shared.equation.engine import note_picture
from pages.shared.notation.palette import DASHES, Mark
from pages.shared.notation.texts import texts_beside
from pages.shared.state.opening import focus

TEXTS = texts_beside(__file__)

Spec = dict[str, Any]

FIT_WIDTH = alt.AutoSizeParams(type="fit-x", contains="padding")  # large type then leaves the height as it is


def draw(data: Mapping[str, Any], spec: Spec, *, key: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw a chart from its data and its specification. `key` is the name of the chart on the page.

    Only the data may differ from run to run. If the specification changed, the browser would build the chart again.

    If the open scene of a lecture is about this chart, draw it in a container. The browser can find a container by its
    key, but not a chart.
    """
    note_picture(key, TEXTS.fill("picture"))
    focused = key == focus()
    with st.container(key=key) if focused else nullcontext():
        st.vega_lite_chart(pa.table(dict(data)), spec, key=f"chart.{key}" if focused else key, width=width)


def spec(chart: Any) -> Spec:
    """Return an Altair chart’s specification without its data.

    Each run of the page sends the present data. Data in the specification would hide them.
    """
    made = chart.to_dict(validate=False)
    for part in (made, *made.get("layer", ()), *made.get("vconcat", ())):
        part.pop("data", None)
    made.pop("datasets", None)
    return made


def series_encodings(
    field: str, marks: Sequence[Mark], *, title: str | None, values: Sequence[Any] = ()
) -> dict[str, Any]:
    """Return Altair encodings that give each series its own colour and, for people who see no colours, its own dashes.

    `field` is the column of the data that names the series, and `marks` has a colour and a kind of line for each
    series. `values` are the names of the series in the order of `marks`. Without `values`, the order is that of the
    data.
    """
    legend = alt.Legend(orient="top", symbolType="stroke", symbolSize=700, symbolStrokeWidth=3, labelLimit=300)
    shared = {"legend": legend if len(marks) > 1 else None, "sort": None, "title": title}
    domain = list(values) or alt.Undefined
    colours = alt.Scale(domain=domain, range=[mark.colour for mark in marks])
    dashes = alt.Scale(domain=domain, range=[DASHES[mark.line] for mark in marks])
    return {
        "color": alt.Color(field, scale=colours, **shared),
        "strokeDash": alt.StrokeDash(field, scale=dashes, **shared),
    }
