"""The session: what one visitor has set, kept in Streamlit's session state."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.shared.controls import Parameters
from pages.shared.state.link import Workspace, encode
from pages.shared.state.standing import Standing

if TYPE_CHECKING:
    from pages.shared.equation.model import Line

MOST_UNDO = 100


@dataclass(slots=True)
class Session:
    """What one visitor has set; everything in it that pages see is frozen."""

    page: str = ""
    kind: type[Parameters] = Parameters
    workspace: Workspace = field(default_factory=Workspace)
    parameters: dict[str, Parameters] = field(default_factory=dict)  # by page
    past: list[Workspace] = field(default_factory=list)
    future: list[Workspace] = field(default_factory=list)
    gesture: str | None = None  # the drag whose edits are one step of undo
    generation: int = 0  # counts what makes edits under way stale
    applied: dict[str, dict[str, int]] = field(default_factory=dict)  # by equation: the last event of each browser view
    notices: list[str] = field(default_factory=list)
    written: dict[str, str] = field(default_factory=dict)  # the link as it was written last
    arrival: tuple[Workspace, Parameters] = (Workspace(), Parameters())  # what a bare address of the page stood for
    unwritten: dict[str, str] | None = None  # the state for which the address is left bare
    dragging: bool = False
    drawn: dict[str, tuple[Line, ...]] = field(default_factory=dict)  # by key: the equations of this run so far
    rooms: dict[str, Any] = field(default_factory=dict)  # by name: what other rooms keep of this visitor
    standing: Standing = field(default_factory=Standing)
    pressed: bool = False  # this run of the whole page is the answer to a widget, not to an address


_AT_HAND: ContextVar[Session | None] = ContextVar("the visitor for whom this thread runs pages", default=None)


def own() -> Session:
    """Return this visitor's session; it is asked for all over a page, and looked up once."""
    mine = _AT_HAND.get()
    if mine is None:
        mine = st.session_state.setdefault("attention_lab", Session())
        _AT_HAND.set(mine)
    return mine


# --- what views ask ---


def page_name() -> str:
    """Return the name of the page that is shown."""
    return own().page


def key_of(name: str) -> str:
    """Return the key of a parameter's widget in Streamlit's session state."""
    return f"{page_name()}.{name}"


def notices() -> list[str]:
    """Return what was wrong with the link, or with an edit."""
    return own().notices


def workspace() -> Workspace:
    """Return the example in use and its edits."""
    return own().workspace


def history() -> dict[str, bool]:
    """Return whether there is something to undo, to redo, and to reset."""
    mine = own()
    return {"undo": bool(mine.past), "redo": bool(mine.future), "reset": bool(mine.workspace.edits)}


def selected() -> tuple[str, int, int] | None:
    """Return the cell whose arithmetic is asked for."""
    return own().parameters[page_name()].cell


def drawn() -> dict[str, tuple[Line, ...]]:
    """Return the equations on the page, by key, written for tokens as rows; of this run, those drawn already."""
    return own().drawn


def query_with(state: Mapping[str, str]) -> dict[str, str]:
    """Return the query that opens a page in a state, with this visitor's example and edits, or with another example."""
    here, name = workspace(), state.get("example", workspace().example)
    there = here if name == here.example else Workspace(name).laid_out(here.layout)
    return encode(there, Parameters()) | dict(state)


# --- what visitors do ---


def press() -> None:
    """Say that a widget outside the lesson was used: the address may not have caught up with the last edit yet."""
    own().pressed = True


def set_parameters(**values: Any) -> None:
    """Let some of the page's parameters be these."""
    mine = own()
    mine.parameters[mine.page] = replace(mine.parameters[mine.page], **values)


def choose_example(name: str) -> None:
    """Take another example, without edits."""
    press()
    of_the_example = workspace().edited_example.matrices()
    of_the_page = {n: rows for n, rows in workspace().edits.items() if n not in of_the_example}
    step(Workspace(name, of_the_page).laid_out(workspace().layout))


def choose_layout(layout: str | None) -> None:
    """Show tokens as rows or as columns, on all pages; a second click on what is chosen changes nothing."""
    press()
    if layout:
        step(workspace().laid_out(layout))


def reset() -> None:
    """Go back to the example as it is."""
    step(replace(workspace(), edits={}))


def undo() -> None:
    """Take back the last edit."""
    if (mine := own()).past:
        mine.future.append(mine.workspace)
        _change(mine.past.pop())


def redo() -> None:
    """Do again what was taken back."""
    if (mine := own()).future:
        mine.past.append(mine.workspace)
        _change(mine.future.pop())


def step(workspace: Workspace, *, undoable: bool = True) -> None:
    """Replace the workspace by a step that can be undone."""
    mine = own()
    mine.past = [*mine.past, mine.workspace][-MOST_UNDO:] if undoable else []
    mine.future = []
    _change(workspace)


def _change(workspace: Workspace) -> None:
    """Replace the workspace by something other than an edit in place, which makes edits under way stale."""
    mine = own()
    mine.workspace, mine.gesture = workspace, None
    mine.generation += 1
