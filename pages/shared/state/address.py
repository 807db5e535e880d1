"""The address: the only module that reads and writes the URL of the page.

URL → visit → core → trace → views: when a page is opened, `read_link` makes the visit from the link. At the end of each
run, `write_link` writes the link. Everything between the two is frozen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from pages.shared.controls import Parameters, controls_of
from pages.shared.scene_files import lecture
from pages.shared.scene_files.lecture import Lecture
from pages.shared.scene_files.scene import Scene
from pages.shared.state import history, session, widget_values
from pages.shared.state.link_text import decode, encode, query_to, texts_no_link_can_hold, with_texts_no_link_can_hold
from pages.shared.state.open_scene import scene_of, scenes_on
from pages.shared.state.own_course import COURSE, own_course
from pages.shared.state.undisturbed import run_undisturbed
from pages.shared.state.workspace import Workspace, workspace_for_page


@dataclass(slots=True)
class AddressBar:
    """The address in this visitor's browser, and the states that it stands for. A bare address has no parameters."""

    written: dict[str, str] = field(default_factory=dict)  # the link to show once all answers have arrived
    arrival: tuple[Workspace, Parameters] = (Workspace(), Parameters())  # the state that a bare address means
    bare_link: dict[str, str] | None = None  # the link of that state; it is never written into the address
    pressed: bool = False  # this run of the whole page answers a widget, not an address


def bar() -> AddressBar:
    """Return this visitor's address bar."""
    return session.visitor_object(AddressBar)


def press() -> None:
    """Note that the visitor used a widget outside of the lesson. The address may not show the last edit yet."""
    bar().pressed = True


def read_link(page: str, kind: type[Parameters]) -> None:
    """Read the link into the visit, when the visitor opens a page or goes back or forward.

    Streamlit calls this only in runs of the whole page. A control in the lesson runs the lesson alone, and a widget
    outside of it calls `press`. So if the link differs from the last one that we wrote, the visitor went back in the
    browser, or opened another address.
    """
    pressed = bar().pressed
    bar().pressed = False
    before = session.visit().page
    if before == page and pressed:
        return
    with run_undisturbed():
        _take_in(page, kind, before)


def _take_in(page: str, kind: type[Parameters], before: str) -> None:
    """Set the visit to what the address says. `before` is the name of the page before, which may be the same page."""
    query = {name: st.query_params.get_all(name) for name in st.query_params}
    if before != page:
        _turn_to(page, kind)
        if query:
            _restore(*_read(query), undoable=bool(before))  # with the link of the first page, the history begins
        else:
            history.open_with(bar().arrival[0])
    elif st.query_params.to_dict() != bar().written:
        session.clear_notices()
        session.update(lecture=Lecture())
        _restore(*(_read(query) if query else bar().arrival), undoable=True)
        bar().bare_link = None if query else link_of_the_page()
    bar().written = st.query_params.to_dict()


def _turn_to(page: str, kind: type[Parameters]) -> None:
    """Store the parameters of the page that was shown, and restore those of the new page as the visitor left them."""
    left, visit = session.visitor().left, session.visit()
    left[visit.page] = visit.parameters
    brought = workspace_for_page(visit.workspace, type(visit.parameters), kind)
    session.clear_notices()
    session.update(page=page, parameters=left.get(page, kind()), lecture=Lecture())
    history.end_gesture()
    bar().arrival = (brought, session.visit().parameters)
    bar().bare_link = None


def _read(query: Mapping[str, Sequence[str]]) -> tuple[Workspace, Parameters]:
    """Read a link. A link with nothing but a scene means the state of that scene."""
    visit = session.visit()
    scenes = scenes_on(visit.page, Lecture(route="".join(query.get("route", ())[-1:])))
    opened, rest, notices = lecture.decode({name: texts for name, texts in query.items() if name != COURSE}, scenes)
    if lecture.opens_the_scene(opened, rest):
        rest = scenes[opened.scene].query | rest
    workspace, parameters, more = decode(rest, type(visit.parameters))
    session.update(lecture=opened)
    session.notify(*notices, *more)
    return workspace, parameters


def open_scene(number: int) -> None:
    """Open a scene of the page, in the layout that the visitor has chosen."""
    visit = session.visit()
    layout = visit.workspace.layout
    state = scenes_on(visit.page, visit.lecture)[number].query | ({"layout": [layout]} if layout else {})
    workspace, parameters, _ = decode(state, type(visit.parameters))
    session.clear_notices()
    session.update(lecture=replace(visit.lecture, scene=number))
    _restore(workspace, parameters, undoable=True)
    press()


def change(state: Mapping[str, str]) -> None:
    """Set the parameters that a state names, as a link would. Everything else on the page stays as it is."""
    visit = session.visit()
    query = {name: [text] for name, text in query_to(state, visit.workspace, visit.parameters).items()}
    workspace, parameters, _ = decode(query, type(visit.parameters))
    _restore(workspace, parameters, undoable=True)
    press()


def open_state(page: str, kind: type[Parameters], texts: Mapping[str, str]) -> None:
    """Store the texts that no link can hold, before a link with the rest of the state opens the page."""
    controls, here = controls_of(kind), session.visit().page == page
    before = session.visit().parameters if here else session.visitor().left.get(page, kind())
    gone = {name: getattr(kind(), name) for name in texts_no_link_can_hold(before)}
    given = {name: controls[name].accept(text, "") for name, text in texts.items() if name in controls}
    parameters = replace(before, **gone | given)
    if here:
        session.update(parameters=parameters)
        widget_values.forget()
    session.visitor().left[page] = parameters


def _restore(workspace: Workspace, parameters: Parameters, *, undoable: bool) -> None:
    """Show this state on the page. If it is `undoable`, the visitor can go back to the state before."""
    kept = with_texts_no_link_can_hold(parameters, session.visit().parameters, st.query_params.to_dict())
    session.update(parameters=kept)
    widget_values.forget()
    if workspace != session.visit().workspace:
        history.step(workspace, undoable=undoable)


def link_of_the_page() -> dict[str, str]:
    """Return the link of the page in its present state."""
    visit = session.visit()
    link = lecture.lecture_link(visit.lecture, state_of_the_page(), state_of_the_scene(), visit.parameters.opens_with)
    return link | own_course().link(visit.lecture)


def state_of_the_page() -> dict[str, str]:
    """Return the state of the page as the link says it."""
    return encode(session.visit().workspace, session.visit().parameters)


def state_of_the_scene() -> dict[str, str]:
    """Return the state of the current scene as the link says it, or nothing."""
    scene = scene_of(session.visit().page, session.visit().lecture)
    return state_of(scene) if scene else {}


def state_of(scene: Scene) -> dict[str, str]:
    """Return the state of a scene of the page as the link says it."""
    workspace, parameters, _ = decode(scene.query, type(session.visit().parameters))
    return encode(workspace, parameters)


def write_link() -> None:
    """Write the link, unless the address shows it already. A link that the last run wrote may still be on its way."""
    if history.history().gesture:
        return  # each write adds a step to the browser's Back, so a drag is written once, when it ends
    said = link_of_the_page()
    if said == bar().bare_link:
        bar().written = {}
        return  # the visitor came without parameters: if we wrote them, Back would lead here again and again
    there = st.query_params.to_dict() == said == bar().written
    bar().bare_link = None
    bar().written = said
    if not there:
        st.query_params.from_dict(said)
