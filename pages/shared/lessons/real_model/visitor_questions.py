"""What a visitor asks the model itself: a sentence with a mistake, a sentence without heads, or an experiment."""

from __future__ import annotations

import streamlit as st

from attention_core.language_model.answer import Question
from attention_core.language_model.causes import FACT, with_change
from attention_core.language_model.damage import head_measurements, mistakes
from attention_core.language_model.head_changes import cut_heads
from attention_core.language_model.mistakes import parts_with
from attention_core.language_model.pieces import UnreadableError, tokens_of
from attention_core.language_model.texts import capital_of
from pages.shared.lessons.real_model.causes import swap_with, ways_of, words_in
from pages.shared.lessons.real_model.head_words import heads_in
from pages.shared.lessons.real_model.live import Way, draw_comparison
from pages.shared.model_access import sentence
from pages.shared.model_access.asking import ask, stored_answer
from pages.shared.model_access.local_model import model
from pages.shared.notation.prose import what_was_written
from pages.shared.state import widgets
from pages.shared.state.places import reserve_container

FEWEST_WORDS = 2  # fewer words are not enough for an experiment


def draw_with_mistake(parameters) -> None:
    """Draw how the model reads a visitor's sentence without the chosen mistake and with it."""
    layers = None if parameters.where == "all" else [int(parameters.where)]
    wrong = Way(
        "with the mistake",
        parts_with(mistakes()[parameters.mistake], layers),
        f"{parameters.mistake}.{parameters.where}",
    )
    _draw_sentence(parameters, Way("right"), wrong)


def draw_without_heads(parameters) -> None:
    """Draw how the model reads a visitor's sentence with all heads, and without the heads that the visitor names."""
    heads = heads_in(parameters.heads)
    if not heads or not _model_has_these_heads():
        return
    names = " ".join(map(str, heads))
    _draw_sentence(parameters, Way("all heads"), Way(f"without {names}", with_change(cut_heads(heads)), f"cut.{names}"))


def _draw_sentence(parameters, *ways: Way) -> None:
    tokens = sentence.draw(parameters, "text")
    if tokens:
        draw_comparison(parameters, tokens, ways)


def _model_has_these_heads() -> bool:
    """Return whether the model has as many layers and heads as the texts say. If not, draw a warning."""
    rows, columns = head_measurements("added").shape
    have = model().n_layers, model().settings.n_heads
    if have != (rows, columns):
        st.warning(
            f"These heads belong to SmolLM2-135M, which has {rows} layers of {columns} heads. The model here has "
            f"{have[0]} layers of {have[1]} heads. Install SmolLM2-135M.",
            icon=":material/warning:",
        )
    return have == (rows, columns)


def draw_experiment(parameters) -> None:
    """Draw the chosen experiment with a visitor's own words."""
    name = parameters.experiment
    if not _model_has_these_heads():
        return
    widgets.draw(parameters, f"own_{name}")
    own = getattr(parameters, f"own_{name}")
    with reserve_container("own"):
        try:
            {"capitals": _draw_capitals, "induction": _draw_induction, "number": _draw_number}[name](parameters, own)
        except UnreadableError as error:
            st.warning(str(error), icon=":material/edit:")


def _draw_capitals(parameters, own: str) -> None:
    countries = words_in(own)
    if len(countries) != 2:
        raise UnreadableError(
            f"Two countries are needed, but {what_was_written(own)}. Write two, such as “Egypt, Italy”."
        )
    mine, other = countries
    here, there = (tokens_of(capital_of(each), model().vocabulary) for each in countries)
    question = Question(tokens=there, layers=(FACT.layer,))
    first = stored_answer(question)
    if first is None:
        ask(question)
        return
    ways = (Way(mine), swap_with(other, first.layers[FACT.layer].head_outputs[FACT.head][-1]))
    draw_comparison(parameters, here, ways, counted=0, onward=False)


def _draw_induction(parameters, own: str) -> None:
    once = " ".join(words_in(own))
    if len(words_in(own)) < FEWEST_WORDS:
        raise UnreadableError(f"At least two words are needed, but {what_was_written(own)}. Write more words.")
    tokens = tokens_of(f" {once} {once}", model().vocabulary)
    draw_comparison(parameters, tokens, ways_of("induction"), counted=len(tokens) // 2 + 2, onward=False)


def _draw_number(parameters, own: str) -> None:
    draw_comparison(parameters, tokens_of(own, model().vocabulary), ways_of("number"), counted=0, onward=False)
