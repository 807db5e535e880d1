"""Files of ours, as JSON: each names its format and its version. Pure."""

from __future__ import annotations

import json
from typing import Any

from pages.shared.notation.prose import short

NAMED_IN_JSON = {"list": "a list", "str": "a text", "bool": "true or false", "NoneType": "null"}


def read(content: bytes, format: str, version: int, remedy: str) -> dict[str, Any]:
    """Return what a file holds.

    Raises: ValueError if it is no JSON, or of another format or version.
    """
    try:
        held = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # no text, no JSON, or nested without end
        raise ValueError(f"The file must be JSON; got {_begins(content)}: {remedy}") from None
    if not isinstance(held, dict) or held.get("format") != format:
        raise ValueError(f"The file’s `format` must be “{format}”; got {got(held, 'format')}: {remedy}")
    if held.get("version") != version or isinstance(held["version"], bool):
        raise ValueError(f"The file’s `version` must be {version}; got {got(held, 'version')}: save it anew.")
    return held


def write(format: str, version: int, **held: Any) -> str:
    """Return the text of a file."""
    return json.dumps({"format": format, "version": version} | held, ensure_ascii=False, indent=2)


def got(held: Any, name: str) -> str:
    """Return what stands there instead, as a message can show it."""
    if not isinstance(held, dict):
        return NAMED_IN_JSON.get(type(held).__name__, "a number")
    return f"`{short(str(held[name]))}`" if name in held else "none"


def _begins(content: bytes) -> str:
    text = short(content[:100].decode("utf-8", errors="replace"))
    return f"`{text}`" if text else "nothing that can be read"
