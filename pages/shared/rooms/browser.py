"""The data about rooms that a visitor's browser stores: its random id, and the room that its tab leads."""

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
    """The browser's id, or "" until the browser has sent it, and the rooms that it has joined in this visit."""

    id: str = ""
    joined: set[str] = field(default_factory=set)


def browser() -> Browser:
    """Return what is known of this visitor's browser."""
    return session.visitor_object(Browser)


def exchange_with_the_browser(*, needs_id: bool, at: str = "") -> None:
    """Exchange data with the browser: it stores the room that this visitor leads, and sends its stored room and id.

    `at` names the place on the page, of which several may do this.
    The key of a room is then in the tab alone, and not in the address, which a projector would show.
    """
    own, key = own_room(), f"{_KEY}{at}"
    _component(
        key=key,
        data=[not needs_id or bool(browser().id), own.is_known, own.code, own.key],  # a mapping could hold tables
        on_told_change=lambda: _take(st.session_state.get(key, {}).get("told")),  # missing if a run was cut short
    )


def _take(told: object) -> None:
    """Store what the browser has sent. Check it, because a manipulated browser may send anything."""
    if not isinstance(told, list) or len(told) != 3 or not all(isinstance(text, str) for text in told):
        return
    browser_id, code, key = told
    if is_secret(browser_id):
        browser().id = browser_id
    if not own_room().is_known:
        own_room().lead_again(code, key)
