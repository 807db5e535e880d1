"""The parts of the page of a room: the field for a code, or the room as a student or as the lecturer sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared.lessons.room.entering import room_with_code
from pages.shared.lessons.room.lecturer import draw_for_lecturer
from pages.shared.lessons.room.student import draw_student
from pages.shared.lessons.room.waiting import note_shown, wait_for_the_room
from pages.shared.rooms.browser import exchange_with_the_browser
from pages.shared.rooms.codes import read_code
from pages.shared.rooms.database import reason_rooms_are_off, store
from pages.shared.rooms.limits import RoomsUnavailableError
from pages.shared.rooms.own_room import ROOM_PAGE, own_room
from pages.shared.rooms.store import NOT_YOURS, Room
from pages.shared.site.links import link
from pages.shared.state import address, session, widgets

FOR_A_STUDENT = "What is your answer?"
FOR_A_LECTURER = "Which mistakes does the class make?"
WITHOUT_A_ROOM = "Which room do you want to join?"
HOW_TO_OPEN = (
    "**Do you teach?** Open a room with the button *Ask the class*, below each task of *Try it* and above each scene "
    "that asks something. Your students answer on their phones, and you see how many made which mistake. The app keeps "
    "nothing about a person: no name and no address, only a random number in each browser."
)


@dataclass(slots=True)
class Joining:
    """Whether the visitor has just typed a code."""

    joined: bool = False


def question(parameters: Any, example: Any) -> str:
    """Return the question above the page: one for lecturers, one for students, or one for visitors without a room."""
    if not parameters.code:
        return WITHOUT_A_ROOM
    return FOR_A_LECTURER if parameters.code.strip().upper() == own_room().code else FOR_A_STUDENT


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
    own_room().lead(room.code, key)
    session.set_parameters(key="")
    st.rerun()


def _draw_code_field(parameters: Any) -> None:
    """Draw the field for the code of a room, and a link to the room that the visitor leads, if there is one."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="room_way_in"):
        widgets.draw(parameters, "code", on_change=_join)
        st.button("Join", type="primary", key="room.join")
    if code := own_room().code:
        link(ROOM_PAGE, f"The room that you lead: {code}", {"code": code}, icon="groups")
    st.markdown(HOW_TO_OPEN)


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
