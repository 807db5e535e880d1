"""The class in a lecture: one key asks the class the question of the scene, another key shows its answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from pages.shared.class_questions import results
from pages.shared.class_questions.questions import question_of
from pages.shared.controls import Parameters
from pages.shared.lecture import phones
from pages.shared.rooms.browser import exchange_with_the_browser
from pages.shared.rooms.database import reason_rooms_are_off
from pages.shared.rooms.limits import RoomError, RoomsUnavailableError
from pages.shared.rooms.opening import offer_to_ask
from pages.shared.rooms.own_room import ROOM_PAGE, ask_the_class, own_room, reveal_to_the_class, room_of
from pages.shared.rooms.references import Reference
from pages.shared.rooms.store import Room
from pages.shared.scene_files.routes import OWN
from pages.shared.share.qr import address_of_page
from pages.shared.state import address, session
from pages.shared.state.open_scene import open_scene
from pages.shared.state.own_course import own_course

NO_QUESTION = "Only a scene with answers can be asked, and this scene has none. Go on to a scene that has answers."
NO_ROOM = "You have no open question, so there are no answers to show. Press `O` to ask the class first."


@dataclass(slots=True)
class Presses:
    """How many presses of the keys “ask the class” and “reveal” the server has answered for this visitor."""

    answered: int = 0


def question_of_the_scene() -> Reference | None:
    """Return the reference of the open scene's question, or None if students cannot answer it on their phones."""
    scene, lecture, page = open_scene(), session.visit().lecture, session.visit().page
    if scene is None or not scene.options:
        return None
    if lecture.route != OWN:
        return Reference("scene", page, lecture.scene)
    own = own_course().scenes[lecture.scene - 1]
    same = own.original is not None and own.original.options == scene.options
    return Reference("scene", page, own.of) if same else None


def draw_ask_button() -> None:
    """Draw the button that asks the class, if the open scene has a question."""
    if (question := question_of_the_scene()) and (refusal := offer_to_ask("Ask the class", question)):
        st.warning(refusal)


def ask() -> None:
    """Ask the class the question of the open scene. If this opens a new room, also show the room's code."""
    _try(_ask)


def reveal() -> None:
    """Show the class's answers to the scene's question, in the presenter view and on the students' phones."""
    _try(_reveal)


def presses() -> int:
    """Return how many presses of the keys “ask the class” and “reveal” the server has answered.

    The browser sends the next press only when this number has grown.
    """
    return session.visitor_object(Presses).answered


def _try(act: Callable[[], None]) -> None:
    session.visitor_object(Presses).answered += 1
    address.note_press()
    session.clear_seen_notices()
    try:
        act()
    except (RoomError, RoomsUnavailableError) as error:
        session.notify(str(error))


def _ask() -> None:
    question, before = question_of_the_scene(), own_room().code
    if question is None:
        raise RoomError(NO_QUESTION)
    own = ask_the_class(question)
    if own.code != before:
        phones.ask_for_the_code(address_of_page(ROOM_PAGE, {"code": own.code}))


def _reveal() -> None:
    if _room_of_the_scene() is None:
        raise RoomError(NO_ROOM)
    reveal_to_the_class()


def draw_answers(parameters: Parameters) -> None:
    """Draw the code of the class's room and how many students have answered the scene's question.

    After the lecturer has revealed the answers, draw them as bars. Draw nothing if the scene's question was not asked.
    """
    if not reason_rooms_are_off():
        exchange_with_the_browser(needs_id=False)
    room = _room_of_the_scene()
    if room is None:
        return
    with st.container(key="class"):
        results.draw_counts(room.code, room.current.number)
        if room.current.revealed:
            results.draw_results(room, question_of(room.current.question), parameters)


def _room_of_the_scene() -> Room | None:
    """Return the visitor's own room if its last question is the question of the open scene, and otherwise None."""
    question, code = question_of_the_scene(), own_room().code
    try:
        room = room_of(code) if code and question else None
    except RoomsUnavailableError:
        return None
    return room if room and room.current.question == str(question) else None
