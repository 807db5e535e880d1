"""A visitor's questions to the real model: sentences that it reads right, with a mistake, or without some heads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.language_model.answer import Answer, Question
from attention_core.language_model.causes import (
    FACT,
    INDUCTION,
    INDUCTION_CONTROLS,
    NUMBER,
    NUMBER_CONTROLS,
    PREVIOUS,
    head_measurements,
    mistakes,
    with_change,
)
from attention_core.language_model.mistakes import average_heads, cut_heads, parts_with, replace_output
from attention_core.language_model.model import RIGHT_PARTS, Head, Parts
from attention_core.language_model.tokens import UnreadableError, capital_of, pieces_of, tokens_of
from pages.real_model.lesson import TEXTS, heads_in
from pages.shared import panel
from pages.shared.model_access import sentence
from pages.shared.model_access.asking import ask, is_available, model, stored_answer
from pages.shared.notation.prose import literal, markdown_table, what_was_written
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container

SHOWN = 4  # the number of next words shown for each way
MOST_MORE = 8  # the greatest number of words that continue the text in each way
FEWEST_WORDS = 2  # fewer words are not enough for an experiment


class Way(NamedTuple):
    """A way in which the model reads a text, such as with a mistake or without a head."""

    title: str  # its name in the table
    parts: Parts = RIGHT_PARTS
    key: str = "right"  # its name in questions; equal keys must mean equal parts


def draw_model_switch(parameters) -> bool:
    """Draw the switch to the model itself, or how to install it, and return whether it is on and the model is there."""
    panel.draw(parameters, "live", "live")
    with reserve_container("not_at_hand"):
        if not is_available():
            sentence.say_how_to_install(TEXTS.fill("not_here"))
    return parameters.live and is_available()


def draw_comparison(
    parameters, tokens: Sequence[int], ways: Sequence[Way], *, counted: int = 1, onward: bool = True
) -> None:
    """Ask the model to read a text in several ways, and draw a table of next words, one row for each way."""
    chains = [list(_questions_in_turn(tuple(tokens), way, parameters.more if onward else 0)) for way in ways]
    answers = ask(*(question for chain in chains for question in chain))
    with reserve_container("compared"):
        if answers is None and not all(stored_answer(chain[0]) for chain in chains):
            return
        if onward:
            label, ends = TEXTS.fill("one_word_more"), parameters.more == MOST_MORE or answers is None
            more = min(parameters.more + 1, MOST_MORE)
            go_on = panel.button(parameters, label, {"more": more}, icon="arrow_forward", disabled=ends)
            panel.draw(parameters, "more", go_on)
        rows = [_table_row(way.title, chain, counted, onward) for way, chain in zip(ways, chains, strict=True)]
        who, loss, following, more = TEXTS.points("columns_of_comparison")
        header = (who, *[loss] * bool(counted), following, *[more] * onward)
        st.markdown(markdown_table(header, rows, ":--"))


def _questions_in_turn(tokens: tuple[int, ...], way: Way, n: int) -> Iterator[Question]:
    """Yield the question about a text, then up to `n` more, each with the likeliest next word of the answer before."""
    for _ in range(n + 1):
        yield (question := Question(tokens=tokens, parts_name=way.key, parts=way.parts))
        answer = stored_answer(question)
        if answer is None:
            return
        tokens = (*tokens, int(answer.next_tokens[-1, 0]))


def _table_row(title: str, chain: Sequence[Question], counted: int, onward: bool) -> tuple[str, ...]:
    first = stored_answer(chain[0])
    if first is None:
        return title, *[""] * bool(counted), "", *[""] * onward
    loss = [f"{np.mean(first.losses[counted - 1 :]):.2f}"] * bool(counted)
    return title, *loss, _next_words_text(first), *[_continuation_text(chain)] * onward


def _next_words_text(answer: Answer) -> str:
    best = zip(answer.next_tokens[-1, :SHOWN], answer.probabilities[-1, :SHOWN], strict=True)
    return ", ".join(f"{literal(_text_of([token]))} {share:.0%}" for token, share in best)


def _continuation_text(chain: Sequence[Question]) -> str:
    written = chain[-1].tokens[len(chain[0].tokens) :]
    return literal(_text_of(written)) if written else "…"


def _text_of(tokens: Sequence[int]) -> str:
    return " ".join(pieces_of(map(int, tokens), model().vocabulary))


def draw_with_mistake(parameters) -> None:
    """Draw how the model reads a visitor's sentence without the chosen mistake and with it."""
    layers = None if parameters.where == "all" else [int(parameters.where)]
    wrong = Way(
        TEXTS.fill("with_the_mistake"),
        parts_with(mistakes()[parameters.mistake], layers),
        f"{parameters.mistake}.{parameters.where}",
    )
    _draw_sentence(parameters, Way(TEXTS.fill("right")), wrong)


