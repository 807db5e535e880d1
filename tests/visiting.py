"""A visitor's session without a browser, and the events that its equations send."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pages.shared.state import events, history, session
from pages.shared.state.session import DEFAULT_EXAMPLE, Visit, Visitor, Workspace, original
from pages.shared.task_block import answering
from pagesutil import KINDS

HERE, BROWSER = "attention.equation.step1", "a"
X = original("x", DEFAULT_EXAMPLE, KINDS["attention"])


@contextmanager
def visiting(visitor: Visitor) -> Iterator[Visitor]:
    """Make this visitor the current one until the `with` block ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "visitor", lambda: visitor)
        yield visitor


def new_visitor(page="attention"):
    """Return a visitor who has just opened a page."""
    return Visitor(Visit(page, parameters=KINDS[page]()))


def edit(row, column, value, name="x", **more):
    """Return the event by which an equation says that a cell of the matrix `name` has a new value."""
    return {"kind": "edit", "id": name, "cells": [[row, column, value]], "done": True, **more}


def send(*happened, instance=BROWSER, first=1, generation=None):
    """Let an equation send the events `happened`, numbered from `first`, and return the message that holds them.

    `instance` is the id of the browser's copy of the equation. `generation` says how often the app had replaced
    numbers before it drew the equation. By default, it is the present count.
    """
    numbered = [{"sequence": first + i, **event} for i, event in enumerate(happened)]
    current = history.history().generation
    message = {"instance": instance, "generation": current if generation is None else generation, "list": numbered}
    events.receive(HERE, message, answering)
    return message


def with_x(*cells):
    """Return the first example with some changed cells of X. Each cell is a triple of row, column and value."""
    rows = [list(row) for row in X]
    for row, column, value in cells:
        rows[row][column] = value
    return Workspace(DEFAULT_EXAMPLE, {"x": tuple(map(tuple, rows))})


def last_received():
    """Return the greatest number of an event that any equation has sent, or 0."""
    return max(
        (last for views in session.visitor_object(events.AppliedEvents).last.values() for last in views.values()),
        default=0,
    )
