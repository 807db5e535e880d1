"""Lines: who looks at whom, between two rows of words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import altair as alt
import numpy as np

from pages.shared.charts.draw import Spec, draw, spec, told_apart
from pages.shared.notation.palette import HEADS, INK

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
        "answers": [*np.take(key_tokens, answer), *[""] * (n_queries + n_keys)],
        "weight": np.concatenate([weights.ravel(), np.ones(n_queries + n_keys)]),
        "top": np.repeat([1, 1, 0], counts),
        "bottom": np.repeat([0, 1, 0], counts),
    }
    draw(data, _lines_spec(max(n_queries, n_keys), n_heads), key=key)


@cache
def _lines_spec(n_words: int, n_heads: int) -> Spec:
    crowded = n_words > MOST_UPRIGHT
    asking = alt.selection_point(fields=["from"], on="pointerover", clear="pointerout", empty=True, name="asking")
    base = alt.Chart().encode(
        x=alt.X("from:Q", axis=None, scale=alt.Scale(zero=False, padding=10 if crowded else 40)),
        y=alt.Y("top:Q", axis=None, scale=alt.Scale(domain=[0, 1])),
    )
    lines = base.mark_rule().transform_filter("datum.kind == 'line'").encode(x2="to:Q", y2="bottom:Q", **_look(n_heads))
    above, below = (_words(base, kind, crowded, n_words) for kind in ("above", "below"))
    chart = alt.layer(
        lines.encode(opacity=alt.condition(asking, _STRENGTH, alt.value(0))), above.add_params(asking), below
    )
    description = (
        "Two rows of words, with lines from each above to those below that it looks at, the stronger the greater the "
        "weight."
    )
    return spec(chart.properties(height=320 if crowded else 200, description=description))


_STRENGTH = alt.Opacity("weight:Q", scale=alt.Scale(domain=[0, 0.7], range=[0, 1], clamp=True), legend=None)


def _look(n_heads: int) -> dict[str, Any]:
    names = {"asks": "looks", "answers": "at"} | ({"head": "head"} if n_heads > 1 else {})
    return {
        **told_apart("head:N", HEADS[:n_heads], values=range(1, n_heads + 1), title="head", below=True),
        "strokeWidth": alt.StrokeWidth("weight:Q", scale=alt.Scale(domain=[0, 1], range=[0.5, 14]), legend=None),
        "tooltip": [
            *(alt.Tooltip(f"{name}:N", title=title) for name, title in names.items()),
            alt.Tooltip("weight:Q", format=".4f"),
        ],
    }


def _words(base: alt.Chart, kind: str, crowded: bool, n_words: int) -> alt.Chart:
    """Draw one of the rows of words, upright where there are few, and turned where there are many."""
    up = kind == "above"
    look: dict[str, Any] = {
        "angle": 270,
        "align": "left" if up else "right",
        "baseline": "middle",
        "dx": 6 if up else -6,
        "limit": 90,
    }
    if not crowded:
        look = {"dy": -12 if up else 16, "limit": alt.ExprRef(f"width / {n_words}")}
    words = base.mark_text(fontSize=13, **look)
    return words.transform_filter(f"datum.kind == '{kind}'").encode(text="asks:N", color=alt.value(INK))
