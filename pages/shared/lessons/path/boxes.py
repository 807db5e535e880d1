"""Boxes: all steps of one head as matrices with their shapes. After the guess the learned ones are marked, and a press
on a box chooses it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
import streamlit.components.v2 as components

from attention_core.examples import Example
from pages.shared.equation import Line
from pages.shared.lessons.path.matrices import story_matrices
from pages.shared.state import session

ROOT = "÷ √dₖ"
# The steps: matrices by name, and the signs between them.
STEPS = (
    ("x", "·", "w_q", "=", "q"),
    ("x", "·", "w_k", "=", "k"),
    ("x", "·", "w_v", "=", "v"),
    ("softmax(", "q", "·", "k^T", ROOT + " ) =", "weights"),
    ("weights", "·", "v", "=", "output"),
    ("output", "·", "w_o", "=", "mixed"),
    ("x", "+", "mixed", "=", "summed"),
)
# What each step computes.
SAID = (
    "queries: what each token looks for",
    "keys: what each token can be found by",
    "values: what tokens take",
    "weights of all tokens",
    "outputs: averages of the values",
    "the outputs as rows of six numbers",
    "added to the rows of the tokens",
)
FIRST = "w_q"  # the box that is chosen at first
LEARNED = ("w_q", "w_k", "w_v", "w_o")
CHOICES: Mapping[str, str] = {
    "x": "X", "w_q": "W^Q", "w_k": "W^K", "w_v": "W^V", "w_o": "W^O", "q": "Q", "k": "K", "v": "V",
    "weights": "A", "output": "Z", "mixed": "Y", "summed": "U",
}  # fmt: skip
_HERE = Path(__file__).parent
_KEY = "path_boxes"

_boxes = components.component(
    "attention_lab_path_boxes",
    html='<div class="boxes"></div>',
    css=(_HERE / "boxes.css").read_text(encoding="utf-8"),
    js=(_HERE / "boxes.js").read_text(encoding="utf-8"),
)


def draw_boxes(example: Example, chosen: str, *, revealed: bool) -> None:
    """Draw the boxes of all steps of attention. The box `chosen` is marked.

    After the answer to the question of the screen is shown (`revealed`), a press on a box chooses it.
    """
    steps = [
        {"said": said, "items": [_message_of(item, example, revealed=revealed) for item in step]}
        for said, step in zip(SAID, STEPS, strict=True)
    ]
    _boxes(
        key=_KEY,
        data=[{"steps": steps, "chosen": chosen if revealed else None}],  # a list, because Streamlit searches mappings
        on_box_change=lambda: _choose(st.session_state[_KEY].get("box")),
    )


def box_lines(example: Example, name: str) -> list[Line]:
    """Return an equation with the matrix that belongs to the box `name`."""
    return [Line((story_matrices(example)[name],))]


def _choose(box: Any) -> None:
    """Choose the box that the visitor has pressed. Ignore other values: a manipulated browser may send anything."""
    if isinstance(box, str) and box in CHOICES:
        session.set_parameters(box=box, cell=None)


def _message_of(item: str, example: Example, *, revealed: bool) -> dict[str, Any]:
    name, turned = item.removesuffix("^T"), item.endswith("^T")
    if name not in CHOICES:
        return {"sign": item}
    matrix = story_matrices(example)[name]
    rows, columns = matrix.values.shape[:: -1 if turned else 1]
    base, _, raised = (matrix.symbol + "^⊤" * turned).partition("^")
    return {
        "name": name, "base": base, "raised": raised, "shape": f"{rows}×{columns}", "said": matrix.name,
        "learned": revealed and name in LEARNED,
    }  # fmt: skip
