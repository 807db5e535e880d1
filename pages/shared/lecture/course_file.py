"""Write a lecturer's own course as a JSON file, and read such a file. Pure: text in, scenes out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

from pages.shared.scene_files.routes import MINUTES_A_SCENE
from pages.shared.scene_files.scene import scenes_of
from pages.shared.share import json_file, state_file
from pages.shared.share.json_file import value_text
from pages.shared.state.own_course import MOST_SCENES, OwnScene

FORMAT, VERSION = "attention lab course", 1
REMEDY = "Choose a file that “Save this course” has made."
_PICTURE = re.compile(r"[a-z0-9_]+")  # the name of an equation or a picture on its page
LONGEST = {"title": 60, "say": 320, "focus": 100, "options": 200, "note": 600}  # characters
MOST_MINUTES = 120


def write(scenes: Sequence[OwnScene]) -> str:
    """Return the text of a file with these scenes."""
    written = [
        {"page": s.page, "state": dict(parse_qsl(s.state, keep_blank_values=True))}
        | {name: getattr(s, name) for name in (*LONGEST, "minutes", "of")}
        for s in scenes
    ]
    return json_file.write(FORMAT, VERSION, scenes=written)


def read(content: bytes) -> tuple[OwnScene, ...]:
    """Return the scenes in the file of a lecturer's own course. The state of a scene is checked only when it is opened.

    Raises: ValueError if the content is not a file of a course.
    """
    contents = json_file.read(content, FORMAT, VERSION, REMEDY)
    scenes = contents.get("scenes")
    if not isinstance(scenes, list) or len(scenes) > MOST_SCENES:
        raise ValueError(
            f"The file’s `scenes` must be a list of at most {MOST_SCENES}, but it is "
            f"{value_text(contents, 'scenes')}. {REMEDY}"
        )
    return tuple(map(_scene, scenes))


def _scene(contents: Any) -> OwnScene:
    if not isinstance(contents, dict):
        raise ValueError(
            f"A scene of the file must hold its page and its state, but it is {value_text(contents, '')}. {REMEDY}"
        )
    state = state_file.state_in(contents)
    words = {name: _text(contents, name) for name in LONGEST}
    name = words["focus"].removeprefix(f"{state.page}.").removeprefix("equation.")
    if words["focus"] and not _PICTURE.fullmatch(name.removeprefix("words.").removeprefix("plane.")):
        raise ValueError(
            f"The `focus` of a scene must name an equation or a picture of its page, but it is "
            f"{value_text(contents, 'focus')}. {REMEDY}"
        )
    minutes = _number(contents, "minutes", MINUTES_A_SCENE, MOST_MINUTES)
    of = _number(contents, "of", 0, len(scenes_of(state.page)))
    return OwnScene(state.page, urlencode(state.query), **words, minutes=minutes, of=int(of))


def _number(contents: dict[str, Any], name: str, default: float, most: float) -> float:
    """Return the field `name` of a scene in a file: a number from 0 to `most`. `contents` has all fields of the scene.

    Return `default` if the field is missing, as in a file from an earlier version of the app.
    """
    number = contents.get(name, default)
    if not isinstance(number, int | float) or isinstance(number, bool) or not 0 <= number <= most:
        raise ValueError(
            f"The `{name}` of a scene must be a number from 0 to {most}, "
            f"but it is {value_text(contents, name)}. {REMEDY}"
        )
    return number


def _text(contents: dict[str, Any], name: str) -> str:
    text = contents.get(name, "")
    if not isinstance(text, str) or len(text) > LONGEST[name]:
        raise ValueError(
            f"The `{name}` of a scene must be a text of at most {LONGEST[name]} characters, but it is "
            f"{value_text(contents, name)}. {REMEDY}"
        )
    return text
