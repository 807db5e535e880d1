"""A sentence whose words attend to each other. Each word is a button, and shows what it takes from the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from attention_core.examples import Example
from attention_core.examples.sentence import Piece, wording
from pages.shared.equation import Matrix, engine, formulas_of_page
from pages.shared.equation.engine import note_picture
from pages.shared.notation.palette import HUES, css
from pages.shared.notation.texts import texts_beside
from pages.shared.state import events, session

__all__ = ["words"]

TEXTS = texts_beside(__file__)

MODULES = ("ends.js", "pulls.js", "takes.js", "words.js")  # each follows those that it imports, and those of equations
_HERE = Path(__file__).parent
SCRIPT = engine.script_of(_HERE, MODULES)
WORDS = engine.component_kind(
    "words",
    f".words {{ --pull: {css(HUES['weight'])}; }}\n" + (_HERE / "words.css").read_text(encoding="utf-8"),
    engine.own_scope(SCRIPT),
)


def words(example: Example, weights: Matrix, key: str, parameters: Any) -> None:
    """Draw the sentence of an example. Each word shows how much attention the chosen word pays to it."""
    name = f"{session.visit().page}.words.{key}"
    data = {
        "pieces": [_message_of(piece, example) for piece in wording(example)],
        "answers": None if example.context_tokens is None else list(example.context_tokens),
        "id": weights.id,
        "weights": weights.values.tolist(),
        "formulas": formulas_of_page([weights]),
        "word": parameters.word,
        "digits": parameters.decimals,
        **events.sync(name),
    }
    note_picture(name, TEXTS.fill("picture"))
    WORDS.component(
        key=name,
        data=[data],  # in a list, because Streamlit would search a mapping for tables
        on_events_change=lambda: events.receive(name, st.session_state[name].get("events")),
    )


def _message_of(piece: Piece, example: Example) -> dict[str, Any]:
    ends = [
        {"word": word, "row": row, "column": column, "value": float(example.x[row, column])}
        for word, (row, column, _) in zip(piece.options, piece.cells, strict=True)
    ]
    return {"text": piece.text, "token": piece.token, "instead": piece.instead, "cells": piece.cells, "ends": ends}
