"""The browser's address bar: the only module that reads and writes the URL of the page.

The text of a link is made and parsed in `link_text.py`. This module decides when to read a link and when to write one.

URL → visit → core → trace → views: when a page is opened, `read_link` makes the visit (the state of the visitor's page)
from the link. At the end of each run, `write_link` writes the link. Everything between the two is frozen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from pages.shared.controls import Parameters, controls_of
from pages.shared.scene_files import scene
from pages.shared.scene_files.scene import Lecture, Scene
from pages.shared.state import history, session, widgets
from pages.shared.state.link_text import (
    decode,
    encode,
    fit_to_example,
    query_to,
    texts_no_link_can_hold,
    with_texts_no_link_can_hold,
)
from pages.shared.state.opening import COURSE, own_course, scene_of, scenes_on
from pages.shared.state.session import Workspace, workspace_for_page
from pages.shared.state.widgets import run_undisturbed


@dataclass(slots=True)
class AddressBar:
    """What the server knows about the address in one visitor's browser. "Bare" means an address without parameters."""

    written: dict[str, str] = field(default_factory=dict)  # the link to show once all answers have arrived
    arrival: tuple[Workspace, Parameters] = (Workspace(), Parameters())  # the state that a bare address means
    bare_link: dict[str, str] | None = None  # the link of that state; it is never written into the address
    pressed: bool = False  # whether a widget, and not a new address, caused this run of the page


def bar() -> AddressBar:
    """Return the `AddressBar` of the present visitor."""
    return session.visitor_object(AddressBar)


def note_press() -> None:
    """Remember that the visitor has just used a widget outside of the lesson, the main part of the page."""
    bar().pressed = True


def read_link(page: str, kind: type[Parameters]) -> None:
    """Set the visit (the state of the visitor's page) from the link in the address, if the address is new."""
    pressed = bar().pressed
    bar().pressed = False
    before = session.visit().page
    if before == page and pressed:
        return
    with run_undisturbed():
        _read_address(page, kind, before)


def _read_address(page: str, kind: type[Parameters], before: str) -> None:
    """Set the visit (the state of the visitor's page) to the state that the address describes."""
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    if before != page:
        _turn_to(page, kind)
        if query:
            _restore(*_read(query), undoable=bool(before))  # the history begins with the link of the first page
        else:
            history.open_with(bar().arrival[0])
    elif st.query_params.to_dict() != bar().written:
        session.clear_notices()
        session.update(lecture=Lecture())
        _restore(*(_read(query) if query else bar().arrival), undoable=True)
        bar().bare_link = None if query else link_of_the_page()
    bar().written = st.query_params.to_dict()


def _turn_to(page: str, kind: type[Parameters]) -> None:
    """Make `page` the present page, and store the parameters of the page that the visitor leaves.

    If the visitor was on `page` earlier, `page` opens with the parameters that were stored. Otherwise it opens with the
    defaults of the class `kind`.
    """
    left, visit = session.visitor().left, session.visit()
    left[visit.page] = visit.parameters
    workspace = workspace_for_page(visit.workspace, type(visit.parameters), kind)
    session.clear_notices()
    session.update(page=page, parameters=left.get(page, kind()), lecture=Lecture())
    history.end_gesture()
    bar().arrival = (workspace, session.visit().parameters)
    bar().bare_link = None


def _read(query: Mapping[str, Sequence[str]]) -> tuple[Workspace, Parameters]:
    """Return the workspace and the parameters that a link describes."""
    visit = session.visit()
    scenes = scenes_on(visit.page, Lecture(route="".join(query.get("route", ())[-1:])))
    opened, rest, notices = scene.decode({name: texts for name, texts in query.items() if name != COURSE}, scenes)
    if scene.opens_the_scene(opened, rest):
        rest = scenes[opened.scene].query | rest
    workspace, parameters, more = decode(rest, type(visit.parameters))
    session.update(lecture=opened)
    session.notify(*notices, *more)
    return workspace, parameters


