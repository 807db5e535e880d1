"""What stands below the field of a result: its formats, a button that checks it, and a wrong result to try."""

from __future__ import annotations

from typing import Any

import streamlit as st

from attention_core.diagnosis.pasted import Problem, wrong_result_to_try
from attention_core.reading.matrix_text import MOST_SIDE
from pages.shared.lessons.check_my_matrix import hidden, reading
from pages.shared.state import widgets
from pages.shared.state.places import place

FORMATS = (
    "A print-out of NumPy, PyTorch, pandas, R, Octave or Julia, a list, JSON, CSV, cells of a spreadsheet, or LaTeX; "
    "to 64×64."
)


def draw_buttons(parameters: Any, problem: Problem) -> None:
    """Draw the button that checks what was pasted, what there is to try while nothing is, and the switch of steps."""
    is_empty = not parameters.answer.strip()
    if is_empty:
        each = parameters.in_layout("Each token has its row")
        st.caption(f"{FORMATS} {each}; “Tokens are” in the sidebar changes that.")
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        # A browser sends a text when its field is left, so any press takes it in.
        st.button("Check it", type="primary", icon=":material/search_check:", key="check_it")
        if is_empty:
            _offer(parameters, problem)
        if problem.earlier:
            widgets.draw(parameters, "steps")


def draw_hidden_mistakes(parameters: Any, problem: Problem) -> None:
    """Say which mistakes these numbers hide, whatever is pasted."""
    text = hidden.hidden_mistakes_text(problem)
    with place("hidden"):
        if text:
            st.caption(parameters.in_layout(text))


def _offer(parameters: Any, problem: Problem) -> None:
    """Offer a wrong result to try it with."""
    wrong = wrong_result_to_try(problem)
    if wrong is None or max(problem.right.shape) > MOST_SIDE:
        return
    matrix, mistake = wrong
    whose = "a" if all("#" in source for source in mistake.sources) else "a notebook’s"
    text = reading.matrix_as_text(parameters, matrix)
    widgets.step_button(f"Try it with {whose} wrong result", "answer", text, icon=":material/science:", disabled=False)
