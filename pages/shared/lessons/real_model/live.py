"""The model itself with a visitor's words: it reads the same text in several ways, and a table compares them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import streamlit as st

from attention_core.language_model.answer import Answer, Question
from attention_core.language_model.block import RIGHT_PARTS, Parts
from attention_core.language_model.pieces import pieces_of
from pages.shared.model_access.asking import ask, stored_answer
from pages.shared.model_access.local_model import is_available, model
from pages.shared.model_access.sentence import say_how_to_install
from pages.shared.notation.prose import literal
from pages.shared.notation.tables import markdown_table
from pages.shared.state import widgets
from pages.shared.state.places import reserve_container

SHOWN = 4  # the number of next words shown for each way
MOST_MORE = 8  # the greatest number of words that continue the text in each way

NOT_HERE = (
    "All numbers above were measured before, on the same model, and are shipped with this app. For words of your own "
    "the model has to be on this machine (98 MB). One command installs it:"
)


class Way(NamedTuple):
    """A way in which the model reads a text, such as with a mistake or without a head."""

    title: str  # its name in the table
    parts: Parts = RIGHT_PARTS
    key: str = "right"  # its name in questions; equal keys must mean equal parts


def draw_model_switch(parameters) -> bool:
    """Draw the switch that lets a visitor ask the model itself. If the model is not installed, say how to install it.

    Return whether the switch is on and the model is installed.
    """
    widgets.draw(parameters, "live")
    with reserve_container("not_at_hand"):
        if not is_available():
            say_how_to_install(NOT_HERE)
    return parameters.live and is_available()


def draw_comparison(
    parameters, tokens: Sequence[int], ways: Sequence[Way], *, counted: int = 1, onward: bool = True
) -> None:
    """Ask the model to read a text in several ways, and draw a table with one row for each way.

    A row has the next word, a longer continuation if `onward`, and the mean loss of the tokens from index `counted` on.
    If `counted` is 0, no loss is shown.
    """
    chains = [list(_questions_in_turn(tuple(tokens), way, parameters.more if onward else 0)) for way in ways]
    answers = ask(*(question for chain in chains for question in chain))
    with reserve_container("compared"):
        if answers is None and not all(stored_answer(chain[0]) for chain in chains):
            return
        if onward:
            widgets.step_button(
                "One word more",
                "more",
                parameters.more + 1,
                icon=":material/arrow_forward:",
                disabled=parameters.more == MOST_MORE or answers is None,
            )
        rows = [_table_row(way.title, chain, counted, onward) for way, chain in zip(ways, chains, strict=True)]
        header = ("the model", *["loss a token"] * bool(counted), "next", *["it goes on"] * onward)
        st.markdown(markdown_table(header, rows, ":--"))


def _questions_in_turn(tokens: tuple[int, ...], way: Way, n: int) -> Iterator[Question]:
    """Yield the question about a text, and then up to `n` questions about longer texts. Each is one word longer.

    Each new word is the likeliest one in the previous answer. Stop after a question without an answer.
    """
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
