"""Waiting: a page in a room asks for one number, the version of the room, and is drawn anew when it has changed."""

from __future__ import annotations

import time
from dataclasses import dataclass

import streamlit as st

from pages.shared.rooms.limits import RoomsUnavailableError
from pages.shared.rooms.own_room import version_of
from pages.shared.state import session

SOON, SELDOM = 1.5, 10.0  # seconds from one question of a page to the next
LONG = 600  # seconds after which a page that nobody touches asks seldom


@dataclass(slots=True)
class Waiting:
    """The version of the room that the page shows, and when the visitor, or the room, did something last."""

    version: int = 0
    touched: float = 0.0


def note_shown(version: int) -> None:
    """Note which version of the room is drawn."""
    waiting = session.visitor_object(Waiting)
    if version != waiting.version:
        waiting.version, waiting.touched = version, time.time()


def note_touch() -> None:
    """Note that the visitor has done something."""
    session.visitor_object(Waiting).touched = time.time()


def pace() -> float:
    """Return how many seconds the page waits from one question to the next."""
    return SOON if time.time() - session.visitor_object(Waiting).touched < LONG else SELDOM


def wait_for_the_room(code: str) -> None:
    """Let the page follow the room. What is drawn now is not drawn anew at once, or the page would never rest."""
    begun, is_first = pace(), True

    @st.fragment(run_every=begun)
    def ask() -> None:
        nonlocal is_first
        first, is_first = is_first, False
        if not first and (_has_changed(code) or pace() != begun):
            st.rerun()

    ask()


def _has_changed(code: str) -> bool:
    """Say whether the room has a newer version than the page shows, or is gone.

    A lower version is one that this process has read a moment ago. While the database is away, the page waits on.
    """
    shown = session.visitor_object(Waiting).version
    try:
        version = version_of(code)
    except RoomsUnavailableError:
        return False
    return version > shown or (not version and bool(shown))
