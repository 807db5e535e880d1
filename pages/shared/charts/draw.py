"""What all charts share: a specification is built once, and fed with data at every run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import pandas as pd
import streamlit as st

Spec = dict[str, Any]


def draw(data: Mapping[str, Any], spec: Spec, *, key: str, width: Literal["stretch", "content"] = "stretch") -> None:
    """Draw a chart; only its data may differ from run to run, or the browser would build it anew."""
    st.vega_lite_chart(pd.DataFrame(data), spec, key=key, width=width)


def spec(chart: Any) -> Spec:
    """Return a chart’s specification without data, which comes with each run and which Altair’s own would hide."""
    made = chart.to_dict(validate=False)
    for part in (made, *made.get("layer", ()), *made.get("vconcat", ())):
        part.pop("data", None)
    made.pop("datasets", None)
    return made
