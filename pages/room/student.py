"""What a student sees in a room, and how the page waits for the next question."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from pages.shared.class_questions.questions import ChoiceQuestion, MatrixQuestion, NumberQuestion, Question, question_of
from pages.shared.equation import equation
from pages.shared.notation.texts import texts_beside
from pages.shared.rooms.codes import RoomError, RoomsUnavailableError
from pages.shared.rooms.database import store
from pages.shared.rooms.limits import JOINS, spend
from pages.shared.rooms.own_room import browser, version_of
from pages.shared.rooms.store import Room
from pages.shared.site.menu import link
from pages.shared.state import session
from pages.shared.state.widgets import reserve_container
from pages.shared.task_block.answering import MOST_STEPS, Entries, Sheet, entries_with
from pages.shared.task_block.block import TWO_DECIMALS, verdict_text
from pages.shared.task_block.task_equation import given_lines, lines

TEXTS = texts_beside(__file__)


@dataclass(slots=True)
class RoomSheet:
    """The texts that a student has written into a matrix in one round of questions, with undo and redo.

    An equation on the page uses this object as its blank matrix.
    """

    round: tuple[str, int] = ("", 0)  # the code of the room and the number of the round
    entries: Entries = ()
    past: list[Entries] = field(default_factory=list)
    future: list[Entries] = field(default_factory=list)

    def begin(self, round: tuple[str, int], entries: Entries) -> None:
        """Begin a round with the entries that the student has sent before, or with empty cells.

        `round` is the code of the room and the number of the round.
        """
        self.round, self.entries, self.past, self.future = round, entries, [], []

    def fill(self, name: str, cells: Sequence[Sequence[object]]) -> str | None:
        """Write texts into cells. Return None, or a text that says what is wrong with them."""
        try:
            written = entries_with(self.entries, cells)
        except ValueError as error:
            return str(error)
        self.past = [*self.past, self.entries][-MOST_STEPS:]
        self.entries, self.future = written, []
        return None

    def undo_or_redo(self, kind: str) -> None:
        """Undo the last entry if `kind` is "undo". Otherwise redo the entry that was undone last."""
        taken, kept = (self.past, self.future) if kind == "undo" else (self.future, self.past)
        if taken:
            kept.append(self.entries)
            self.entries = taken.pop()


def sheet() -> RoomSheet:
    """Return the entries of this visitor."""
    return session.visitor_object(RoomSheet)


SOON, SELDOM = 1.5, 10.0  # seconds from one question of a page to the next
LONG = 600  # seconds after which a page that nobody touches asks seldom


@dataclass(slots=True)
class Waiting:
    """The version of the room that the page shows, and when the visitor or the room last did something."""

    version: int = 0
    touched: float = 0.0


def note_shown(version: int) -> None:
    """Remember that the page shows this version of the room."""
    waiting = session.visitor_object(Waiting)
    if version != waiting.version:
        waiting.version, waiting.touched = version, time.monotonic()


def note_touch() -> None:
    """Remember that the visitor has done something now."""
    session.visitor_object(Waiting).touched = time.monotonic()


def seconds_between_questions() -> float:
    """Return how many seconds the page waits before it asks again for the version of the room."""
    return SOON if time.monotonic() - session.visitor_object(Waiting).touched < LONG else SELDOM


def wait_for_the_room(code: str) -> None:
    """Draw the page again when the room changes.

    A part of the page runs again and again to find this out. Its first run belongs to a run of the whole page. If it
    drew the page again, this would never end.
    """
    begun, is_first = seconds_between_questions(), True

    @st.fragment(run_every=begun)
    def ask() -> None:
        nonlocal is_first
        first, is_first = is_first, False
        if not first and (_has_changed(code) or seconds_between_questions() != begun):
            st.rerun()

    ask()


def _has_changed(code: str) -> bool:
    """Return whether the room has a newer version than the page shows, or no longer exists.

    If the database does not answer, return False. An older version does not count, because it was read before.
    """
    shown = session.visitor_object(Waiting).version
    try:
        version = version_of(code)
    except RoomsUnavailableError:
        return False
    return version > shown or (not version and bool(shown))


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
    st.caption(TEXTS.fill("answer_is_private"))


def _join(code: str) -> None:
    """Count this browser as a member of the room. A browser is counted once, however often the page is drawn."""
    if code not in browser().joined:
        spend(JOINS)
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
        equation(given_lines(question.task, parameters.columns), "given", parameters)
        _draw_field(room, question)
    else:
        _draw_blank(room, question, answer, parameters)
    if why := session.visitor_object(RefusalReason).why:
        st.markdown(f":material/error: {why}")
    if answer:
        st.markdown(TEXTS.fill("answer_arrived", answer=question.answer_text(answer)))


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
    key = f"room.number.{room.code}.{room.current.number}"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="room_field"):
        st.text_input(TEXTS.fill("your_number"), key=key, width=160, placeholder=TEXTS.fill("numbers_to_type"))
        _draw_send_button(room, question, lambda: str(st.session_state.get(key, "")))


def _draw_blank(room: Room, question: MatrixQuestion, answer: str | None, parameters: Any) -> None:
    written, here = sheet(), (room.code, room.current.number)
    if written.round != here:
        before = answer or _previous_answer(room)
        written.begin(here, question.entries(before) if before else _empty_entries(question))
    _draw_task(question, Sheet(written.entries), parameters, blank=written)
    st.markdown(TWO_DECIMALS)
    _draw_send_button(room, question, lambda: question.as_answer(sheet().entries))


def _draw_send_button(room: Room, question: Question, answer: Callable[[], str]) -> None:
    st.button(
        TEXTS.fill("send"),
        type="primary",
        icon=":material/send:",
        key="room.send",
        on_click=lambda: _send(room, question, answer()),
    )


def _previous_answer(room: Room) -> str | None:
    """Return this browser's answer to the same question in the previous round, or None if there is none."""
    asked = next((each for each in room.rounds[-2:-1] if each.question == room.current.question), None)
    return store().answer_of(room.code, asked.number, browser().id) if asked else None


