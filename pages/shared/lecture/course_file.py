"""The file of a course of one's own, as JSON. Pure: text in, scenes out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pages.shared.share import json_file, state_file
from pages.shared.share.json_file import got
from pages.shared.state.own_course import MOST_SCENES, OwnScene

FORMAT, VERSION = "attention lab course", 1
REMEDY = "choose a file that “Save this course” has made."
_EQUATION = re.compile(r"[a-z0-9_]+")  # its name on the page
LONGEST = {"title": 60, "say": 320, "focus": 100}  # characters


def write(scenes: Sequence[OwnScene]) -> str:
    """Return the file of a course."""
    held = [
        {"page": s.page, "state": dict(parse_qsl(s.state)), "focus": s.focus, "title": s.title, "say": s.say}
        for s in scenes
    ]
    return json_file.write(FORMAT, VERSION, scenes=held)


def read(content: bytes) -> tuple[OwnScene, ...]:
    """Return the scenes that a file holds. What their states say is checked when they are opened, as a link is.

    Raises: ValueError if it is not such a file.
    """
    held = json_file.read(content, FORMAT, VERSION, REMEDY)
    scenes = held.get("scenes")
    if not isinstance(scenes, list) or len(scenes) > MOST_SCENES:
        raise ValueError(
            f"The file’s `scenes` must be a list of at most {MOST_SCENES}; got {got(held, 'scenes')}: {REMEDY}"
        )
    return tuple(map(_scene, scenes))


def _scene(held: Any) -> OwnScene:
    if not isinstance(held, dict):
        raise ValueError(f"A scene of the file must hold its page and its state; got {got(held, '')}: {REMEDY}")
    state = state_file.state_in(held)
    words = {name: _text(held, name) for name in LONGEST}
    if words["focus"] and not _EQUATION.fullmatch(words["focus"].removeprefix(f"{state.page}.equation.")):
        raise ValueError(
            f"The `focus` of a scene must name an equation of its page; got {got(held, 'focus')}: {REMEDY}"
        )
    return OwnScene(state.page, urlencode(state.query), **words)


def _text(held: dict[str, Any], name: str) -> str:
    text = held.get(name, "")
    if not isinstance(text, str) or len(text) > LONGEST[name]:
        raise ValueError(
            f"The `{name}` of a scene must be a text of at most {LONGEST[name]} characters; got {got(held, name)}: "
            f"{REMEDY}"
        )
    return text
