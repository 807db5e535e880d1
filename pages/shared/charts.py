"""Charts: Altair specifications, each built once and fed with data at every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st

Spec = dict[str, Any]

LABELLED_FROM = 0.08  # a share too small for its label stands without one


def shares(weights: np.ndarray, tokens: Sequence[str], key_tokens: Sequence[str], *, key: str) -> None:
    """Draw each row of weights as a bar of coloured, labelled shares, with a rule at 1."""
    if not np.isfinite(weights).all():
        st.caption("Nothing to draw: ∞ divided by ∞ is no number.")
        return
    n_queries, n_keys = weights.shape
    ends = weights.cumsum(axis=1)
    data = {
        "query": np.repeat([f"{i} {query}" for i, query in enumerate(tokens, start=1)], n_keys),
        "key": np.tile([f"{j} {answer}" for j, answer in enumerate(key_tokens, start=1)], n_queries),
        "label": np.where(weights >= LABELLED_FROM, key_tokens, "").ravel(),
        "weight": weights.ravel(),
        "start": (ends - weights).ravel(),
        "middle": (ends - weights / 2).ravel(),
        "end": ends.ravel(),
    }
    _draw(data, _shares_spec(n_queries), key=key)


@cache
def _shares_spec(n_rows: int) -> Spec:
    base = alt.Chart().encode(
        y=alt.Y(
            "query:N",
            title=None,
            sort=None,
            axis=alt.Axis(labelExpr="slice(datum.label, indexof(datum.label, ' '))", labelLimit=140),
        )
    )
    bars = base.mark_bar(stroke="white", strokeWidth=1).encode(
        x=alt.X("start:Q", title="weight", scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=5)),
        x2="end",
        color=alt.Color("key:N", legend=None, sort=None),
        tooltip=[alt.Tooltip("query:N"), alt.Tooltip("key:N"), alt.Tooltip("weight:Q", format=".4f")],
    )
    names = base.mark_text(fontWeight=600, color="#111").encode(text="label:N", x="middle:Q")
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], color="gray", aria=False).encode(x=alt.datum(1))
    chart = alt.layer(bars, names, rule).properties(
        height=36 * n_rows + 56, description="Each row’s weights as a bar of labelled shares; a rule marks 1."
    )
    return _spec(chart)


def values_plane(
    values: np.ndarray, path: np.ndarray, now: np.ndarray, tokens: Sequence[str], asks: str, *, key: str
) -> None:
    """Draw the values' first two features as points, and the way of a result among them from blurred to sharp."""
    points = np.vstack([path, values, now])[:, :2]
    kinds, counts = ["path", "value", "now"], [len(path), len(values), 1]
    data = {
        "kind": np.repeat(kinds, counts),
        "a": points[:, 0],
        "b": points[:, 1],
        "label": [*[""] * len(path), *tokens, f"what “{asks}” gets"],
        "order": np.arange(len(points)),
    }
    _draw(data, _plane_spec(), key=key)


@cache
def _plane_spec() -> Spec:
    base = alt.Chart().encode(
        x=alt.X("a:Q", title="feature 1 of the value", scale=alt.Scale(zero=False, padding=30)),
        y=alt.Y("b:Q", title="feature 2 of the value", scale=alt.Scale(zero=False, padding=30)),
    )
    path = (
        base.transform_filter("datum.kind == 'path'").mark_line(strokeDash=[5, 3], color="gray").encode(order="order:Q")
    )
    marks = base.transform_filter("datum.kind == 'value'").mark_point(
        size=160, filled=True, shape="square", color="#1b8a6b"
    )
    now = base.transform_filter("datum.kind == 'now'").mark_point(size=220, filled=True, color="#d9720f")
    names = (
        base.transform_filter("datum.kind != 'path'")
        .mark_text(dy=-16, fontSize=14, color="gray")
        .encode(text="label:N")
    )
    chart = alt.layer(path, marks, now, names).properties(
        height=320,
        description="The values as points, and among them what is looked up, on its way from their mean to the best.",
    )
    return _spec(chart)


def _draw(data: Mapping[str, Any], spec: Spec, *, key: str) -> None:
    """Draw a chart; only its data may differ from run to run, or the browser would build it anew."""
    st.vega_lite_chart(pd.DataFrame(data), spec, key=key)


def _spec(chart: Any) -> Spec:
    spec = chart.to_dict(validate=False)
    # Data comes with each run: what Altair puts in its place must go, or it would hide that.
    for part in (spec, *spec["layer"]):
        part.pop("data", None)
    spec.pop("datasets", None)
    return spec
