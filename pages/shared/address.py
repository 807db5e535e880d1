"""The address: the only room that reads and writes the URL of the page.

URL → parameters → core → trace → views: `visit` takes the state in when a page is opened, `finish` writes the link at
the end of each run, and between them everything is frozen.
"""

from __future__ import annotations

import streamlit as st

from pages.shared import session
from pages.shared.controls import Parameters
from pages.shared.link import Workspace, decode, encode, with_unlinked


def visit(page: str, kind: type[Parameters]) -> None:
    """Come to a page, or back or forward to another of its states: what the link says becomes the state.

    Only runs of the whole page come here. What visitors set in the lesson runs that alone, and widgets outside of it
    say that they were used, so a link that differs from the one written last is the browser's Back, or a new address.
    """
    mine = session.own()
    mine.kind = kind
    cold, came = not mine.page, mine.page != page
    pressed, mine.pressed = mine.pressed, False
    if pressed and not came:
        return
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    if came:
        mine.page, mine.notices, mine.gesture = page, [], None
        mine.parameters.setdefault(page, kind())
        mine.arrival, mine.unwritten = (mine.workspace, mine.parameters[page]), None
    if came and query:
        workspace, parameters, mine.notices = decode(query, kind)
        _restore(workspace, parameters, undoable=not cold)  # a link opened cold is where history begins
    elif not came and st.query_params.to_dict() != mine.written:
        workspace, parameters, mine.notices = decode(query, kind) if query else (*mine.arrival, [])
        mine.unwritten = None if query else encode(workspace, parameters)
        _restore(workspace, parameters, undoable=True)


def _restore(workspace: Workspace, parameters: Parameters, *, undoable: bool) -> None:
    mine = session.own()
    mine.parameters[mine.page] = with_unlinked(parameters, mine.parameters[mine.page], st.query_params.to_dict())
    session.forget_widgets()
    if workspace != mine.workspace:
        session.step(workspace, undoable=undoable)


def finish() -> None:
    """Write the link, if it is not there already."""
    mine = session.own()
    if mine.dragging:
        return  # each write is a step of the browser's Back: a drag is one, when it ends
    query = encode(mine.workspace, mine.parameters[mine.page])
    if query == mine.unwritten:
        mine.written = {}
        return  # back where the visitor came in by a bare address: writing here would catch the Back button
    mine.unwritten, mine.written = None, query
    if query != st.query_params.to_dict():
        st.query_params.from_dict(query)
