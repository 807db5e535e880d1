"""A lecturer's own course: as a value, as a file and as a link."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from pages.shared.notation.texts import texts_beside
from pages.shared.scene_files.scene import MINUTES_A_SCENE, OWN, Lecture, Route, Stop, route_named, scenes_of
from pages.shared.share import link_dialog
from pages.shared.share.link_dialog import value_text
from pages.shared.site.page import catalogue, page_named
from pages.shared.state.opening import COURSE, MOST_SCENES, OwnScene, own_course

TEXTS = texts_beside(__file__)


@cache
def whole_course() -> Route:
    """Return a route through all scenes of all pages, in the order of the pages."""
    stops = (Stop(page.name, n) for page in catalogue() for n in range(1, len(scenes_of(page.name)) + 1))
    return Route("", TEXTS.fill("whole_course"), TEXTS.fill("about_whole_course"), tuple(stops))


def route_of(lecture: Lecture) -> Route:
    """Return the route of a lecture: all its scenes, in order."""
    if lecture.route == OWN:
        return own_route()
    return route_named(lecture.route) if lecture.route else whole_course()


def own_route() -> Route:
    """Return the route through the scenes that the lecturer has put together."""
    scenes = enumerate(own_course().scenes, start=1)
    stops = (Stop(each.page, number, each.minutes) for number, each in scenes)
    return Route(OWN, TEXTS.fill("own_course"), TEXTS.fill("about_own_course"), tuple(stops))


def in_words(scenes: int) -> str:
    """Return a number of scenes in words.

    >>> in_words(1), in_words(24)
    ('1 scene', '24 scenes')
    """
    return TEXTS.fill("one_scene" if scenes == 1 else "number_of_scenes", n=scenes)


def title_of(route: Route) -> str:
    """Return the title of a route (a lecture). The title of a route through one page is the concept of the page."""
    return route.title or page_named(route.name).concept


def neighbouring_stop(page: str, lecture: Lecture, step: int) -> Stop | None:
    """Return the scene that is `step` scenes after the open scene on the route of the lecture, or None at the end."""
    stops, place = route_of(lecture).stops, route_of(lecture).place(page, lecture.scene)
    if place is None:
        return next((stop for stop in stops if stop.page == page), stops[0]) if step > 0 and stops else None
    return stops[place + step] if 0 <= place + step < len(stops) else None


def progress(page: str, lecture: Lecture) -> tuple[int, int] | None:
    """Return the number of the open scene on the route, counted from 1, and the number of scenes on the route.

    Return None if the open scene is not on the route.
    """
    place = route_of(lecture).place(page, lecture.scene)
    return None if place is None else (place + 1, len(route_of(lecture).stops))


def planned_minutes(page: str, lecture: Lecture) -> tuple[float, float] | None:
    """Return two times, in minutes from the beginning of the lecture: when the scene and the whole route should end.

    Return None if the open scene is not on the route, or no lecture was begun.
    """
    route = route_of(lecture)
    place = route.place(page, lecture.scene)
    if place is None or not lecture.route:
        return None
    return sum(stop.minutes for stop in route.stops[: place + 1]), route.minutes


FORMAT, VERSION = "attention lab course", 1
_PICTURE = re.compile(r"[a-z0-9_]+")  # the name of an equation or a picture on its page
LONGEST_FILE = {"title": 60, "say": 320, "focus": 100, "options": 200, "note": 600}  # characters
MOST_MINUTES = 120


def write_file(scenes: Sequence[OwnScene]) -> str:
    """Return the text of a file with these scenes."""
    written = [
        {"page": s.page, "state": dict(parse_qsl(s.state, keep_blank_values=True))}
        | {name: getattr(s, name) for name in (*LONGEST_FILE, "minutes", "of")}
        for s in scenes
    ]
    return link_dialog.write_json(FORMAT, VERSION, scenes=written)


def read_file(content: bytes) -> tuple[OwnScene, ...]:
    """Return the scenes in the file of a lecturer's own course. The state of a scene is checked only when it is opened.

    Raises: ValueError if the content is not a file of a course.
    """
    contents = link_dialog.read_json(content, FORMAT, VERSION, TEXTS.fill("file_remedy"))
    scenes = contents.get("scenes")
    if not isinstance(scenes, list) or len(scenes) > MOST_SCENES:
        raise ValueError(TEXTS.fill("scenes_rule", most=MOST_SCENES, value=value_text(contents, "scenes")))
    return tuple(map(_scene, scenes))


def _scene(contents: Any) -> OwnScene:
    if not isinstance(contents, dict):
        raise ValueError(TEXTS.fill("scene_rule", value=value_text(contents, "")))
    state = link_dialog.state_in(contents)
    words = {name: _text(contents, name) for name in LONGEST_FILE}
    name = words["focus"].removeprefix(f"{state.page}.").removeprefix("equation.")
    if words["focus"] and not _PICTURE.fullmatch(name.removeprefix("words.").removeprefix("plane.")):
        raise ValueError(TEXTS.fill("focus_rule", value=value_text(contents, "focus")))
    minutes = _number(contents, "minutes", MINUTES_A_SCENE, MOST_MINUTES)
    of = _number(contents, "of", 0, len(scenes_of(state.page)))
    return OwnScene(state.page, urlencode(state.query), **words, minutes=minutes, of=int(of))


def _number(contents: dict[str, Any], name: str, default: float, most: float) -> float:
    """Return the field `name` of a scene in a file: a number from 0 to `most`."""
    number = contents.get(name, default)
    if not isinstance(number, int | float) or isinstance(number, bool) or not 0 <= number <= most:
        raise ValueError(TEXTS.fill("number_rule", name=name, most=most, value=value_text(contents, name)))
    return number


def _text(contents: dict[str, Any], name: str) -> str:
    text = contents.get(name, "")
    if not isinstance(text, str) or len(text) > LONGEST_FILE[name]:
        value = value_text(contents, name)
        raise ValueError(TEXTS.fill("text_rule", name=name, most=LONGEST_FILE[name], value=value))
    return text


LONGEST = 6000  # characters; servers refuse addresses that are longer than 8,000
LARGEST = 200_000  # bytes of the file


def course_text(scenes: Iterable[OwnScene]) -> str:
    """Return the scenes of a lecturer's own course as a text for a link, or "" if this text is too long."""
    compact = json.dumps(json.loads(write_file(tuple(scenes))), ensure_ascii=False, separators=(",", ":"))
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
        raise ValueError(TEXTS.fill("damaged_link")) from None
    if not unpacking.eof:
        raise ValueError(TEXTS.fill("damaged_link"))
    try:
        return read_file(content)
    except ValueError as error:
        raise ValueError(f"{TEXTS.fill('damaged_link')} {error}") from None


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
        return (TEXTS.fill("course_is_kept"),)
    try:
        set_course(scenes_in(text))
    except ValueError as error:
        return (str(error),)
    return ()