def _draw_task(question: MatrixQuestion, written: Sheet, parameters: Any, **blank: Any) -> None:
    task = question.task
    equation(lines(task, written, parameters.columns), f"room.{task.seed}.{task.difficulty}", parameters, **blank)


def _empty_entries(question: MatrixQuestion) -> tuple[tuple[str, ...], ...]:
    rows, columns = question.task.correct_answer.shape
    return (("",) * columns,) * rows


# --- after the reveal ---


def _draw_revealed(room: Room, question: Question, answer: str | None, parameters: Any) -> None:
    if not answer:
        st.markdown(TEXTS.fill("no_answer"))
    elif isinstance(question, MatrixQuestion):
        done = Sheet(question.entries(answer), done=True)
        st.markdown(verdict_text(question.task, done, parameters.columns))
        _draw_task(question, done, parameters)
    else:
        st.markdown(_mark_text(question, answer))
    if isinstance(question, ChoiceQuestion):
        link(question.page, TEXTS.fill("see_why"), {"scene": str(question.number)}, icon="arrow_forward")


def _mark_text(question: ChoiceQuestion | NumberQuestion, answer: str) -> str:
    """Return a text that says whether an answer is correct, and names the mistake that gives it if it is wrong."""
    outcome = question.outcome(answer)
    has_mistake = bool(outcome.why) or isinstance(question, NumberQuestion)
    wrong = "wrong_by_a_mistake" if has_mistake else "wrong"
    return TEXTS.fill(
        "you_answered" if outcome.right is None else "right" if outcome.right else wrong,
        answer=question.answer_text(answer), mistake=outcome.name, why=outcome.why,
        correct_answer=question.correct_answer_text,
    )  # fmt: skip
