"""A sentence in a real model: one head that shows much about the sentence, and what each word takes in this head."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.language_model.head import Head
from attention_core.language_model.shipped import STEPS, TEXTS, shipped_reading
from pages.shared.equation import equation, selected_cell
from pages.shared.model_access import asking, local_model, sentence
from pages.shared.notation.prose import literal
from pages.shared.real_heads import boards, tour
from pages.shared.real_heads.reading import (
    Reading,
    own_answer,
    own_question,
    reading_of_answer,
    reading_of_file,
)
from pages.shared.site.links import link
from pages.shared.state import widgets
from pages.shared.state.places import reserve_container
from pages.shared.words import words

MODEL = "model"  # the source of weights that is a real model
OWN = "own"
DEFAULT = "cat"  # the shipped sentence with which the page opens
SHIPPED = {name: text.strip() for name, text in TEXTS.items()}
# Roles that say nothing about a sentence: these heads attend to the same places in every text.
_EVERYWHERE = ("previous token", "first place", "first word")
HEADS = tuple(dict.fromkeys(role.head for role in tour.roles_of_tour() if role.name not in _EVERYWHERE))
NOT_HERE = "For a sentence of your own, the model has to be on this machine (98 MB). One command installs it:"


def reading_of(parameters) -> Reading | None:
    """Return the sentence with the head that the page shows, or None while the model has not answered.

    `head_that_shows_most` chooses this head.
    """
    shipped = shipped_name(parameters)
    if shipped:
        return reading_of_file(shipped, head_that_shows_most(_shipped_weights(shipped)))
    answer = own_answer(parameters)
    if answer is None or answer.weights is None:
        return None
    return reading_of_answer(answer, head_that_shows_most(answer.weights), OWN)


def shipped_name(parameters) -> str:
    """Return the name of the shipped sentence that is shown, or "" if the visitor has written another sentence."""
    if not local_model.is_available():
        return parameters.shipped
    return next((name for name, text in SHIPPED.items() if text == parameters.own.strip()), "")


@cache_recent
def _shipped_weights(name: str) -> Array:
    return shipped_reading(name).maps / STEPS


def head_that_shows_most(weights: Array) -> Head:
    """Return the head with the greatest weight on an earlier token. Only heads with a known role are compared.

    The first token does not count. Shapes: weights (n_layers, n_heads, n, n).
    """
    n_layers, n_heads, *_ = weights.shape
    there = [head for head in HEADS if head.layer < n_layers and head.head < n_heads] or [Head(0, 0)]
    return max(there, key=lambda head: weights_on_earlier(weights[head]).max())


def weights_on_earlier(weights: Array) -> Array:
    """Return the weights of one head, with 0 in place of each weight that is not on an earlier token.

    The weights on the first token become 0 as well. Shapes: weights (n, n) → (n, n).
    """
    earlier = np.tril(weights, -1)
    earlier[:, 0] = 0
    return earlier


def index_of_word(reading: Reading, word: int) -> int:
    """Return the index of the word that the page is about.

    This is `word`, or if `word` is negative, the word that attends most strongly to an earlier one.
    """
    last = len(reading.tokens) - 1
    return int(weights_on_earlier(reading.weights).max(axis=1).argmax()) if word < 0 else min(word, last)


def draw_text(parameters) -> None:
    """Draw a field in which the visitor writes the sentence. Without the model, draw a list of shipped sentences."""
    with reserve_container("text"):
        if local_model.is_available():
            sentence.draw(parameters, "own", pieces=False)
        else:
            widgets.draw(parameters, "shipped", width=560)
    with reserve_container("asked"):
        question = None if shipped_name(parameters) else own_question(parameters)
        if question and asking.ask(question) and reading_of(parameters) is None:
            asking.wait_for(question)  # the answer came after `reading_of` had looked for it


def show(parameters, reading: Reading) -> None:
    """Draw what one word takes from other words in the shown head, all weights of the head, and links to pages."""
    asks = index_of_word(reading, parameters.word)
    words(reading, reading.weights, "sentence", replace(parameters, word=asks))  # type: ignore[arg-type]
    st.markdown(attends_text(reading, asks))
    equation(boards.who_lines(reading)[:1], "who", parameters)
    selected_cell.hint_and_arithmetic(reading.tokens, reading.tokens, parameters, editable=False)
    link("real_heads", "What do the other heads do? **Real heads**", icon="hub")
    if not local_model.is_available():
        sentence.say_how_to_install(NOT_HERE)


def attends_text(reading: Reading, asks: int) -> str:
    """Return a text that says what a word attends to most, and in which head. `asks` is the index of the word."""
    row, role = reading.weights[asks], tour.role_of(reading.head)
    most = int(row.argmax())
    measured = f"; its measured role is called *{role}*" if role else ""
    first = (
        f" {literal(reading.tokens[0])} stands before every text. A head attends to it if no other token fits."
        if most == 0
        else ""
    )
    return (
        f"This is a trained model, SmolLM2. In its head {reading.head.name} (layer {reading.head.layer}, head "
        f"{reading.head.head}{measured}), {literal(reading.tokens[asks])} attends most to "
        f"{literal(reading.tokens[most])}, with **{row[most]:.2f}**.{first} The model has 270 heads, and each has its "
        "own weights. Of the heads with a measured role, this page shows the head that attends most strongly to an "
        "earlier word here."
    )
