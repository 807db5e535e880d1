"""How pasted texts are read, and what the page asks about an unclear text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.reading.matrix_text import MOST_CHARACTERS, MatrixText, offers_for, read_matrix
from attention_core.reading.written import AmbiguousTextError, MatrixTextError, Reading
from pages.check_my_matrix import filling
from pages.check_my_matrix.numbers import TEXTS
from pages.shared.controls import Parameters
from pages.shared.controls.example_kinds import LONGEST_IN_LINK
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import escape, literal
from pages.shared.state import widgets

MOST_SHOWN = 4  # how many rows are shown, and how many columns of short numbers
SHORT = 4  # characters; with longer numbers, a phone has room for one column less


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One way to read a text, and the matrix that it gives."""

    reading: Reading
    values: Array


def choices_of(error: MatrixTextError, text: str) -> tuple[Choice, ...]:
    """Return the matrices that a text may mean, by its readings, or suggestions if it has none."""
    readings = error.readings if isinstance(error, AmbiguousTextError) else offers_for(text)
    return tuple(_readable(readings))


def _readable(readings: Sequence[Reading]) -> Iterator[Choice]:
    for reading in readings:
        try:
            yield Choice(reading, read_matrix(reading.text).values)
        except MatrixTextError:
            continue  # a text that cannot be read this way is not meant this way


def show(name: str, choices: Sequence[Choice], section: str = "which_is_meant") -> None:
    """Draw the matrices that a text may mean, each with a button that replaces the text in the text area `name`."""
    if len({choice.reading.place for choice in choices}) == len(choices) > 1 and len(choices[0].reading.place) == 2:
        _show_head(name, choices)
        return
    st.markdown(TEXTS.fill(section))
    with st.container(horizontal=True, gap="small", key=f"choices.{name}"):
        for place, choice in enumerate(choices, start=1):
            with st.container(border=True, width="content"):
                rows, columns = choice.values.shape
                st.markdown(f"$$\n{to_latex(choice.values)}\n$$")
                label = f"{place}. {escape(choice.reading.label)}, {rows}×{columns}"
                widgets.step_button(label, name, choice.reading.text, icon=":material/check:", disabled=False)


def _show_head(name: str, choices: Sequence[Choice]) -> None:
    """Draw lists to choose a batch and a head, the chosen matrix, and a button that takes it for the text area."""

    def choose(label: str, key: str, options: Sequence[int]) -> int:
        named = {n: TEXTS.fill("n_of", n=n, last=options[-1]) for n in options}
        return st.selectbox(label, options, format_func=named.__getitem__, key=f"{key}.{name}", width=160)

    by_place = {choice.reading.place: choice for choice in choices}
    batches = sorted({batch for batch, _ in by_place})
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key=f"choices.{name}"):
        batch = choose(TEXTS.fill("which_batch"), "batch", batches)
        heads = sorted(head for of, head in by_place if of == batch)
        head = choose(TEXTS.fill("which_head"), "head", heads)
        choice = by_place.get((batch, head), choices[0])
        st.markdown(f"$$\n{to_latex(choice.values)}\n$$")
        label = TEXTS.fill("take_this_matrix")
        widgets.step_button(label, name, choice.reading.text, icon=":material/check:", disabled=False)


def to_latex(values: Array) -> str:
    r"""Write a matrix in LaTeX. Of a large matrix, write only the first rows and columns.

    >>> import numpy as np
    >>> to_latex(np.array([[0.5, -1.0]]))
    '\\begin{bmatrix} 0.5 & -1 \\end{bmatrix}'
    """
    (height, width), shown = values.shape, values[:MOST_SHOWN, :MOST_SHOWN]
    rows = [[number(float(value)) for value in row] for row in shown]
    most = MOST_SHOWN - (max(len(text) for row in rows for text in row) > SHORT)
    rows = [[*row[:most], r"\cdots"] if width > most else row for row in rows]
    below = [[r"\vdots"] * len(rows[0])] if height > MOST_SHOWN else []
    body = r" \\ ".join(" & ".join(row) for row in [*rows, *below])
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


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
    """Draw a text area."""
    with st.container(width=width):
        widgets.draw(parameters, name, height=height)
        text = _text_of(parameters, name)
        found = _read_text(text)
        if isinstance(found, Unreadable):
            _draw_help(parameters, name, found)
        elif found is not None and _has_too_many_tokens(parameters, name, found):
            n = found.values.shape[1 if parameters.columns else 0]
            st.error(TEXTS.fill("too_many_tokens", most=MOST_TOKENS, n=n), icon=":material/error:")
        if len(text) > LONGEST_IN_LINK:
            st.caption(TEXTS.fill("too_long_for_a_link", n=len(text)))


def _text_of(parameters: Parameters, name: str) -> str:
    text = getattr(parameters, name)
    if name != MASK:
        return text
    # Spaces after the digits keep the columns that an error message names.
    return _TRUTHS.sub(lambda truth: ("1" if truth[0].lower() == "true" else "0").ljust(len(truth[0])), text)


def _draw_help(parameters: Parameters, name: str, found: Unreadable) -> None:
    """Draw help below a text area: buttons for its named matrices, its possible readings, or where it is wrong."""
    if filling.draw(parameters, name, getattr(parameters, name)):
        with st.expander(TEXTS.fill("take_one_of_them")):
            show(name, found.choices)
    elif found.choices and found.is_question:
        _ask(name, found)
    else:
        _refuse(getattr(parameters, name), found)
        if found.choices:
            show(name, found.choices, "is_this_meant")


def _ask(name: str, found: Unreadable) -> None:
    st.info(_message_of(found), icon=":material/help:")
    show(name, found.choices)


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
    return literal_quotes(found.problem)


def literal_quotes(message: str) -> str:
    """Return a message in which the text between “ and ” is shown as it is, because a visitor has written it."""
    return re.sub("“(.*)”", lambda quoted: literal(quoted[1]), message, flags=re.DOTALL)


def _marked_line(text: str, found: Unreadable) -> str:
    line = re.split("\r\n|\r|\n", text)[found.line - 1]
    shown = "".join(character if character.isprintable() else " " for character in line)
    start = max(found.column - 1 - AROUND, 0)
    return f"{shown[start : found.column - 1 + AROUND]}\n{' ' * (found.column - 1 - start)}^"