def open_scene(number: int) -> None:
    """Show the scene (a prepared state) with the number `number` of the present page. The layout stays the same."""
    visit = session.visit()
    layout = visit.workspace.layout
    state = scenes_on(visit.page, visit.lecture)[number].query | ({"layout": [layout]} if layout else {})
    workspace, parameters, _ = decode(state, type(visit.parameters))
    session.clear_notices()
    session.update(lecture=replace(visit.lecture, scene=number))
    _restore(workspace, parameters, undoable=True)
    note_press()


def change_parameters(state: Mapping[str, str]) -> None:
    """Set the parameters of the page that are in `state`, by name. Their values are texts, as in a link."""
    visit = session.visit()
    query = {name: [text] for name, text in query_to(state, visit.workspace, visit.parameters).items()}
    workspace, parameters, _ = decode(query, type(visit.parameters))
    _restore(workspace, parameters, undoable=True)
    note_press()


def open_state(page: str, kind: type[Parameters], texts: Mapping[str, str]) -> None:
    """Set parameters of the page `page` to texts that are too long for a link. Call this before a link opens the page.

    `texts` has the texts by parameter. `kind` is the class of the page's parameters. Other long texts are removed.
    """
    controls, here = controls_of(kind), session.visit().page == page
    before = session.visit().parameters if here else session.visitor().left.get(page, kind())
    removed = {name: getattr(kind(), name) for name in texts_no_link_can_hold(before)}
    added = {name: controls[name].accept(text, "") for name, text in texts.items() if name in controls}
    parameters = replace(before, **removed | added)
    if here:
        session.update(parameters=parameters)
        widgets.renew_widgets()
    session.visitor().left[page] = parameters


def _restore(workspace: Workspace, parameters: Parameters, *, undoable: bool) -> None:
    kept = with_texts_no_link_can_hold(parameters, session.visit().parameters, st.query_params.to_dict())
    session.update(parameters=kept)
    widgets.renew_widgets()
    if workspace != session.visit().workspace:
        history.show_workspace(workspace, undoable=undoable)


def link_of_the_page() -> dict[str, str]:
    """Return the parameters of a link that opens the page in its present state, with the open scene and lecture."""
    visit = session.visit()
    link = scene.lecture_link(visit.lecture, state_of_the_page(), state_of_the_scene(), visit.parameters.opens_with)
    return link | own_course().link(visit.lecture)


def state_of_the_page() -> dict[str, str]:
    """Return the state of the page as the parameters of a link, without the scene and the lecture."""
    return encode(session.visit().workspace, session.visit().parameters)


def state_of_the_scene() -> dict[str, str]:
    """Return the state in which the open scene begins, as the parameters of a link. Return {} if no scene is open."""
    scene = scene_of(session.visit().page, session.visit().lecture)
    return state_of(scene) if scene else {}


def state_of(scene: Scene) -> dict[str, str]:
    """Return the state in which a scene of the present page begins, as the parameters of a link."""
    workspace, parameters, _ = decode(scene.query, type(session.visit().parameters))
    return encode(workspace, fit_to_example(parameters, workspace.edited_example)[0])


def write_link() -> None:
    """Write the link of the page into the address. Do nothing while the visitor drags a number.

    Also do nothing if this link was written last, and the address has it. Both are checked, because the browser may
    show an old address until it has received the last written link.
    """
    if history.history().gesture:
        return  # each write adds a step to the browser's history, so the link is written once, when the drag ends
    link = link_of_the_page()
    if link == bar().bare_link:
        bar().written = {}
        return  # the visitor came without parameters: if we wrote some, Back would lead to this page again and again
    is_shown = st.query_params.to_dict() == link == bar().written
    bar().bare_link = None
    bar().written = link
    if not is_shown:
        st.query_params.from_dict(link)
