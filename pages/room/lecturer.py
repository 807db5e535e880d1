"""What a lecturer sees in a room, and how a room is entered."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import streamlit as st

from attention_core.turns import in_turn
from pages.room.student import TEXTS, draw_student, note_shown, wait_for_the_room
from pages.shared.class_questions import results
from pages.shared.class_questions.questions import (
    ChoiceQuestion,
    MatrixQuestion,
    Question,
    next_question,
    other_question_about_the_task,
    question_of,
)
from pages.shared.equation import equation
from pages.shared.rooms import limits
from pages.shared.rooms import own_room as own_rooms
from pages.shared.rooms.codes import Pauses, RoomError, RoomsUnavailableError, read_code
from pages.shared.rooms.database import reason_rooms_are_off, store
from pages.shared.rooms.limits import WRONG_CODES, address_of_visitor
from pages.shared.rooms.own_room import ROOM_PAGE, exchange_with_the_browser, own_room, read_reference, room_of
from pages.shared.rooms.store import NO_ROOM, NOT_YOURS, Room
from pages.shared.share.link_dialog import address_of_page, is_local, qr_image
from pages.shared.site.menu import link
from pages.shared.state import address, session, widgets
from pages.shared.state.widgets import reserve_container
from pages.shared.task_block.task_equation import empty_lines, given_lines


@dataclass(slots=True)
class Entering:
    """The codes that this visitor has typed: the last correct one, the last wrong one, and how many were wrong."""

    right: str = ""
    wrong: str = ""
    tries: Pauses = field(default_factory=Pauses)


def room_with_code(text: str) -> Room:
    """Return the room with the code that a visitor has typed or opened by a link.

    Raises: ValueError that says what is wrong with the code, or that the visitor must wait.
    """
    code, entering = read_code(text), session.visitor_object(Entering)
    if code == entering.wrong:
        raise RoomError(NO_ROOM.format(code=code))  # a page is drawn more than once, so this code was counted before
    if code != entering.right:
        entering.tries.check(time.monotonic())
        limits.spend(WRONG_CODES)  # before the look-up: several visitors may try codes at the same time
    found = room_of(code)
    if found is None:
        entering.wrong, entering.right = code, ""
        entering.tries.note(time.monotonic())
        raise RoomError(NO_ROOM.format(code=code))
    if code != entering.right:
        WRONG_CODES.give_back(address_of_visitor())
    entering.right, entering.wrong = code, ""
    entering.tries.reset()
    return found


def draw_for_lecturer(room: Room, parameters: Any) -> None:
    """Draw the room as its lecturer sees it: the code, the question, the count of answers, the buttons, the results."""
    question = question_of(room.current.question)
    _draw_ways_in(room.code)
    st.markdown(f"## {question.text}")
    if not isinstance(question, ChoiceQuestion) and not room.current.revealed:
        asked = empty_lines if isinstance(question, MatrixQuestion) else given_lines
        equation(asked(question.task, parameters.columns), "asked", parameters)
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
    return address_of_page(ROOM_PAGE, {"code": code, "key": own_rooms.own_room().key})


def _draw_ways_in(code: str) -> None:
    """Draw the code of the room, its link and its QR code."""
    link = link_of(code)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="room_ways_in"):
        label = TEXTS.fill("code_in_letters", letters=" ".join(code))
        st.html(f'<p class="room-code" aria-label="{label}">{code}</p>', width=250)
        with st.container(width="stretch"):
            st.code(link, language=None, wrap_lines=True)
            if is_local(link):
                st.markdown(TEXTS.fill("address_of_this_computer"))
        st.html(qr_image(link), width=150)


def _draw_buttons(room: Room) -> None:
    following, other = next_question(room.current.question), other_question_about_the_task(room.current.question)
    with st.container(horizontal=True, gap="small", key="room_buttons"):
        if not room.current.revealed:
            _draw_button("show_the_results", "visibility", own_rooms.reveal_to_the_class, primary=True)
        else:
            again = read_reference(room.current.question)
            _draw_button("ask_again", "replay", lambda: own_rooms.ask_the_class(again), primary=True)
        if following:
            _draw_button("next_question", "arrow_forward", lambda: own_rooms.ask_the_class(following))
        if other:
            section = "ask_for_one_number" if other.kind == "number" else "ask_for_the_matrix"
            _draw_button(section, "swap_horiz", lambda: own_rooms.ask_the_class(other))


def _draw_button(section: str, icon: str, act: Callable[[], object], *, primary: bool = False) -> None:
    """Draw a button that calls `act` to change the room, and then draws the whole page again."""
    kind, label = "primary" if primary else "secondary", TEXTS.fill(section)
    if st.button(label, icon=f":material/{icon}:", type=kind, key=f"room.{section}"):
        try:
            act()
        except (RoomError, RoomsUnavailableError) as error:
            session.notify(str(error))
        st.rerun()


def _draw_keep_or_delete(room: Room) -> None:
    key = own_rooms.own_room().key  # a download runs later, in a thread without a visitor
    with st.container(horizontal=True, gap="small", key="room_keep"):
        st.download_button(
            TEXTS.fill("answers_as_csv"), partial(in_turn(as_csv), room, key), file_name=f"room_{room.code}.csv",
            mime="text/csv", icon=":material/download:", type="tertiary", on_click="ignore",
        )  # fmt: skip
        with st.popover(TEXTS.fill("delete_the_room"), icon=":material/delete:", type="tertiary"):
            st.markdown(TEXTS.fill("what_is_deleted"))
            _draw_button("delete_it_now", "delete_forever", _delete_room)
        with st.popover(TEXTS.fill("your_own_link"), icon=":material/key:", type="tertiary"):
            st.markdown(TEXTS.fill("what_your_link_is"))
            st.code(lecturer_link(room.code), language=None, wrap_lines=True)
    st.caption(TEXTS.fill("what_is_kept"))


def _delete_room() -> None:
    own_rooms.delete_own_room()
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


@dataclass(slots=True)
class Joining:
    """Whether the visitor has just typed a code."""

    joined: bool = False


def question(parameters: Any, example: Any) -> str:
    """Return the question above the page: one for lecturers, one for students, or one for visitors without a room."""
    if not parameters.code:
        return TEXTS.fill("question_without_a_room")
    leads = parameters.code.strip().upper() == own_room().code
    return TEXTS.fill("question_for_a_lecturer" if leads else "question_for_a_student")


def draw_room(parameters: Any, example: Any) -> None:
    """Draw the room whose code is in the address, or a field for the code."""
    if _has_just_joined():
        st.rerun()  # the whole page, because the question above the lesson depends on the code too
    with st.container(key="room"):
        if reason := reason_rooms_are_off():
            st.info(reason)
        else:
            exchange_with_the_browser(needs_id=bool(parameters.code))
            _draw_way_in_or_room(parameters)


def _draw_way_in_or_room(parameters: Any) -> None:
    try:
        room = room_with_code(parameters.code) if parameters.code else None
        if room is None:
            note_shown(0)
            _draw_code_field(parameters)
            return
        note_shown(room.version)
        _draw_room_view(room, parameters)
    except (ValueError, RoomsUnavailableError) as error:
        st.warning(str(error))
        _draw_code_field(parameters)


def _draw_room_view(room: Room, parameters: Any) -> None:
    if parameters.key:
        _take_key_out_of_the_address(room, parameters.key)
    elif own_room().code == room.code:
        draw_for_lecturer(room, parameters)
    else:
        draw_student(room, parameters)


def _take_key_out_of_the_address(room: Room, key: str) -> None:
    """Make this visitor the lecturer of the room, and remove the secret key from the address, where others may see it.

    Raises: ValueError if the key is not that of the room.
    """
    if not store().is_lecturer(room.code, key):
        raise ValueError(NOT_YOURS)
    own = own_room()
    if not own.is_known:
        return  # the browser has not said yet which room it leads
    if own.code not in ("", room.code):
        _ask_which_room_to_lead(own.code, room.code, key)
        return
    own.lead(room.code, key)
    session.set_parameters(key="")
    st.rerun()


def _ask_which_room_to_lead(old: str, new: str, key: str) -> None:
    """Ask whether this visitor wants to lead another room, because the browser then forgets the key of the old one."""
    st.markdown(TEXTS.fill("you_lead_another_room", old=old, new=new))
    with st.container(horizontal=True, gap="small", key="room_which"):
        st.button(TEXTS.fill("keep_leading", code=old), type="primary", key="room.keep", on_click=_keep, args=(old,))
        st.button(TEXTS.fill("lead_instead", code=new), key="room.lead", on_click=_lead, args=(new, key))


def _keep(code: str) -> None:
    session.set_parameters(code=code, key="")


def _lead(code: str, key: str) -> None:
    own_room().lead(code, key)
    session.set_parameters(key="")


def _draw_code_field(parameters: Any) -> None:
    """Draw the field for the code of a room, and a link to the room that the visitor leads, if there is one."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="room_way_in"):
        widgets.draw(parameters, "code", on_change=_join)
        st.button(TEXTS.fill("join"), type="primary", key="room.join")
    if code := own_room().code:
        link(ROOM_PAGE, TEXTS.fill("room_that_you_lead", code=code), {"code": code}, icon="groups")
    st.markdown(TEXTS.fill("how_to_open"))


def _join() -> None:
    session.visitor_object(Joining).joined = True
    address.note_press()


def _has_just_joined() -> bool:
    """Return whether the visitor has just typed a code. The next call then returns False."""
    joining = session.visitor_object(Joining)
    joined, joining.joined = joining.joined, False
    return joined


def follow_the_room(parameters: Any, example: Any) -> None:
    """Draw the page again whenever the room changes. Do nothing if there is no room."""
    if not parameters.code or reason_rooms_are_off():
        return
    try:
        wait_for_the_room(read_code(parameters.code))
    except ValueError:
        return  # the lesson says what is wrong with the code
