"""Lines: who looks at whom, between two rows of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import altair as alt
import numpy as np

from pages.shared.charts.draw import Spec, draw, spec

HEADS = ["#1b8a6b", "#d9720f", "#2f6fd0", "#8a4fc7"]
MOST_UPRIGHT = 8  # words that stand side by side without being turned


def attention_lines(weights: np.ndarray, tokens: Sequence[str], key_tokens: Sequence[str], *, key: str) -> None:
    """Draw a line from each word above to each below, the stronger the greater its weight; a colour for each head.

    Weights are (n_heads, n_q, n_k).
    """
    n_heads, n_queries, n_keys = weights.shape
    head, query, answer = (index.ravel() for index in np.indices(weights.shape))
    above, below = np.arange(n_queries), np.arange(n_keys)
    counts = [head.size, n_queries, n_keys]
    data = {
        "kind": np.repeat(["line", "above", "below"], counts),
        "head": np.repeat([1, 0], [head.size, n_queries + n_keys]) + np.pad(head, (0, n_queries + n_keys)),
        "from": np.concatenate([query, above, below]),
        "to": np.concatenate([answer, above, below]),
        "asks": [*np.take(tokens, query), *tokens, *key_tokens],
        "answers": [*np.take(key_tokens, answer), *tokens, *key_tokens],
        "weight": np.concatenate([weights.ravel(), np.ones(n_queries + n_keys)]),
        "top": np.repeat([1, 1, 0], counts),
        "bottom": np.repeat([0, 1, 0], counts),
    }
    draw(data, _lines_spec(max(n_queries, n_keys) > MOST_UPRIGHT, n_heads > 1), key=key)


@cache
def _lines_spec(crowded: bool, several: bool) -> Spec:
    asking = alt.selection_point(fields=["from"], on="pointerover", clear="pointerout", empty=True, name="asking")
    x = alt.X("from:Q", axis=None, scale=alt.Scale(zero=False, padding=40))
    base = alt.Chart().encode(x=x, y=alt.Y("top:Q", axis=None, scale=alt.Scale(domain=[0, 1])))
    colour = alt.Color(
        "head:N",
        scale=alt.Scale(domain=[1, 2, 3, 4], range=HEADS),
        legend=alt.Legend(title="head", orient="bottom", values=[1, 2, 3, 4]) if several else None,
    )
    strength = alt.Opacity("weight:Q", scale=alt.Scale(domain=[0, 1], range=[0.04, 1]), legend=None)
    lines = (
        base.transform_filter("datum.kind == 'line'")
        .mark_rule()
        .encode(
            x2="to:Q",
            y2="bottom:Q",
            color=colour,
            opacity=alt.condition(asking, strength, alt.value(0)),
            strokeWidth=alt.StrokeWidth("weight:Q", scale=alt.Scale(domain=[0, 1], range=[0.5, 9]), legend=None),
            tooltip=[
                alt.Tooltip("asks:N", title="looks"),
                alt.Tooltip("answers:N", title="at"),
                alt.Tooltip("weight:Q", format=".4f"),
            ],
        )
    )
    turned = {"angle": 315, "align": "left", "limit": 90} if crowded else {"align": "center", "limit": 120}
    down = {"angle": 45, "align": "left", "limit": 90} if crowded else {"align": "center", "limit": 120}
    words = base.mark_text(fontSize=14, color="gray", dy=-12, **turned).transform_filter("datum.kind == 'above'")
    looked_at = base.mark_text(fontSize=14, color="gray", dy=16, **down).transform_filter("datum.kind == 'below'")
    chart = alt.layer(
        lines, words.encode(text="asks:N").add_params(asking), looked_at.encode(text="answers:N")
    ).properties(
        height=260 if crowded else 200,
        padding={
            "top": 70 if crowded else 24,
            "bottom": 70 if crowded else 24,
            "left": 5,
            "right": 50 if crowded else 5,
        },
        description="Two rows of words, with lines from each above to those below that it looks at, "
        "the stronger the greater the weight.",
    )
    return spec(chart)
