"""The block "Try it": closed, a button; open, a task to fill in, to hand in, and to learn from."""

from __future__ import annotations

from typing import Any

import streamlit as st

from attention_core.tasks import Task
from pages.shared import explain, session, widgets
from pages.shared.equation import equation
from pages.shared.positions.words import shown_as
from pages.shared.practice import words, worksheet
from pages.shared.practice.lines import lines, tokens_of
from pages.shared.practice.sheets import Sheet, desk
from pages.shared.practice.worksheet import Practised, asked_id

__all__ = ["Practised", "try_it"]

TWO_DECIMALS = "Two decimals will do, and so do fractions."
INVITATION = "Try it: a fresh task on paper, and the mistake named if there is one"


def try_it(parameters: Practised, example: Any) -> None:
    """Draw the block; an example is not needed, as every task brings its own numbers."""
    worksheet.mark()
    this = worksheet.current()
    if this is None:
        st.button(INVITATION, icon=":material/edit_note:", key="practice.open", on_click=worksheet.open_task)
        return
    sheet = worksheet.sheet_of(this)
    number = f":gray[Task {this.seed}, difficulty {this.difficulty}.]"
    st.markdown(parameters.says(f"## Try it\n\n**{words.asked(this)}** {TWO_DECIMALS} {number}"))
    equation(lines(this, sheet), f"task.{this.seed}.{this.difficulty}", parameters)
    _said(this, sheet, parameters)
    _buttons(this, sheet, parameters)


def _said(this: Task, sheet: Sheet, parameters: Practised) -> None:
    """What the answer shows, and the calculation that was asked for."""
    if sheet.committed:
        st.markdown(parameters.says(words.verdict(this, sheet)))
    elif desk().refused == worksheet.key_of(this) and sheet.missing:
        st.markdown(words.missing(sheet))
    place = _worked_place(this, sheet)
    if place:
        with st.container(border=True):
            tokens, keys = tokens_of(this)
            st.markdown(explain.worked(this.worked, (shown_as(this.asked), *place), tokens, keys, parameters))


def _worked_place(this: Task, sheet: Sheet) -> tuple[int, int] | None:
    """Return the cell whose calculation is shown: before it is handed in, the one that a second hint is about."""
    if not sheet.committed:
        return sheet.hinted if sheet.worked else None
    chosen = session.selected()
    if chosen is None or chosen[0] != asked_id(this):
        return None
    rows, columns = this.right.shape
    return chosen[1:] if chosen[1] < rows and chosen[2] < columns else None


def _buttons(this: Task, sheet: Sheet, parameters: Practised) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="practice"):
        if sheet.committed:
            st.button("Show worked cell", icon=":material/calculate:", on_click=worksheet.show_worked)
        else:
            st.button("Commit", icon=":material/task_alt:", type="primary", on_click=worksheet.commit)
            st.button("Hint", icon=":material/lightbulb:", on_click=worksheet.hint)
        st.button("New task", icon=":material/refresh:", on_click=worksheet.open_task)
        widgets.draw(parameters, "difficulty")
        st.button("Close", icon=":material/close:", type="tertiary", on_click=worksheet.close)
    if desk().done:
        st.caption(words.score(desk()))
