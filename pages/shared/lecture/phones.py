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
from pages.shared.state.open_scene import guess
from pages.shared.state.own_course import COURSE, own_course

LETTERS = "ABC"  # the letters of the answers
LOCAL = "This address means this computer: phones cannot open it. Open the app by the computer’s name in the network."
TOO_LONG = "What is shown was edited so much that no code can hold it. “Share” has a file of it."


@dataclass(slots=True)
class CodeRequest:
    """A request for a code: whether it still has to be sent, its link, and how many requests there were."""

    made: bool = False
    link: str = ""  # "" stands for the link of the presented scene
    times: int = 0


def ask_for_the_code(link: str = "") -> None:
    """Make the next run send the code for a link, or for the presented scene if the link is ""."""
    request = session.visitor_object(CodeRequest)
    request.made, request.link, request.times = True, link, request.times + 1
    address.press()


def requested_code() -> dict[str, Any] | None:
    """Return the QR code for phones that was requested, or None if none was requested.

    The result has the picture of the code, its link, a warning about the link, and how many requests there were. With
    this number, each message is a new one, because a browser ignores a message that it has received before.
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
    """Return the address that a phone opens to guess in the presented scene."""
    lecture = session.visit().lecture
    if lecture.route == OWN:
        return address_with(_link_to_own_scene(lecture.scene))
    here = {name: text for name, text in address.link_of_the_page().items() if name != "view"}
    return address_with(here | ({"view": GUESS} if lecture.scene else {}))


def _link_to_own_scene(number: int) -> dict[str, str]:
    """Return the link parameters that open a lecturer's own scene on another device. `number` is counted from 1.

    They name a scene of the app if it looks the same. Otherwise they hold a course of this one scene.
    """
    here = address.state_of_the_page()
    for own in own_course().scenes[:number][-1:]:
        if own.original and _is_said_alike(own.scene, own.original) and address.state_of(own.original) == here:
            return {"scene": str(own.of), "view": GUESS}
        alone = {"scene": "1", "route": OWN, "view": GUESS, COURSE: course_text([replace(own, note="")])}
        if len(address_with(alone)) <= LONGEST:
            return alone
    return here


def _is_said_alike(scene: Scene, original: Scene) -> bool:
    """Return whether two scenes look the same. The texts of their states, and their claims, may differ."""
    return replace(scene, state="") == replace(original, state="", claims=())


# --- on the phone ---


def offer_guesses(options: Sequence[str]) -> None:
    """Draw buttons by which the owner of a phone chooses one of the `options`.

    The choice reveals the results on that phone.
    """
    with st.container(key="guesses"):
        for letter, option in zip(LETTERS, options, strict=False):
            st.button(f"**{letter}** {option}", key=f"guess.{letter}", on_click=_guess, args=(f"{letter}: {option}",))
        if not options:
            st.button("Show the results", key="guess", on_click=_guess, args=("",))


def _guess(answer: str) -> None:
    guess(answer)
    address.press()
