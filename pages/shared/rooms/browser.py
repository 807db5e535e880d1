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
    """What is known about a visitor's browser.

    `id` is "" until the browser has sent it. `joined` has the codes of the rooms that this browser has joined in this
    visit.
    """

    id: str = ""
    joined: set[str] = field(default_factory=set)


def browser() -> Browser:
    """Return the `Browser` of the present visitor."""
    return session.visitor_object(Browser)


def exchange_with_the_browser(*, needs_id: bool, at: str = "") -> None:
    """Exchange data about rooms with the browser.

    The browser stores the room that this visitor leads, and sends the room and the id that it has stored. `needs_id`
    says whether the page needs the browser's id. `at` distinguishes several such exchanges on one page. The key of the
    room is then stored in the tab alone. It is not in the address, which a projector would show.
    """
    own, key = own_room(), f"{_KEY}{at}"
    _component(
        key=key,
        data=[not needs_id or bool(browser().id), own.is_known, own.code, own.key],  # a mapping could hold tables
        on_told_change=lambda: _take(st.session_state.get(key, {}).get("told")),  # missing if a run was ended early
    )


def _take(message: object) -> None:
    """Store the message of the browser, if it has the correct form. A changed browser may send anything."""
    if not isinstance(message, list) or len(message) != 3 or not all(isinstance(text, str) for text in message):
        return
    browser_id, code, key = message
    if is_secret(browser_id):
        browser().id = browser_id
    if not own_room().is_known:
        own_room().lead_again(code, key)
