"""Write and read files of this app, which are JSON with the name of their format and its version. Pure."""

from __future__ import annotations

import json
from typing import Any

from attention_core.reading.source_text import is_nested_deeper
from pages.shared.notation.prose import short

DEEPEST = 8  # the most lists and objects that may be inside each other
NAMED_IN_JSON = {"list": "a list", "str": "a text", "bool": "true or false", "NoneType": "null"}


def read(content: bytes, format: str, version: int, remedy: str) -> dict[str, Any]:
    """Return the contents of a JSON file of this app, which must have this format and this version.

    Each error message ends in `remedy`, which says what to do.

    Raises: ValueError if the file is not JSON, contains half of a two-part character, or has another format or version.
    """
    try:
        contents = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # not a text, not JSON, or nested too deep
        raise ValueError(f"The file must be JSON, but it begins with {_begins(content)}. {remedy}") from None
    _check_whole(contents, remedy)
    if not isinstance(contents, dict) or contents.get("format") != format:
        raise ValueError(
            f"The file’s `format` must be “{format}”, but it is {value_text(contents, 'format')}. {remedy}"
        )
    if contents.get("version") != version or isinstance(contents["version"], bool):
        raise ValueError(
            f"The file’s `version` must be {version}, but it is {value_text(contents, 'version')}. Save it anew."
        )
    return contents


def _check_whole(contents: Any, remedy: str) -> None:
    """Raise a ValueError if lists are nested too deeply, or if a text contains only half of a two-part character.

    The message of the error ends in `remedy`, which says what to do.
    """
    if is_nested_deeper(contents, DEEPEST):
        raise ValueError(f"The file may have {DEEPEST} lists within each other, but it has more. {remedy}")
    try:
        json.dumps(contents, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError(f"The file’s texts must have whole characters, but one is cut in half. {remedy}") from None


def write(format: str, version: int, **held: Any) -> str:
    """Return the text of a JSON file with this format, this version, and the fields in `held`."""
    return json.dumps({"format": format, "version": version} | held, ensure_ascii=False, indent=2)


def value_text(contents: Any, name: str) -> str:
    """Return a few words for an error message: the value that `contents` has under `name`, or "missing"."""
    if not isinstance(contents, dict):
        return NAMED_IN_JSON.get(type(contents).__name__, "a number")
    return f"`{short(str(contents[name]))}`" if name in contents else "missing"


def _begins(content: bytes) -> str:
    text = short(content[:100].decode("utf-8", errors="replace"))
    return f"`{text}`" if text else "nothing that can be read"
