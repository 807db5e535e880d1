"""The room as a student sees it: the question, a receipt for the answer, and later the mark and the mistake."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.class_questions.choices import ChoiceQuestion
from pages.shared.class_questions.questions import Question, question_of
from pages.shared.class_questions.tasks import MatrixQuestion, NumberQuestion
from pages.shared.equation import equation
from pages.shared.lessons.room.sheet import sheet
from pages.shared.lessons.room.waiting import note_touch
from pages.shared.rooms.browser import browser
from pages.shared.rooms.database import store
from pages.shared.rooms.limits import RoomError, RoomsUnavailableError
from pages.shared.rooms.store import Room
from pages.shared.site.links import link
from pages.shared.state import session
from pages.shared.state.places import reserve_container
from pages.shared.task_block.block import TWO_DECIMALS
from pages.shared.task_block.sheets import Sheet
from pages.shared.task_block.task_equation import given_lines, lines
from pages.shared.task_block.task_words import verdict_text

ARRIVED = ":material/check: **Your answer arrived:** {answer}. You can change it until the lecturer shows the result."
NO_ANSWER = "You did not answer this question."
RIGHT, WRONG = "**:material/check: Right.**", "**:material/close: Not right.**"
PRIVATE = "Your answer is kept without your name. It has only a random number that your browser made."
FIELD = "room.number"


@dataclass(slots=True)
class RefusalReason:
    """The reason why the room refused the visitor's last answer, or "" if it did not."""

    why: str = ""


def draw_student(room: Room, parameters: Any) -> None:
    """Draw the question with a field for the answer.

    After the lecturer has shown the results, draw whether the answer is correct. If it is wrong, name its mistake.
    """
    question = question_of(room.current.question)
    st.markdown(f"## {question.text}")
    with reserve_container("room_answer"):
        if browser().id:
            _join(room.code)
            answer = store().answer_of(room.code, room.current.number, browser().id)
            (_draw_revealed if room.current.revealed else _draw_open)(room, question, answer, parameters)
    st.caption(PRIVATE)


def _join(code: str) -> None:
    """Count this browser as a member of the room. A browser is counted once, however often the page is drawn."""
    if code not in browser().joined:
        store().join(code, browser().id, time.time())
        browser().joined.add(code)


def _send(room: Room, question: Question, answer: str) -> None:
    """Store an answer, or note why the room refuses it.

    The page then reads the answer from the store, so that it acknowledges only an answer that was really stored.
    """
    refused = session.visitor_object(RefusalReason)
    note_touch()
    try:
        store().answer(room.code, room.current.number, browser().id, question.stored_form(answer), time.time())
        refused.why = ""
    except (RoomError, RoomsUnavailableError, ValueError) as error:
        refused.why = str(error)


# --- while the question is open ---


def _draw_open(room: Room, question: Question, answer: str | None, parameters: Any) -> None:
    if isinstance(question, ChoiceQuestion):
        _draw_options(room, question, answer)
    elif isinstance(question, NumberQuestion):
        equation(given_lines(question.task), "given", parameters)
        _draw_field(room, question)
    else:
        _draw_blank(room, question, answer, parameters)
    if why := session.visitor_object(RefusalReason).why:
        st.markdown(f":material/error: {why}")
    if answer:
        st.markdown(ARRIVED.format(answer=question.answer_text(answer)))


def _draw_options(room: Room, question: ChoiceQuestion, answer: str | None) -> None:
    with st.container(key="room_options", gap="small"):
        for letter, option in question.options.items():
            chosen = letter == answer
            st.button(
                f"**{letter}**\u2002 {option}", key=f"room.{room.current.number}.{letter}", width="stretch",
                type="primary" if chosen else "secondary", icon=":material/check:" if chosen else None,
                on_click=_send, args=(room, question, letter),
            )  # fmt: skip


def _draw_field(room: Room, question: NumberQuestion) -> None:
    key = f"{FIELD}.{room.code}.{room.current.number}"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="room_field"):
        st.text_input("Your number", key=key, width=160, placeholder="2, -0.5 or 1/3")
        st.button(
            "Send",
            type="primary",
            icon=":material/send:",
            key="room.send",
            on_click=lambda: _send(room, question, str(st.session_state.get(key, ""))),
        )


def _draw_blank(room: Room, question: MatrixQuestion, answer: str | None, parameters: Any) -> None:
    written, here = sheet(), (room.code, room.current.number)
    if written.round != here:
        before = answer or _previous_answer(room)
        written.begin(here, question.entries(before) if before else _empty_entries(question))
    _draw_task(question, Sheet(written.entries), parameters, blank=written)
    st.markdown(TWO_DECIMALS)
    st.button(
        "Send",
        type="primary",
        icon=":material/send:",
        key="room.send",
        on_click=lambda: _send(room, question, question.as_answer(sheet().entries)),
    )


def _previous_answer(room: Room) -> str | None:
    """Return this browser's answer to the same question in the previous round, or None if there is none."""
    asked = next((each for each in room.rounds[-2:-1] if each.question == room.current.question), None)
    return store().answer_of(room.code, asked.number, browser().id) if asked else None


def _draw_task(question: MatrixQuestion, written: Sheet, parameters: Any, **blank: Any) -> None:
    task = question.task
    equation(lines(task, written), f"room.{task.seed}.{task.difficulty}", parameters, **blank)


def _empty_entries(question: MatrixQuestion) -> tuple[tuple[str, ...], ...]:
    rows, columns = question.task.correct_answer.shape
    return (("",) * columns,) * rows


# --- after the reveal ---


def _draw_revealed(room: Room, question: Question, answer: str | None, parameters: Any) -> None:
    if not answer:
        st.markdown(NO_ANSWER)
    elif isinstance(question, MatrixQuestion):
        done = Sheet(question.entries(answer), done=True)
        st.markdown(parameters.in_layout(verdict_text(question.task, done)))
        _draw_task(question, done, parameters)
    else:
        st.markdown(_mark_text(question, answer))
    if isinstance(question, ChoiceQuestion):
        link(question.page, "See why. “Back” leads here again.", {"scene": str(question.number)}, icon="arrow_forward")


def _mark_text(question: ChoiceQuestion | NumberQuestion, answer: str) -> str:
    """Return a text that says whether an answer is correct.

    If it is wrong, the text names the mistake that gives it.
    """
    outcome, given = question.outcome(answer), question.answer_text(answer)
    if outcome.right is None:
        return f"You answered {given}."
    if outcome.right:
        return f"{RIGHT} You answered {given}."
    named = f" *{outcome.name}.* {outcome.why}" if outcome.why or isinstance(question, NumberQuestion) else ""
    return f"{WRONG} You answered {given}.{named} {question.correct_answer_text}"
