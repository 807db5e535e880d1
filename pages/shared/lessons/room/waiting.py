"""Waiting: a page in a room asks repeatedly for the room's version number, and redraws itself when it has changed."""

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
    """The version of the room on the page, and the time of the last action of the visitor or change of the room."""

    version: int = 0
    touched: float = 0.0


def note_shown(version: int) -> None:
    """Remember which version of the room the page shows."""
    waiting = session.visitor_object(Waiting)
    if version != waiting.version:
        waiting.version, waiting.touched = version, time.time()


def note_touch() -> None:
    """Remember that the visitor has done something."""
    session.visitor_object(Waiting).touched = time.time()


def pace() -> float:
    """Return how many seconds the page waits before it asks for the version again."""
    return SOON if time.time() - session.visitor_object(Waiting).touched < LONG else SELDOM


def wait_for_the_room(code: str) -> None:
    """Redraw the page when the room changes, but not in the run that draws it, or the page would never stop."""
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
