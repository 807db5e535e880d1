"""What all charts share: a specification is built once, and fed with data at every run."""

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

FIT_WIDTH = alt.AutoSizeParams(type="fit-x", contains="padding")  # large type takes nothing from the picture’s height


def draw(data: Mapping[str, Any], spec: Spec, *, key: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw a chart; only its data may differ from run to run, or the browser would build it anew.

    The chart that a scene is about stands in a container with its key, since a chart has no key on the page.
    """
    note_picture(key, "the chart")
    focused = key == focus()
    with st.container(key=key) if focused else nullcontext():
        st.vega_lite_chart(pa.table(dict(data)), spec, key=f"chart.{key}" if focused else key, width=width)


def spec(chart: Any) -> Spec:
    """Return a chart’s specification without its data: each run sends data, and that of Altair would hide it."""
    made = chart.to_dict(validate=False)
    for part in (made, *made.get("layer", ()), *made.get("vconcat", ())):
        part.pop("data", None)
    made.pop("datasets", None)
    return made


def series_encodings(
    field: str, marks: Sequence[Mark], *, title: str | None, values: Sequence[Any] = ()
) -> dict[str, Any]:
    """Return the encodings that tell the series of a field apart: by colour and, where it is not seen, by dashes.

    The marks are those of the values; where none are given, of those in the data, in their order.
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
