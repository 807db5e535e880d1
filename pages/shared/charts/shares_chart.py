"""The chart “shares”: each row of weights as a bar."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import altair as alt
import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from pages.shared.charts.draw import FIT_WIDTH, Spec, draw, spec
from pages.shared.notation.palette import INK, ON_PALE

LABELLED_FROM = 0.08  # a share below this number has no label


def shares(weights: ArrayLike, tokens: Sequence[str], key_tokens: Sequence[str], *, key: str) -> None:
    """Draw each row of attention weights as a bar, in which each weight is a coloured part. A line marks the sum 1.

    `tokens` are the labels of the bars, and `key_tokens` those of the parts.
    """
    weights = np.asarray(weights)
    if not np.isfinite(weights).all():
        st.caption("There is nothing to draw, because ∞ divided by ∞ is not a number.")
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
    draw(data, _shares_spec(n_queries), key=key)


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
    bars = base.mark_bar(stroke=INK, strokeWidth=1).encode(
        x=alt.X("start:Q", title="weight", scale=alt.Scale(domainMin=0), axis=alt.Axis(tickCount=5)),
        x2="end",
        color=alt.Color("key:N", legend=None, sort=None),
        tooltip=[alt.Tooltip("query:N"), alt.Tooltip("key:N"), alt.Tooltip("weight:Q", format=".4f")],
    )
    names = base.mark_text(fontWeight=600).encode(text="label:N", x="middle:Q", color=alt.value(ON_PALE))
    rule = alt.Chart().mark_rule(strokeDash=[4, 3], aria=False).encode(x=alt.datum(1), color=alt.value(INK))
    chart = alt.layer(bars, names, rule).properties(
        height=36 * n_rows,
        autosize=FIT_WIDTH,
        padding={"left": 5, "top": 5, "right": 16, "bottom": 5},  # so that the last number of the axis is not cut
        description="Each row’s weights as a bar of labelled shares; a rule marks 1.",
    )
    return spec(chart)
