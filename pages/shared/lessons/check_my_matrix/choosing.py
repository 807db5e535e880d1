"""Choosing a reading: show each way to read a text as a small matrix, with a button that chooses it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from attention_core.checks import Array
from attention_core.reading.matrix_text import offers_for, read_matrix
from attention_core.reading.written import AmbiguousTextError, MatrixTextError, Reading
from pages.shared.notation.numbers import number
from pages.shared.notation.prose import escape
from pages.shared.state import widgets

MOST_SHOWN = 4  # how many rows are shown, and how many columns of short numbers
SHORT = 4  # characters; with longer numbers, a phone has room for one column less


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One way to read a text, and the matrix that it gives."""

    reading: Reading
    values: Array


def choices_of(error: MatrixTextError, text: str) -> tuple[Choice, ...]:
    """Return the matrices that a text may mean. `error` says why the text could not be read as one matrix.

    If `error` has no readings, the choices are suggestions, which are made from `text`.
    """
    readings = error.readings if isinstance(error, AmbiguousTextError) else offers_for(text)
    return tuple(_readable(readings))


def _readable(readings: Sequence[Reading]) -> Iterator[Choice]:
    for reading in readings:
        try:
            yield Choice(reading, read_matrix(reading.text).values)
        except MatrixTextError:
            continue  # a text that cannot be read this way is not meant this way


def show(name: str, choices: Sequence[Choice], question: str = "Which is meant?") -> None:
    """Draw the matrices that a text may mean, each with a button.

    The button replaces the text in the text area `name`.
    """
    if len({choice.reading.place for choice in choices}) == len(choices) > 1 and len(choices[0].reading.place) == 2:
        _show_head(name, choices)
        return
    st.markdown(f"**{question}** A press takes it.")
    with st.container(horizontal=True, gap="small", key=f"choices.{name}"):
        for place, choice in enumerate(choices, start=1):
            with st.container(border=True, width="content"):
                rows, columns = choice.values.shape
                st.markdown(f"$$\n{to_latex(choice.values)}\n$$")
                label = f"{place}. {escape(choice.reading.label)}, {rows}×{columns}"
                widgets.step_button(label, name, choice.reading.text, icon=":material/check:", disabled=False)


def _show_head(name: str, choices: Sequence[Choice]) -> None:
    """Draw lists to choose a batch and a head. Below them, draw the chosen matrix and a button that takes it.

    The button writes the matrix into the text area `name`.
    """
    by_place = {choice.reading.place: choice for choice in choices}
    batches = sorted({batch for batch, _ in by_place})
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key=f"choices.{name}"):
        batch = st.selectbox(
            "Which batch?", batches, format_func=lambda n: f"{n} of {batches[-1]}", key=f"batch.{name}", width=160
        )
        heads = sorted(head for of, head in by_place if of == batch)
        head = st.selectbox(
            "Which head?", heads, format_func=lambda n: f"{n} of {heads[-1]}", key=f"head.{name}", width=160
        )
        choice = by_place.get((batch, head), choices[0])
        st.markdown(f"$$\n{to_latex(choice.values)}\n$$")
        widgets.step_button("Take this matrix", name, choice.reading.text, icon=":material/check:", disabled=False)


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
