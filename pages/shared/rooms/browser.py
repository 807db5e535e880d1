"""What a visitor's browser stores about rooms: its random id, and the room that the visitor leads in this tab."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st
import streamlit.components.v2 as components

from pages.shared.rooms.codes import is_secret
from pages.shared.rooms.own_room import own_room
from pages.shared.state import session

_KEY = "room_browser"

_component = components.component(
    "attention_lab_browser",
    html="<span></span>",
    js=(Path(__file__).parent / "browser.js").read_text(encoding="utf-8"),
)


@dataclass(slots=True)
class Browser:
    """What the server knows about a visitor's browser.

    `id` is a random text that the browser has made. It is "" until the browser has sent it. `joined` has the codes of
    the rooms that this browser has joined in this visit.
    """

    id: str = ""
    joined: set[str] = field(default_factory=set)


def browser() -> Browser:
    """Return the `Browser` of the present visitor."""
    return session.visitor_object(Browser)


def exchange_with_the_browser(*, needs_id: bool, at: str = "") -> None:
    """Exchange data about rooms with the browser.

    The browser gets the code and the key of the room that this visitor leads, and stores them in its tab. After a
    reload, it sends them back. In this way the key is not in the address, which a projector would show. If `needs_id`,
    the browser also sends its id. `at` distinguishes several such exchanges on one page.
    """
    own, key = own_room(), f"{_KEY}{at}"
    _component(
        key=key,
        data=[not needs_id or bool(browser().id), own.is_known, own.code, own.key],  # a mapping could hold tables
        on_told_change=lambda: _take(st.session_state.get(key, {}).get("told")),  # missing if a run was ended early
    )


def _take(message: object) -> None:
    """Store what the browser has sent: its id, and the code and key of the room that this visitor leads.

    A message without the correct form is ignored. A changed browser may send anything.
    """
    if not isinstance(message, list) or len(message) != 3 or not all(isinstance(text, str) for text in message):
        return
    browser_id, code, key = message
    if is_secret(browser_id):
        browser().id = browser_id
    if not own_room().is_known:
        own_room().lead_again(code, key)
