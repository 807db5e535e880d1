"""What a visitor does in a lecture: go to a scene, begin a lecture, present, leave."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import uuid4

import streamlit as st

from pages.shared.lecture.course import neighbouring_stop, route_of
from pages.shared.scene_files.lecture import Lecture
from pages.shared.scene_files.routes import Route, Stop
from pages.shared.site.menu import page_in_menu
from pages.shared.state import address, session
from pages.shared.state.own_course import own_course


@dataclass(slots=True)
class NextPage:
    """The page that a key or a button has asked for. It is stored here until the app opens it.

    `to` has the name of the page and the link parameters of its scene. `to` is None if no page is to be opened.
    """

    to: tuple[str, dict[str, str]] | None = None


@dataclass(slots=True)
class Start:
    """The lecture that was begun last. A new `token` makes the browser hide the results of all scenes again."""

    token: str = ""  # "" until a lecture begins: after a reload, the browser continues with what it has stored
    handout: str = ""  # the token of the lecture whose handout was asked for


def turn_the_page() -> None:
    """Open the page that is stored in `NextPage`, if there is one."""
    turn = session.visitor_object(NextPage)
    to, turn.to = turn.to, None
    if to:
        page, query = to
        st.switch_page(page_in_menu(page), query_params=query)


def move(step: int) -> None:
    """Go to the next scene of the route (`step` is 1) or the scene before (-1), here or on another page."""
    if found := neighbouring_stop(session.visit().page, _lecture(), step):
        open_stop(found)


def go(number: object) -> None:
    """Open the scene with this number on the route, counted from 1. A wrong number is ignored."""
    stops = route_of(_lecture()).stops
    if isinstance(number, int) and 1 <= number <= len(stops):
        open_stop(stops[number - 1])


def open_stop(stop: Stop) -> None:
    """Open the scene that `stop` names, even if it belongs to another page."""
    visit = session.visit()
    if stop.page == visit.page:
        address.open_scene(stop.scene)
    else:
        address.note_press()
        layout = {"layout": visit.workspace.layout} if visit.workspace.layout else {}
        query = layout | replace(visit.lecture, scene=stop.scene).encode() | own_course().link(visit.lecture)
        session.visitor_object(NextPage).to = stop.page, query


def begin(route: Route, presented: bool) -> None:
    """Open the first scene of a route: in the presenter view if `presented`, otherwise in the usual view."""
    session.update(lecture=Lecture(0, presented, route.name))
    session.visitor_object(Start).token = uuid4().hex
    open_stop(route.stops[0])


def hand_out(route: Route) -> None:
    """Present a route, and let the browser make a handout with the picture and the words of each scene."""
    begin(route, presented=True)
    start = session.visitor_object(Start)
    start.handout = start.token


def present(on: bool) -> None:
    """Switch the presenter view on or off."""
    session.update(lecture=replace(_lecture(), present=on))
    address.note_press()


def leave() -> None:
    """Close the scene. The page stays as it is."""
    session.update(lecture=Lecture())
    address.note_press()


def _lecture() -> Lecture:
    return session.visit().lecture