def draw_without_heads(parameters) -> None:
    """Draw how the model reads a visitor's sentence with all heads, and without the heads that the visitor names."""
    heads = heads_in(parameters.heads)
    if not heads or not _model_has_these_heads():
        return
    names = " ".join(map(str, heads))
    without = Way(TEXTS.fill("without_heads", heads=names), with_change(cut_heads(heads)), f"cut.{names}")
    _draw_sentence(parameters, Way(TEXTS.fill("all_heads")), without)


def _draw_sentence(parameters, *ways: Way) -> None:
    tokens = sentence.draw(parameters, "text")
    if tokens:
        draw_comparison(parameters, tokens, ways)


def _model_has_these_heads() -> bool:
    """Return whether the model has as many layers and heads as the texts say."""
    rows, columns = head_measurements("added").shape
    have = model().n_layers, model().settings.n_heads
    if have != (rows, columns):
        st.warning(
            TEXTS.fill("another_model", layers=rows, heads=columns, own_layers=have[0], own_heads=have[1]),
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
        raise UnreadableError(TEXTS.fill("two_countries_needed", written=what_was_written(own)))
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
        raise UnreadableError(TEXTS.fill("two_words_needed", written=what_was_written(own)))
    tokens = tokens_of(f" {once} {once}", model().vocabulary)
    draw_comparison(parameters, tokens, ways_of("induction"), counted=len(tokens) // 2 + 2, onward=False)


def _draw_number(parameters, own: str) -> None:
    draw_comparison(parameters, tokens_of(own, model().vocabulary), ways_of("number"), counted=0, onward=False)


def words_in(text: str) -> tuple[str, ...]:
    """Return the words of a visitor's text."""
    return tuple(word for word in re.split(r"[\s,;]+", text) if word)


def ways_of(name: str) -> tuple[Way, ...]:
    """Return the ways to run the model that the experiment `name` compares; that on capitals uses `swap_with`."""
    as_it_is = Way(TEXTS.fill("as_it_is"))
    if name == "induction":
        return (
            as_it_is,
            Way(TEXTS.fill("head_averaged", head=str(PREVIOUS)), with_change(average_heads([PREVIOUS])), "averaged"),
            Way(TEXTS.fill("heads_cut", n=len(INDUCTION)), with_change(cut_heads(INDUCTION)), "cut.induction"),
            Way(
                TEXTS.fill("others_cut", n=len(INDUCTION_CONTROLS)),
                with_change(cut_heads(INDUCTION_CONTROLS)),
                "cut.controls",
            ),
        )
    return (as_it_is, *(_without(head) for head in (NUMBER, NUMBER_CONTROLS[0])))


def _without(head: Head) -> Way:
    return Way(TEXTS.fill("head_cut", head=str(head)), with_change(cut_heads([head])), f"cut.{head}")


def swap_with(other: str, row) -> Way:
    """Return the way to run the model with `row`, the output of one head in a sentence about the country `other`."""
    title = TEXTS.fill("swapped_from", head=str(FACT), capital=capital_of(other))
    return Way(title, with_change(replace_output(FACT, row)), f"swapped.{other}")
