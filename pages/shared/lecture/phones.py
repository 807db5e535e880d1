"""The QR code for phones: whoever scans it opens the presented scene on a phone and can guess the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from pages.shared.lecture.course_link import course_text
from pages.shared.scene_files.lecture import GUESS
from pages.shared.scene_files.routes import OWN
from pages.shared.scene_files.scene import Scene
from pages.shared.share.qr import LONGEST, address_with, is_local, picture_of
from pages.shared.state import address, session
from pages.shared.state.open_scene import store_guess
from pages.shared.state.own_course import COURSE, own_course

LETTERS = "ABC"  # the letters of the answers
LOCAL = "Phones cannot open this address: it means this computer. Open the app by the computer’s name in the network."
TOO_LONG = "This page has so many edits that no code for phones can hold them. “Share” has a file with all of them."


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
    """Return the data of the QR code for phones if it was requested since the last call, and otherwise None.

    The dict has "image" (the picture of the code), "link", "warning" (a text about the link) and "times" (how many
    requests there were). A browser ignores a message that it has received before. The number in "times" makes each
    message a new one.
    """
    request = session.visitor_object(CodeRequest)
    is_requested, request.made = request.made, False
    if not is_requested:
        return None
    link = request.link or link_for_phones()
    if len(link) > LONGEST:
        return {"times": request.times, "image": "", "link": "", "warning": TOO_LONG}
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
        if len(address_with(alone)) <= LONGEST:
            return alone
    return here


def _has_same_texts(scene: Scene, original: Scene) -> bool:
    """Return whether a lecturer's scene has the same texts as `original`, a scene of the app. States may differ."""
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
            st.button("Show the results", key="guess", on_click=_guess, args=("",))


def _guess(answer: str) -> None:
    store_guess(answer)
    address.note_press()
