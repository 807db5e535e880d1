"""Waiting: a page asks again and again whether its room has a new version, and draws itself again if so."""

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
    """The version of the room that the page shows, and when the visitor or the room last did something."""

    version: int = 0
    touched: float = 0.0


def note_shown(version: int) -> None:
    """Remember that the page shows this version of the room."""
    waiting = session.visitor_object(Waiting)
    if version != waiting.version:
        waiting.version, waiting.touched = version, time.time()


def note_touch() -> None:
    """Remember that the visitor has done something now."""
    session.visitor_object(Waiting).touched = time.time()


def seconds_between_questions() -> float:
    """Return how many seconds the page waits before it asks again for the version of the room."""
    return SOON if time.time() - session.visitor_object(Waiting).touched < LONG else SELDOM


def wait_for_the_room(code: str) -> None:
    """Draw the page again when the room changes.

    A part of the page runs again and again to find this out. Its first run belongs to a run of the whole page. If it
    drew the page again, this would never end.
    """
    begun, is_first = seconds_between_questions(), True

    @st.fragment(run_every=begun)
    def ask() -> None:
        nonlocal is_first
        first, is_first = is_first, False
        if not first and (_has_changed(code) or seconds_between_questions() != begun):
            st.rerun()

    ask()


def _has_changed(code: str) -> bool:
    """Return whether the room has a newer version than the page shows, or no longer exists.

    If the database does not answer, return False. An older version does not count, because it was read before.
    """
    shown = session.visitor_object(Waiting).version
    try:
        version = version_of(code)
    except RoomsUnavailableError:
        return False
    return version > shown or (not version and bool(shown))
