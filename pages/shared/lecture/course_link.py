"""A lecturer's own course in a link: the course's file, compressed, is the text of the parameter `course`."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Iterable

import streamlit as st

from pages.shared.lecture import course_file
from pages.shared.state.own_course import COURSE, OwnScene, own_course

LONGEST = 6000  # characters; servers refuse addresses that are longer than 8,000
LARGEST = 200_000  # bytes of the file
REMEDY = "Ask for the link again, or for the file that “Save this course” makes."
DAMAGED = f"The link’s `course` must be a text that this app has written, but it is another text. {REMEDY}"
KEPT = "The link brings a course of scenes, but you already have one, so yours was kept. Open the link in a new window."


def course_text(scenes: Iterable[OwnScene]) -> str:
    """Return the scenes of a lecturer's own course as a text for a link, or "" if this text is too long."""
    compact = json.dumps(json.loads(course_file.write(tuple(scenes))), ensure_ascii=False, separators=(",", ":"))
    text = base64.urlsafe_b64encode(zlib.compress(compact.encode(), 9)).decode().rstrip("=")
    return text if len(text) <= LONGEST else ""


def scenes_in(text: str) -> tuple[OwnScene, ...]:
    """Return the scenes of a course from its text in a link, as `course_text` has written it.

    Raises: ValueError if the text does not describe a course.
    """
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), LARGEST)
    except (binascii.Error, zlib.error, ValueError):
        raise ValueError(DAMAGED) from None
    if not unpacking.eof:
        raise ValueError(DAMAGED)
    try:
        return course_file.read(content)
    except ValueError as error:
        raise ValueError(f"{DAMAGED} {error}") from None


def set_course(scenes: Iterable[OwnScene]) -> None:
    """Make `scenes` the own course of this visitor. From now on, the link of the page holds the course."""
    course = own_course()
    course.scenes = tuple(scenes)
    course.text = course_text(course.scenes) if course.scenes else ""


def take_course_from_the_address() -> tuple[str, ...]:
    """Make the course in the address the visitor's own course, if there is a new course in the address.

    Return () if this worked, or if there is no new course. If the visitor already has a course, or if the text in the
    address is no course, nothing changes. Then return a tuple with one sentence that says why. Each text is refused
    only once.
    """
    text, course = st.query_params.get(COURSE, ""), own_course()
    if not text or text in (course.text, course.refused):
        return ()
    course.refused = text
    if course.scenes:
        return (KEPT,)
    try:
        set_course(scenes_in(text))
    except ValueError as error:
        return (str(error),)
    return ()
