"""Functions for all charts: a specification is built once, and gets new data at every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Literal

import altair as alt
import pyarrow as pa
import streamlit as st

from pages.shared.equation.drawn import note_picture
from pages.shared.notation.palette import DASHES, Mark
from pages.shared.state.open_scene import focus

Spec = dict[str, Any]

FIT_WIDTH = alt.AutoSizeParams(type="fit-x", contains="padding")  # large type does not reduce the picture’s height


def draw(data: Mapping[str, Any], spec: Spec, *, key: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw a chart. Only its data may differ from run to run, because otherwise the browser would build it again.

    A chart has no key on the page. So a chart that a scene may be about is in a container with its key.
    """
    note_picture(key, "the chart")
    focused = key == focus()
    with st.container(key=key) if focused else nullcontext():
        st.vega_lite_chart(pa.table(dict(data)), spec, key=f"chart.{key}" if focused else key, width=width)


def spec(chart: Any) -> Spec:
    """Return a chart’s specification without its data, which would hide the data that each run sends."""
    made = chart.to_dict(validate=False)
    for part in (made, *made.get("layer", ()), *made.get("vconcat", ())):
        part.pop("data", None)
    made.pop("datasets", None)
    return made


def series_encodings(
    field: str, marks: Sequence[Mark], *, title: str | None, values: Sequence[Any] = ()
) -> dict[str, Any]:
    """Return the encodings that distinguish the series of a field, by colour and by dashes.

    If `values` are given, the marks belong to these, otherwise to the values in the data, in their order. Dashes are
    for those who do not see colours.
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
