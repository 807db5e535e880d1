"""The room as a lecturer sees it: how to join, how many students have answered, and later the results."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shared.class_questions import results
from pages.shared.class_questions.choices import ChoiceQuestion
from pages.shared.class_questions.questions import Question, next_question, other_question_about_the_task, question_of
from pages.shared.class_questions.tasks import MatrixQuestion
from pages.shared.equation import equation
from pages.shared.rooms import own_room
from pages.shared.rooms.database import store
from pages.shared.rooms.limits import RoomError, RoomsUnavailableError
from pages.shared.rooms.own_room import ROOM_PAGE
from pages.shared.rooms.references import read_reference
from pages.shared.rooms.store import Room
from pages.shared.share.qr import address_of_page, is_local, qr_image
from pages.shared.state import session
from pages.shared.state.places import reserve_container
from pages.shared.task_block.task_equation import empty_lines, given_lines

KEPT = "A room is deleted after a day without use. No names and no addresses are kept."
YOUR_LINK = (
    "This link has your key. Anybody with the link can lead this room, so keep it secret. This tab needs no link."
)
LOCAL = "Phones cannot open this address: it means this computer. Open the app by the computer’s name in the network."


def draw_for_lecturer(room: Room, parameters: Any) -> None:
    """Draw the room as its lecturer sees it: the code, the question, the count of answers, the buttons, the results."""
    question = question_of(room.current.question)
    _draw_ways_in(room.code)
    st.markdown(f"## {question.text}")
    if not isinstance(question, ChoiceQuestion) and not room.current.revealed:
        asked = empty_lines if isinstance(question, MatrixQuestion) else given_lines
        equation(asked(question.task), "asked", parameters)
    results.draw_counts(room.code, room.current.number)
    _draw_buttons(room)
    with reserve_container("room_results"):
        if room.current.revealed:
            results.draw_results(room, question, parameters)
    _draw_keep_or_delete(room)


def link_of(code: str) -> str:
    """Return the link that students open to enter the room with this code."""
    return address_of_page(ROOM_PAGE, {"code": code})


def lecturer_link(code: str) -> str:
    """Return the link with which the lecturer continues to lead the room in another tab or browser."""
    return address_of_page(ROOM_PAGE, {"code": code, "key": own_room.own_room().key})


def _draw_ways_in(code: str) -> None:
    """Draw the code of the room, its link and its QR code."""
    link = link_of(code)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="room_ways_in"):
        st.html(f'<p class="room-code" aria-label="The code of the room: {" ".join(code)}">{code}</p>', width=250)
        with st.container(width="stretch"):
            st.code(link, language=None, wrap_lines=True)
            if is_local(link):
                st.markdown(f":material/computer: {LOCAL}")
        st.html(qr_image(link), width=150)


def _draw_buttons(room: Room) -> None:
    following, other = next_question(room.current.question), other_question_about_the_task(room.current.question)
    with st.container(horizontal=True, gap="small", key="room_buttons"):
        if not room.current.revealed:
            _draw_button("Show the results", "visibility", own_room.reveal_to_the_class, primary=True)
        else:
            again = read_reference(room.current.question)
            _draw_button("Ask again", "replay", lambda: own_room.ask_the_class(again), primary=True)
        if following:
            _draw_button("Next question", "arrow_forward", lambda: own_room.ask_the_class(following))
        if other:
            label = "Ask for one number" if other.kind == "number" else "Ask for the matrix"
            _draw_button(label, "swap_horiz", lambda: own_room.ask_the_class(other))


def _draw_button(label: str, icon: str, act: Callable[[], object], *, primary: bool = False) -> None:
    """Draw a button that calls `act` to change the room, and then draws the whole page again."""
    if st.button(label, icon=f":material/{icon}:", type="primary" if primary else "secondary", key=f"room.{label}"):
        try:
            act()
        except (RoomError, RoomsUnavailableError) as error:
            session.notify(str(error))
        st.rerun()


def _draw_keep_or_delete(room: Room) -> None:
    key = own_room.own_room().key  # a download runs later, in a thread without a visitor
    with st.container(horizontal=True, gap="small", key="room_keep"):
        st.download_button(
            "Answers as CSV", lambda: as_csv(room, key), file_name=f"room_{room.code}.csv", mime="text/csv",
            icon=":material/download:", type="tertiary", on_click="ignore",
        )  # fmt: skip
        with st.popover("Delete the room", icon=":material/delete:", type="tertiary"):
            st.markdown("This deletes the room and all its answers, for you and for the class.")
            _draw_button("Delete it now", "delete_forever", _delete_room)
        with st.popover("Your own link", icon=":material/key:", type="tertiary"):
            st.markdown(YOUR_LINK)
            st.code(lecturer_link(room.code), language=None, wrap_lines=True)
    st.caption(KEPT)


def _delete_room() -> None:
    own_room.delete_own_room()
    session.set_parameters(code="", key="")


def as_csv(room: Room, key: str) -> str:
    """Return all answers of a room as CSV: round, question, answer and outcome, without data about persons.

    Raises: RoomError if `key` is not the lecturer's key.
    """
    written = io.StringIO()
    questions: dict[int, Question] = {each.number: question_of(each.question) for each in room.rounds}
    rows = csv.writer(written)
    rows.writerow(("round", "question", "answer", "outcome"))
    for number, answer in store().answers(room.code, key):
        question = questions[number]
        rows.writerow((number, question.text, question.answer_text(answer), question.outcome(answer).name))
    return written.getvalue()
