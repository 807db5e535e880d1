"""The file of a state: a page and what its link says, as JSON that can be opened again. Pure: text in, values out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pages.shared.notation.prose import short
from pages.shared.site.catalogue import catalogue

LONGEST = 100_000  # characters of a state; the longest texts that a page takes are far shorter
STREAMLITS_OWN = {"embed", "embed_options"}  # parameters that no page can set
FORMAT, VERSION = "attention lab state", 1
NAMED_IN_JSON = {"list": "a list", "str": "a text", "bool": "true or false", "NoneType": "null"}
REMEDY = "choose a file that “Download this state” has made."


def write(page: str, query: Mapping[str, str]) -> str:
    """Return the file of a page in a state.

    >>> print(write("attention", {"step": "5"}))
    {
      "format": "attention lab state",
      "version": 1,
      "page": "attention",
      "state": {
        "step": "5"
      }
    }
    """
    return json.dumps(
        {"format": FORMAT, "version": VERSION, "page": page, "state": dict(query)}, ensure_ascii=False, indent=2
    )


def read(content: bytes) -> tuple[str, dict[str, str]]:
    """Return the page and the state that a file holds; what the state says, the link's codec checks.

    Raises: ValueError if it is not such a file.
    """
    try:
        held = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # no text, no JSON, or nested without end
        raise ValueError(f"The file must be JSON; got {_begins(content)}: {REMEDY}") from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise ValueError(f"The file’s `format` must be “{FORMAT}”; got {_got(held, 'format')}: {REMEDY}")
    if held.get("version") != VERSION or isinstance(held["version"], bool):
        raise ValueError(f"The file’s `version` must be {VERSION}; got {_got(held, 'version')}: save the state anew.")
    pages = [page.name for page in catalogue()]
    if held.get("page") not in pages:
        raise ValueError(f"The file’s `page` must be one of {', '.join(pages)}; got {_got(held, 'page')}: {REMEDY}")
    return held["page"], _state(held.get("state"), held)


def _state(state: Any, held: Any) -> dict[str, str]:
    """Return the state if an address can hold it; what it says is not looked at here."""
    if not isinstance(state, dict) or not all(isinstance(value, str) for value in state.values()):
        raise ValueError(f"The file’s `state` must give each name a text; got {_got(held, 'state')}: {REMEDY}")
    if sum(len(name) + len(value) for name, value in state.items()) > LONGEST:
        raise ValueError(f"The file’s `state` may have {LONGEST:,} characters; got more: {REMEDY}")
    odd = [name for name in state if name.lower() in STREAMLITS_OWN or not _writable(f"{name}{state[name]}")]
    if odd:
        raise ValueError(f"The file’s `state` must be what an address can say; got `{short(odd[0])}`: {REMEDY}")
    return state


def _writable(text: str) -> bool:
    """Whether it is text, with no half of a character in it."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _got(held: Any, name: str) -> str:
    """Return what stands there instead, as a message can show it."""
    if not isinstance(held, dict):
        return NAMED_IN_JSON.get(type(held).__name__, "a number")
    return f"`{short(str(held[name]))}`" if name in held else "none"


def _begins(content: bytes) -> str:
    text = short(content[:100].decode("utf-8", errors="replace"))
    return f"`{text}`" if text else "nothing that can be read"
