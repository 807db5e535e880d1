"""The address: the only room that reads and writes the URL of the page.

URL → parameters → core → trace → views: `visit` takes the state in when a page is opened, `finish` writes the link at
the end of each run, and between them everything is frozen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.shared.controls import Parameters
from pages.shared.state import answers, session, standing
from pages.shared.state.link import Workspace, decode, encode, with_unlinked
from pages.shared.state.scenes import scenes_of
from pages.shared.state.standing import Standing


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
    given = {name: st.query_params.get_all(name) for name in st.query_params}
    if came:
        mine.page, mine.notices, mine.gesture, mine.standing = page, [], None, Standing()
        mine.parameters.setdefault(page, kind())
        mine.arrival, mine.unwritten = (mine.workspace, mine.parameters[page]), None
    if came and given:
        restore(*_read(given), undoable=not cold)  # a link opened cold is where history begins
    elif not came and st.query_params.to_dict() != mine.written:
        mine.notices, mine.standing = [], Standing()
        restore(*(_read(given) if given else mine.arrival), undoable=True)
        mine.unwritten = None if given else query()


def _read(given: Mapping[str, Sequence[str]]) -> tuple[Workspace, Parameters]:
    """Read a link; a scene alone is the state of that scene."""
    mine = session.own()
    scenes = scenes_of(mine.page)
    mine.standing, rest, notices = standing.decode(given, len(scenes))
    if standing.opens_the_scene(mine.standing, rest):
        rest = scenes[mine.standing.scene - 1].query | rest
    workspace, parameters, more = decode(rest, mine.kind)
    mine.notices = notices + more
    return workspace, parameters


def restore(workspace: Workspace, parameters: Parameters, *, undoable: bool) -> None:
    """Let a state be the page's."""
    mine = session.own()
    mine.parameters[mine.page] = with_unlinked(parameters, mine.parameters[mine.page], st.query_params.to_dict())
    answers.forget_widgets()
    if workspace != mine.workspace:
        session.step(workspace, undoable=undoable)


def query() -> dict[str, str]:
    """Return what a link of the page says as it is."""
    return standing.written(session.own().standing, state(), state_of_the_scene())


def state() -> dict[str, str]:
    """Return the state of the page as the link says it."""
    mine = session.own()
    return encode(mine.workspace, mine.parameters[mine.page])


def state_of_the_scene() -> dict[str, str]:
    """Return the state of the current scene as the link says it, or nothing."""
    mine = session.own()
    if not mine.standing.scene:
        return {}
    workspace, parameters, _ = decode(scenes_of(mine.page)[mine.standing.scene - 1].query, mine.kind)
    return encode(workspace, parameters)


def finish() -> None:
    """Write the link, if it is not there already."""
    mine = session.own()
    if mine.dragging:
        return  # each write is a step of the browser's Back: a drag is one, when it ends
    said = query()
    if said == mine.unwritten:
        mine.written = {}
        return  # back where the visitor came in by a bare address: writing here would catch the Back button
    mine.unwritten, mine.written = None, said
    if said != st.query_params.to_dict():
        st.query_params.from_dict(said)
