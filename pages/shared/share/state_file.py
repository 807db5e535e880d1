"""The file of a state."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from attention_core.reading.source_text import is_nested_deeper
from pages.shared.controls import controls_of
from pages.shared.controls.example_kinds import LONGEST as LONGEST_AREA
from pages.shared.controls.example_kinds import TextArea
from pages.shared.notation.prose import short
from pages.shared.notation.texts import texts_beside
from pages.shared.site.page import catalogue, page_named

TEXTS = texts_beside(__file__)

DEEPEST = 8  # the most lists and objects that may be inside each other
NAMED_IN_JSON = {"list": "a_list", "str": "a_text", "bool": "true_or_false", "NoneType": "null"}


def read_json(content: bytes, format: str, version: int, remedy: str) -> dict[str, Any]:
    """Return the contents of a JSON file of this app, which must have this format and this version.

    Each error message ends in `remedy`, which says what to do.

    Raises: ValueError if the file is not JSON, contains half of a two-part character, or has another format or version.
    """
    try:
        contents = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # not a text, not JSON, or nested too deep
        raise ValueError(TEXTS.fill("json_rule", beginning=_begins(content), remedy=remedy)) from None
    _check_whole(contents, remedy)
    if not isinstance(contents, dict) or contents.get("format") != format:
        value = value_text(contents, "format")
        raise ValueError(TEXTS.fill("format_rule", format=format, value=value, remedy=remedy))
    if contents.get("version") != version or isinstance(contents["version"], bool):
        raise ValueError(TEXTS.fill("version_rule", version=version, value=value_text(contents, "version")))
    return contents


def _check_whole(contents: Any, remedy: str) -> None:
    """Raise a ValueError if lists are nested too deeply, or if a text contains only half of a two-part character."""
    if is_nested_deeper(contents, DEEPEST):
        raise ValueError(TEXTS.fill("depth_rule", deepest=DEEPEST, remedy=remedy))
    try:
        json.dumps(contents, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError(TEXTS.fill("whole_characters_rule", remedy=remedy)) from None


def write_json(format: str, version: int, **held: Any) -> str:
    """Return the text of a JSON file with this format, this version, and the fields in `held`."""
    return json.dumps({"format": format, "version": version} | held, ensure_ascii=False, indent=2)


def value_text(contents: Any, name: str) -> str:
    """Return a few words for an error message: the value that `contents` has under `name`, or "missing"."""
    if not isinstance(contents, dict):
        return TEXTS.fill(NAMED_IN_JSON.get(type(contents).__name__, "a_number"))
    return f"`{short(str(contents[name]))}`" if name in contents else TEXTS.fill("missing")


def _begins(content: bytes) -> str:
    text = short(content[:100].decode("utf-8", errors="replace"))
    return f"`{text}`" if text else TEXTS.fill("nothing_to_read")


LONGEST = {"state": 100_000, "texts": 1_000_000}  # characters
STREAMLITS_OWN = {"embed", "embed_options"}  # parameters that no page can set
FORMAT, VERSION = "attention lab state", 1


@dataclass(frozen=True, slots=True)
class State:
    """The state of a page, as a file stores it."""

    page: str
    query: Mapping[str, str]  # the parameters of a link of the page
    texts: Mapping[str, str] = field(default_factory=dict)  # the texts that no link can hold, by parameter


def write(state: State) -> str:
    """Return the text of a file with this state.

    >>> print(write(State("attention", {"step": "5"})))
    {
      "format": "attention lab state",
      "version": 1,
      "page": "attention",
      "state": {
        "step": "5"
      },
      "texts": {}
    }
    """
    return write_json(FORMAT, VERSION, page=state.page, state=dict(state.query), texts=dict(state.texts))


def read(content: bytes) -> State:
    """Return the state of a page from a file. Its values are checked only when somebody opens the state.

    Raises: ValueError if the content is not a file of a state.
    """
    return state_in(read_json(content, FORMAT, VERSION, TEXTS.fill("remedy_of_state")))


def state_in(contents: Mapping[str, Any]) -> State:
    """Return the state that `contents` describes: a file of a state, or one scene in a file of a course.

    Raises: ValueError if a field of the state is missing or wrong.
    """
    pages = [page.name for page in catalogue()]
    if contents.get("page") not in pages:
        raise ValueError(TEXTS.fill("page_rule", pages=", ".join(pages), value=value_text(contents, "page")))
    texts = _texts(contents, "texts", contents.get("texts", {}))
    _check_areas(contents["page"], texts)
    return State(contents["page"], _query(contents), texts)


def _check_areas(page: str, texts: Mapping[str, str]) -> None:
    """Raise a ValueError if a long text in a file is too long, or belongs to no text area of the page."""
    controls = controls_of(page_named(page).parameters)
    for name, text in texts.items():
        if not isinstance(controls.get(name), TextArea):
            raise ValueError(TEXTS.fill("areas_rule", page=page, name=short(name)))
        if len(text) > LONGEST_AREA:
            raise ValueError(TEXTS.fill("long_area_rule", most=LONGEST_AREA, name=name, length=len(text)))


def _query(contents: Mapping[str, Any]) -> dict[str, str]:
    """Return the link parameters in the contents of a file."""
    query = _texts(contents, "state", contents.get("state"))
    odd = [name for name in query if name.lower() in STREAMLITS_OWN]
    if odd:
        raise ValueError(TEXTS.fill("state_rule", name=short(odd[0])))
    return query


def _texts(contents: Mapping[str, Any], name: str, texts: Any) -> dict[str, str]:
    """Return `texts` if it is a dict of texts that are not too long together. Otherwise raise a ValueError.

    `name` is the field of the file that has the texts, and `contents` are all fields.
    """
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise ValueError(TEXTS.fill("texts_rule", name=name, value=value_text(contents, name)))
    if sum(len(each) + len(text) for each, text in texts.items()) > LONGEST[name]:
        raise ValueError(TEXTS.fill("length_rule", name=name, most=LONGEST[name]))
    return texts
