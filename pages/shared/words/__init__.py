"""Words: a sentence whose words take from each other; each is a button, and shows what it takes from all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
import streamlit.components.v2 as components

from attention_core.examples import Example
from attention_core.examples.wording import Piece, wording
from pages.shared.equation import engine
from pages.shared.notation.palette import WEIGHT
from pages.shared.state import events, session

__all__ = ["words"]

# The modules in the order in which they need each other; the first three are those of equations.
MODULES = (
    "numbers.js", "elements.js", "identity.js", "events.js", "component.js", "pulls.js", "takes.js", "words.js",
)  # fmt: skip
_HERE = Path(__file__).parent
SCRIPT = engine.script_of(_HERE, MODULES)
_component = components.component(
    "attention_lab_words",
    html='<div class="words"></div>',
    css=f".words {{ --pull: var(--st-{WEIGHT}-color); }}\n" + (_HERE / "words.css").read_text(encoding="utf-8"),
    js=SCRIPT,
)


def words(example: Example, weights: np.ndarray, key: str, parameters: Any) -> None:
    """Draw the sentence of an example, and what its chosen word takes from the others.

    The page declares which word asks: `word: int = controls.word(…)`.

    Shapes: weights (n_q, n_k).
    """
    name = f"{session.visit().page}.words.{key}"
    data = {
        "pieces": [_sent(piece) for piece in wording(example)],
        "answers": None if example.context_tokens is None else list(example.context_tokens),
        "weights": weights.tolist(),
        "word": parameters.word,
        "digits": parameters.decimals,
        **events.sync(name),
    }
    _component(
        key=name,
        data=[data],  # a list: in a mapping, Streamlit would look for tables
        on_events_change=lambda: events.receive(name, st.session_state[name].get("events")),
    )


def _sent(piece: Piece) -> dict[str, Any]:
    return {"text": piece.text, "token": piece.token, "instead": piece.instead, "cells": piece.cells}
