"""The history of the workspace (the example, its edits and the layout): changes that can be undone and redone."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from pages.shared.controls.kinds import Rows
from pages.shared.state import session
from pages.shared.state.session import Workspace

MOST_STEPS = 100


@dataclass(slots=True)
class History:
    """The workspaces for undo and redo: those before the present workspace, and those after it."""

    past: list[Workspace] = field(default_factory=list)
    future: list[Workspace] = field(default_factory=list)
    gesture: str | None = None  # the drag that has not ended: all of its edits are undone together and give one link
    generation: int = 0  # how often all numbers were replaced: edits from before do not apply

    def remember(self, workspace: Workspace) -> None:
        """Store a workspace that is about to be replaced, so that the visitor can go back to it."""
        self.past = [*self.past, workspace][-MOST_STEPS:]
        self.future = []

    def forget(self) -> None:
        """Begin a new history, in which nothing can be undone."""
        self.past, self.future = [], []


def history() -> History:
    """Return the `History` of the present visitor."""
    return session.visitor_object(History)


def usable_tools() -> dict[str, bool]:
    """Return for each of the tools "undo", "redo" and "reset" whether there is something to undo, redo or reset."""
    edited = bool(session.visit().workspace.edits)
    return {"undo": bool(history().past), "redo": bool(history().future), "reset": edited}


def show_workspace(workspace: Workspace, *, undoable: bool = True) -> None:
    """Show `workspace` (example, edits, layout) in place of the present workspace.

    If `undoable`, the visitor can go back to the present workspace. Otherwise a new history begins.
    """
    if undoable:
        history().remember(session.visit().workspace)
    else:
        history().forget()
    _replace(workspace)


def edit(name: str, rows: Rows | None, gesture: str | None) -> None:
    """Set the numbers of the matrix `name` to `rows`. If `rows` is None, the matrix gets its original numbers."""
    workspace, steps = session.visit().workspace, history()
    edits = {n: r for n, r in workspace.edits.items() if n != name} | ({} if rows is None else {name: rows})
    if gesture is None or gesture != steps.gesture:
        steps.remember(workspace)
    steps.future, steps.gesture = [], gesture
    session.update(workspace=replace(workspace, edits=edits))


def end_gesture() -> None:
    """Remember that a drag has ended. The next edit is then undone separately."""
    history().gesture = None


def undo() -> None:
    """Go back to the workspace before the last change."""
    if history().past:
        history().future.append(session.visit().workspace)
        _replace(history().past.pop())


def redo() -> None:
    """Go forward to the workspace that was undone last."""
    if history().future:
        history().past.append(session.visit().workspace)
        _replace(history().future.pop())


def reset() -> None:
    """Remove all edits. The visitor can undo this."""
    show_workspace(replace(session.visit().workspace, edits={}))


def choose_example(name: str) -> None:
    """Show the example `name`. Edits of the old example are lost, but the layout stays the same."""
    workspace = session.visit().workspace
    of_the_example = workspace.edited_example.matrices()
    of_the_page = {n: rows for n, rows in workspace.edits.items() if n not in of_the_example}
    show_workspace(Workspace(name, of_the_page).with_layout(workspace.layout))


def open_with(workspace: Workspace) -> None:
    """Set the workspace (example, edits, layout) with which a page opens. The visitor cannot undo this."""
    if workspace != session.visit().workspace:
        _replace(workspace)


def choose_layout(layout: str) -> None:
    """Choose for all pages how tokens are shown: `layout` is "rows" or "columns". The visitor can undo this."""
    show_workspace(session.visit().workspace.with_layout(layout))


def _replace(workspace: Workspace) -> None:
    end_gesture()
    history().generation += 1
    session.update(workspace=workspace)
