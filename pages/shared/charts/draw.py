"""What all charts share: a specification is built once, and fed with data at every run."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Literal

import pyarrow as pa
import streamlit as st

from pages.shared.state import session
from pages.shared.state.scenes import focus_of

Spec = dict[str, Any]


def draw(data: Mapping[str, Any], spec: Spec, *, key: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw a chart; only its data may differ from run to run, or the browser would build it anew.

    What a scene is about can be found on the page by its key, which Streamlit gives a container, but no chart.
    """
    focused = key == focus_of(session.visit().page, session.visit().lecture.scene)
    with st.container(key=key) if focused else nullcontext():
        st.vega_lite_chart(pa.table(dict(data)), spec, key=f"chart.{key}" if focused else key, width=width)


def spec(chart: Any) -> Spec:
    """Return a chart’s specification without data, which comes with each run and which Altair’s own would hide."""
    made = chart.to_dict(validate=False)
    for part in (made, *made.get("layer", ()), *made.get("vconcat", ())):
        part.pop("data", None)
    made.pop("datasets", None)
    return made
