"""The plane: a query and the keys as arrows in two dimensions.

Dragging a tip edits the matrix that the arrow comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from attention_core.attention import SelfAttentionTrace
from attention_core.examples import Example
from attention_core.examples import example as unedited
from pages.shared.controls import Parameters
from pages.shared.equation import engine, formulas_of_page
from pages.shared.equation.engine import note_picture
from pages.shared.equation.matrices import attention_matrices
from pages.shared.notation.palette import HUES, css
from pages.shared.state import events, session
from pages.shared.state.session import LONGEST_EDITABLE_SIDE

__all__ = ["plane"]

# Each module follows those that it imports. The modules of equations come first.
MODULES = ("change.js", "space.js", "shapes.js", "drag.js", "plane.js")
_HERE = Path(__file__).parent
SCRIPT = engine.script_of(_HERE, MODULES)
PLANE = engine.component_kind(
    "plane",
    f".plane {{ --query: {css(HUES['query'])}; --key: {css(HUES['key'])}; --weight: {css(HUES['weight'])}; }}\n"
    + (_HERE / "plane.css").read_text(encoding="utf-8"),
    engine.own_scope(SCRIPT),
)


def plane(
    example: Example,
    trace: SelfAttentionTrace,
    token: int,
    dimensions: tuple[int, int],
    key: str,
    parameters: Parameters,
) -> None:
    """Draw the query of a token and all keys as arrows in a plane."""
    name = f"{session.visit().page}.plane.{key}"
    data = {
        "arrows": list(_arrows(example, trace, token, dimensions)),
        "beside": int(np.argmax(trace.scores[token])),  # the key for which the angle with the query is drawn
        "editable": [id for id in ("w_q", "w_k") if _editable(example, id)],
        "formulas": formulas_of_page([attention_matrices(example, trace)["scores"]]),
        "dimensions": list(dimensions),
        "axes": [_axis(example, dimension) for dimension in dimensions],
        "asks": example.tokens[token],
        "edited": example is not unedited(example.name),
        "of": trace.q.shape[-1],
        "takes": [list(pair) for pair in zip(trace.scores[token].tolist(), trace.weights[token].tolist(), strict=True)],
        "present": session.visit().lecture.present,
        "digits": parameters.decimals,
        **events.sync(name),
    }
    note_picture(name, "the arrows")
    PLANE.component(
        key=name,
        data=[data],  # in a list, because Streamlit would search a mapping for tables
        on_events_change=lambda: events.receive(name, st.session_state[name].get("events")),
    )


def _arrows(
    example: Example, trace: SelfAttentionTrace, token: int, dimensions: tuple[int, int]
) -> Iterator[dict[str, Any]]:
    """Yield a description of the arrow of each key, and then of the query of `token`, which is drawn above the keys."""
    source = example.x if example.context is None else example.context
    kept = max(source.shape[1], example.x.shape[1]) <= LONGEST_EDITABLE_SIDE
    for j, name in enumerate(example.key_tokens):
        x = source[j].tolist() if kept else []
        yield {"letter": "k", "token": name, "row": j, "at": trace.k[j, dimensions].tolist(), "x": x, "from": "w_k"}
    x = example.x[token].tolist() if kept else []
    yield {
        "letter": "q",
        "token": example.tokens[token],
        "row": token,
        "at": trace.q[token, dimensions].tolist(),
        "x": x,
        "from": "w_q",
    }


def _editable(example: Example, id: str) -> bool:
    return max(getattr(example, id).shape) <= LONGEST_EDITABLE_SIDE


def _axis(example: Example, dimension: int) -> str:
    names = [whose[dimension] for whose in (example.names.q, example.names.k) if whose]
    return " · ".join(names) or f"dimension {dimension + 1}"
