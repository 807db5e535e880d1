"""The random id of a visitor's browser, and what is known of it in this visit."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import streamlit as st
import streamlit.components.v2 as components

from pages.shared.rooms.codes import is_secret
from pages.shared.state import session

_KEY = "room_browser"

_component = components.component(
    "attention_lab_browser",
    html="<span></span>",
    js=(Path(__file__).parent / "browser.js").read_text(encoding="utf-8"),
)


@dataclass(slots=True)
class Browser:
    """The id, which is "" until the browser has told it, and the rooms that it has joined in this visit."""

    id: str = ""
    joined: set[str] = field(default_factory=set)


def browser() -> Browser:
    """Return what is known of this visitor's browser."""
    return session.visitor_object(Browser)


def ask_for_the_id() -> None:
    """Let the browser tell its id."""
    _component(
        key=_KEY,
        data=[browser().id],  # a list: in a mapping, Streamlit would look for tables
        on_id_change=lambda: _take(st.session_state.get(_KEY, {}).get("id")),  # missing if a run was cut short
    )


def _take(told: object) -> None:
    """Keep the id. A tampered browser may send anything."""
    if isinstance(told, str) and is_secret(told):
        browser().id = told
