"""The room of a class in a lecture, and the phones of its students."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.shared.class_questions import results
from pages.shared.class_questions.questions import question_of
from pages.shared.controls import Parameters
from pages.shared.lecture.course import TEXTS, course_text
from pages.shared.rooms.codes import RoomError, RoomsUnavailableError
from pages.shared.rooms.database import reason_rooms_are_off
from pages.shared.rooms.own_room import (
    ROOM_PAGE,
    Reference,
    ask_the_class,
    exchange_with_the_browser,
    offer_to_ask,
    own_room,
    reveal_to_the_class,
    room_of,
)
from pages.shared.rooms.store import Room
from pages.shared.scene_files.scene import GUESS, OWN, Scene
from pages.shared.share.link_dialog import LONGEST_LINK, address_of_page, address_with, is_local, picture_of
from pages.shared.state import address, session
from pages.shared.state.opening import COURSE, open_scene, own_course, store_guess

LETTERS = "ABC"  # the letters of the answers
LOCAL = TEXTS.fill("local")


@dataclass(slots=True)
class CodeRequest:
    """A request to show a QR code for phones: whether it is open, its link, and how many requests there were."""

    made: bool = False
    link: str = ""  # "" stands for the link of the presented scene
    times: int = 0


def ask_for_the_code(link: str = "") -> None:
    """Make the next run of the page show a QR code for `link`. If it is "", the code is for the presented scene."""
    request = session.visitor_object(CodeRequest)
    request.made, request.link, request.times = True, link, request.times + 1
    address.note_press()


def requested_code() -> dict[str, Any] | None:
    """Return the data of the QR code for phones if it was requested since the last call, and otherwise None."""
    request = session.visitor_object(CodeRequest)
    is_requested, request.made = request.made, False
    if not is_requested:
        return None
    link = request.link or link_for_phones()
    if len(link) > LONGEST_LINK:
        return {"times": request.times, "image": "", "link": "", "warning": TEXTS.fill("too_many_edits")}
    return {"times": request.times, "image": picture_of(link), "link": link, "warning": LOCAL * is_local(link)}


def link_for_phones() -> str:
    """Return the link in the QR code of a presented scene. The link opens the scene, and asks for a guess."""
    lecture = session.visit().lecture
    if lecture.route == OWN:
        return address_with(_link_to_own_scene(lecture.scene))
    here = {name: text for name, text in address.link_of_the_page().items() if name != "view"}
    return address_with(here | ({"view": GUESS} if lecture.scene else {}))


def _link_to_own_scene(number: int) -> dict[str, str]:
    """Return the link parameters that open a scene of the lecturer's own course on a student's phone.

    `number` is the number of the scene in the course, counted from 1. If the scene is an unchanged copy of a scene of
    the app, the link names that scene of the app. Otherwise the link has a course with only this scene. If this is too
    long, the link has only the state of the page.
    """
    here = address.state_of_the_page()
    for own in own_course().scenes[:number][-1:]:
        if own.original and _has_same_texts(own.scene, own.original) and address.state_of(own.original) == here:
            return {"scene": str(own.of), "view": GUESS}
        alone = {"scene": "1", "route": OWN, "view": GUESS, COURSE: course_text([replace(own, note="")])}
        if len(address_with(alone)) <= LONGEST_LINK:
            return alone
    return here


def _has_same_texts(scene: Scene, original: Scene) -> bool:
    return replace(scene, state="") == replace(original, state="", claims=())


# --- on the phone ---


def offer_guesses(options: Sequence[str]) -> None:
    """Draw a button for each of the `options`, the answers to the scene's question, for the owner of a phone.

    After the choice, this phone shows the results of the scene. Without options, one button shows the results.
    """
    with st.container(key="guesses"):
        for letter, option in zip(LETTERS, options, strict=False):
            st.button(f"**{letter}** {option}", key=f"guess.{letter}", on_click=_guess, args=(f"{letter}: {option}",))
        if not options:
            st.button(TEXTS.fill("show_the_results"), key="guess", on_click=_guess, args=("",))


def _guess(answer: str) -> None:
    store_guess(answer)
    address.note_press()


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
    if (question := question_of_the_scene()) and (refusal := offer_to_ask(TEXTS.fill("ask_the_class"), question)):
        st.warning(refusal)


def ask() -> None:
    """Ask the class the question of the open scene. If this opens a new room, also show the room's code."""
    _try(_ask)


def reveal() -> None:
    """Show the class's answers to the scene's question, in the presenter view and on the students' phones."""
    _try(_reveal)


def presses() -> int:
    """Return how many presses of the keys “ask the class” and “reveal” the server has answered."""
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
        raise RoomError(TEXTS.fill("no_question"))
    own = ask_the_class(question)
    if own.code != before:
        ask_for_the_code(address_of_page(ROOM_PAGE, {"code": own.code}))


def _reveal() -> None:
    if _room_of_the_scene() is None:
        raise RoomError(TEXTS.fill("no_room"))
    reveal_to_the_class()


def draw_answers(parameters: Parameters) -> None:
    """Draw the code of the class's room and how many students have answered the scene's question."""
    if not reason_rooms_are_off():
        exchange_with_the_browser(needs_id=False)
    room = _room_of_the_scene()
    if room is None:
        return
    with st.container(key="class"):
        results.draw_counts(room.code, room.current.number)
        try:
            if room.current.revealed:
                results.draw_results(room, question_of(room.current.question), parameters)
        except (RoomError, RoomsUnavailableError) as error:
            st.markdown(str(error))


def _room_of_the_scene() -> Room | None:
    """Return the visitor's own room if its last question is the question of the open scene, and otherwise None."""
    question, code = question_of_the_scene(), own_room().code
    try:
        room = room_of(code) if code and question else None
    except RoomsUnavailableError:
        return None
    return room if room and room.current.question == str(question) else None
