"""The part below the text area of the result: a button that checks it, a wrong result to try, and a file."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import streamlit as st

from attention_core.diagnosis.pasted import Problem, wrong_result_to_try
from attention_core.reading.files import KINDS, text_of_file
from pages.shared.controls import controls_of
from pages.shared.lessons.check_my_matrix import from_program, hidden
from pages.shared.lessons.check_my_matrix.problem import needed_texts
from pages.shared.lessons.check_my_matrix.reading import literal_quotes
from pages.shared.notation.prose import literal
from pages.shared.notation.tables import matrix_as_text
from pages.shared.state import session, widgets
from pages.shared.state.places import reserve_container

MOST_OFFERED = 64  # rows or columns: the text of a larger matrix is too long for a link
FORMATS = (
    "A print-out of NumPy, PyTorch, pandas, R, MATLAB or Julia, source, a log, JSON, CSV, cells of a spreadsheet, or "
    "LaTeX; up to 64×64 or 8×512. Several matrices with their names go into their fields."
)


def draw_buttons(parameters: Any, problem: Problem) -> None:
    """Draw the button that checks the result, the switch for fields of earlier steps, and the field for a file.

    If there is no result yet, also draw a button that fills in a wrong result to try.
    """
    is_empty = not parameters.answer.strip()
    if is_empty:
        each = parameters.in_layout("Each token has its row")
        st.caption(f"{FORMATS} {each}. You can change this with “Tokens are” in the sidebar.")
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        # A browser sends a text when the visitor leaves its field, so any button will do.
        st.button("Check it", type="primary", icon=":material/search_check:", key="check_it")
        if is_empty:
            _draw_offer(parameters, problem)
        if problem.earlier_stages:
            widgets.draw(parameters, "steps")
    draw_file(parameters)


def draw_file(parameters: Any) -> None:
    """Draw a field for a file with a matrix, and lines of code that print a matrix.

    The visitor chooses the text area for the matrix. At first, this is the text area of the result.
    """
    fields = controls_of(type(parameters))
    labels = {name: fields[name].label for name in ("answer", *needed_texts(parameters))}
    with st.expander("From a file", expanded=bool(st.session_state.get("matrix_file"))):
        field = st.selectbox("The file goes to", labels, format_func=labels.__getitem__, key="file_field")
        came = st.file_uploader(
            "A matrix, or several with their names, up to 1 MB",
            type=list(KINDS),
            max_upload_size=1,
            key="matrix_file",
            on_change=_take_file,
        )
        if came:
            _say_of(labels[field], came.name, came.getvalue())
    from_program.draw()


def _take_file() -> None:
    """Write the matrix of a new file into the text area that the visitor has chosen. Ignore an unreadable file."""
    came = st.session_state.get("matrix_file")
    if came:
        with suppress(ValueError):  # `_say_of` draws the message
            text = text_of_file(came.name, came.getvalue())
            session.clear_seen_notices()
            session.set_parameters(**{st.session_state["file_field"]: text})


def _say_of(label: str, name: str, content: bytes) -> None:
    try:
        text_of_file(name, content)
    except ValueError as error:
        st.error(literal_quotes(str(error)), icon=":material/error:")
    else:
        st.caption(f"{literal(name)} went to “{label}”.")


def draw_hidden_mistakes(parameters: Any, problem: Problem) -> None:
    """Draw a sentence that names the mistakes which no result of this task can show, if there are any."""
    text = hidden.hidden_mistakes_text(problem)
    with reserve_container("hidden"):
        if text:
            st.caption(parameters.in_layout(text))


def _draw_offer(parameters: Any, problem: Problem) -> None:
    """Draw a button that fills in a wrong result to try.

    Draw nothing if there is no such result, or if it is too large.
    """
    wrong = wrong_result_to_try(problem)
    if wrong is None or max(problem.correct_result.shape) > MOST_OFFERED:
        return
    matrix, mistake = wrong
    whose = "a" if all("#" in source for source in mistake.sources) else "a notebook’s"
    text = matrix_as_text(matrix, columns=parameters.columns)
    widgets.step_button(f"Try it with {whose} wrong result", "answer", text, icon=":material/science:", disabled=False)
