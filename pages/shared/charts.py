"""Charts: Altair specifications, each built once and fed with data at every run."""

from __future__ import annotations

from collections.abc import Sequence
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
    rows = [
        {
            "query": f"{i + 1} {query}",
            "key": f"{j + 1} {answer}",
            "label": answer,
            "weight": float(weights[i, j]),
            "order": j,
        }
        for i, query in enumerate(tokens)
        for j, answer in enumerate(key_tokens)
    ]
    said = "; ".join(
        f"{query}: " + ", ".join(f"{weights[i, j]:.2f} {answer}" for j, answer in enumerate(key_tokens))
        for i, query in enumerate(tokens)
    )
    said_as = f"Bars of weights, one a row; a rule marks 1. {said}."
    _draw(rows, _shares_spec(len(tokens)), said_as, key=key)


@cache
def _shares_spec(n_rows: int) -> Spec:
    base = alt.Chart().encode(
        y=alt.Y(
            "query:N",
            title=None,
            sort=None,
            axis=alt.Axis(labelExpr="slice(datum.label, indexof(datum.label, ' '))", labelLimit=140),
        ),
        x=alt.X(
            "sum(weight):Q", title="weight", stack="zero", scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=5)
        ),
        order=alt.Order("order:Q"),
    )
    bars = base.mark_bar(stroke="white", strokeWidth=1).encode(
        color=alt.Color("key:N", legend=None, sort=None),
        tooltip=[alt.Tooltip("query:N"), alt.Tooltip("key:N"), alt.Tooltip("weight:Q", format=".4f")],
    )
    names = (
        base.transform_filter(alt.datum.weight >= LABELLED_FROM)
        .mark_text(fontWeight=600, color="#111")
        .encode(text="label:N", x=alt.X("sum(weight):Q", stack="zero", bandPosition=0.5), detail="key:N")
    )
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], color="gray", aria=False).encode(x=alt.datum(1))
    return _spec(alt.layer(bars, names, rule).properties(height=36 * n_rows + 56))


def values_plane(
    values: np.ndarray, path: np.ndarray, now: np.ndarray, tokens: Sequence[str], asks: str, *, key: str
) -> None:
    """Draw the values' first two features as points, and the way of a result among them from blurred to sharp."""
    rows = [
        {"kind": "value", "a": float(v[0]), "b": float(v[1]), "label": t, "order": i}
        for i, (v, t) in enumerate(zip(values, tokens, strict=True))
    ]
    rows += [{"kind": "path", "a": float(p[0]), "b": float(p[1]), "label": "", "order": i} for i, p in enumerate(path)]
    rows += [{"kind": "now", "a": float(now[0]), "b": float(now[1]), "label": f"what “{asks}” gets", "order": 0}]
    places = ", ".join(f"{t} at ({v[0]:.2f}, {v[1]:.2f})" for v, t in zip(values, tokens, strict=True))
    said_as = f"The values as points: {places}. What {asks} gets lies among them, at ({now[0]:.2f}, {now[1]:.2f})."
    _draw(rows, _plane_spec(), said_as, key=key)


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
    return _spec(alt.layer(path, marks, now, names).properties(height=320))


def _draw(rows: list[dict[str, Any]], spec: Spec, said_as: str, key: str) -> None:
    """Draw a chart; what it says to those who do not see it goes into the specification's description."""
    st.vega_lite_chart(pd.DataFrame(rows), spec | {"description": said_as}, key=key)


def _spec(chart: Any) -> Spec:
    spec = chart.to_dict(validate=False)
    # Data comes with each run: what Altair puts in its place must go, or it would hide that.
    for part in (spec, *spec["layer"]):
        part.pop("data", None)
    spec.pop("datasets", None)
    return spec
