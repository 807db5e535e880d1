"""Read pasted texts: return the matrix in each text, or say in which place the text cannot be read."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from attention_core.caching import cache_recent
from attention_core.reading.matrix_text import MOST_CHARACTERS, MatrixText, read_matrix
from attention_core.reading.written import AmbiguousTextError, MatrixTextError
from pages.shared.controls import Parameters
from pages.shared.controls.text_area import LONGEST_IN_LINK
from pages.shared.lessons.check_my_matrix import choosing, filling
from pages.shared.lessons.check_my_matrix.choosing import Choice, choices_of
from pages.shared.notation.prose import literal
from pages.shared.state import widgets

MASK = "own_mask"
_TRUTHS = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
MOST_TOKENS = 64  # the scores of more tokens take too long to diagnose
OF_TOKENS = ("own_x", "own_q", "own_k", "own_v", "own_scores")  # a row for each token
AROUND = 36  # how many characters are shown on each side of the place that cannot be read


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The reason why a text cannot be read, and the line and column of the error, counted from 1."""

    problem: str
    line: int
    column: int
    choices: tuple[Choice, ...] = ()  # the ways to read it, or what is offered
    is_question: bool = False  # it may be meant in several ways, and is no mistake


def read(parameters: Parameters, name: str) -> MatrixText | None:
    """Return the matrix in the text area `name`, with tokens as rows, or None if no matrix can be read from it."""
    found = _read_text(_text_of(parameters, name))
    if not isinstance(found, MatrixText) or _has_too_many_tokens(parameters, name, found):
        return None
    return replace(found, values=found.values.T) if parameters.columns else found


def _has_too_many_tokens(parameters: Parameters, name: str, found: MatrixText) -> bool:
    return name in OF_TOKENS and found.values.shape[1 if parameters.columns else 0] > MOST_TOKENS


def draw_area(
    parameters: Parameters, name: str, *, height: int = 120, width: int | Literal["stretch"] = "stretch"
) -> None:
    """Draw a text area. If its text cannot be read, draw a message below it."""
    with st.container(width=width):
        widgets.draw(parameters, name, height=height)
        text = _text_of(parameters, name)
        found = _read_text(text)
        if isinstance(found, Unreadable):
            _draw_help(parameters, name, found)
        elif found is not None and _has_too_many_tokens(parameters, name, found):
            n = found.values.shape[1 if parameters.columns else 0]
            st.error(
                f"A problem can have {MOST_TOKENS} tokens, but this matrix has {n}. Paste fewer tokens.",
                icon=":material/error:",
            )
        if len(text) > LONGEST_IN_LINK:
            st.caption(
                f"This text has {len(text):,} characters, too many for a link. It stays here; a link shares the rest."
            )


def _text_of(parameters: Parameters, name: str) -> str:
    """Return the text in the text area `name`. In a mask, True becomes 1 and False becomes 0.

    Spaces are added after these digits, so that an error message names the correct column.
    """
    text = getattr(parameters, name)
    if name != MASK:
        return text
    return _TRUTHS.sub(lambda truth: ("1" if truth[0].lower() == "true" else "0").ljust(len(truth[0])), text)


def _draw_help(parameters: Parameters, name: str, found: Unreadable) -> None:
    """Draw help below the text area `name`: buttons for its named matrices, or its possible readings.

    If the text cannot be read, draw the reason, and mark the error in its line.
    """
    if filling.draw(parameters, name, getattr(parameters, name)):
        with st.expander("Or take only one of them"):
            choosing.show(name, found.choices)
    elif found.choices and found.is_question:
        _ask(name, found)
    else:
        _refuse(getattr(parameters, name), found)
        if found.choices:
            choosing.show(name, found.choices, "Is this meant?")


def _ask(name: str, found: Unreadable) -> None:
    st.info(_message_of(found), icon=":material/help:")
    choosing.show(name, found.choices)


def _refuse(text: str, found: Unreadable) -> None:
    st.error(_message_of(found), icon=":material/location_on:")
    st.code(_marked_line(text, found), language=None)


def _read_text(text: str) -> MatrixText | Unreadable | None:
    return (_read if len(text) <= MOST_CHARACTERS else _read_anew)(text)


def _read_anew(text: str) -> MatrixText | Unreadable | None:
    if not text.strip():
        return None
    try:
        return read_matrix(text)
    except MatrixTextError as error:  # an error keeps the run alive in which it was raised: a cache must not hold it
        is_question = isinstance(error, AmbiguousTextError)
        return Unreadable(str(error), error.line, error.column, choices_of(error, text), is_question)


_read = cache_recent(_read_anew)


def _message_of(found: Unreadable) -> str:
    """Return the message about an unreadable text. Signs of the pasted text are never read as markup."""
    return literal_quotes(found.problem)


def literal_quotes(message: str) -> str:
    """Return a message in which the text between “ and ” is shown as it is, because a visitor has written it."""
    return re.sub("“(.*)”", lambda quoted: literal(quoted[1]), message, flags=re.DOTALL)


def _marked_line(text: str, found: Unreadable) -> str:
    """Return the line that cannot be read, and below it a mark at the position of the error."""
    line = re.split("\r\n|\r|\n", text)[found.line - 1]
    shown = "".join(character if character.isprintable() else " " for character in line)
    start = max(found.column - 1 - AROUND, 0)
    return f"{shown[start : found.column - 1 + AROUND]}\n{' ' * (found.column - 1 - start)}^"
