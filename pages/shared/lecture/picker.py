"""Choose a scene, and move from scene to scene."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

import streamlit as st

from pages.shared.lecture import own_scenes
from pages.shared.lecture.course import TEXTS, in_words, neighbouring_stop, own_route, route_of, title_of, whole_course
from pages.shared.scene_files.scene import Lecture, Route, Stop, lesson, routes, scenes_of
from pages.shared.site.menu import page_in_menu
from pages.shared.site.page import catalogue
from pages.shared.state import address, session
from pages.shared.state.opening import own_course


@dataclass(slots=True)
class NextPage:
    """The page that a key or a button has asked for. It is stored here until the app opens it."""

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


KEYS = TEXTS.fill("keys")


@dataclass(slots=True)
class DialogRequest:
    """Whether another part of the page has asked to open the dialog “Scenes” in the next run."""

    made: bool = False


def offer_scenes() -> bool:
    """Draw the button that opens the dialog “Scenes”. Return whether the dialog is to be opened in this run."""
    words, icon = TEXTS.fill("scenes"), ":material/co_present:"
    pressed = st.button(words, icon=icon, key="scenes", type="tertiary", on_click=address.note_press)
    request = session.visitor_object(DialogRequest)
    requested, request.made = request.made, False
    return requested or pressed


def offer_lecture(label: str) -> None:
    """Draw a button in the lesson that opens the dialog “Scenes”. `label` is the text on the button."""
    if st.button(label, icon=":material/co_present:", key="lecture"):
        session.visitor_object(DialogRequest).made = True
        address.note_press()
        st.rerun()  # a run of the whole page, because only such a run opens dialogs


@st.dialog(TEXTS.fill("scenes"), width="large")
def dialog() -> None:
    """Draw the dialog “Scenes”: buttons for the scenes of this page and for each lecture, and a table of all scenes."""
    here = lesson(session.visit().page)
    _offer(here, TEXTS.fill("scenes_of_this_page", n=len(here.stops)), TEXTS.fill("on_the_page"), presented=False)
    st.markdown(TEXTS.fill("present_a_lecture"))
    for route in routes():
        _offer_lecture(route)
    _offer(here, TEXTS.fill("this_page_alone", minutes=here.minutes), TEXTS.fill("its_scenes"), presented=True)
    _offer_lecture(whole_course())
    with st.expander(TEXTS.fill("course_of_your_own")):
        own_scenes.draw_editor()
        if own_course().scenes:
            own = own_route()
            _offer(own, TEXTS.fill("present_it", scenes=in_words(len(own.stops))), own.about, presented=True)
    st.markdown(KEYS)
    with st.expander(TEXTS.fill("on_one_sheet")):
        st.caption(TEXTS.fill("about_the_sheet"))
        st.markdown(scene_table())


def _offer_lecture(route: Route) -> None:
    label = TEXTS.fill("title_and_scenes", title=title_of(route), n=len(route.stops))
    _offer(route, label, route.about, presented=True)


def _offer(route: Route, label: str, about: str, *, presented: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        begun = st.button(
            label, key=f"route.{route.name}.{presented}", width=330, on_click=begin, args=(route, presented)
        )
        if presented:
            named = TEXTS.fill("handout", title=title_of(route))  # the title is only for screen readers
            key = f"handout.{route.name}"
            begun |= st.button(
                named, icon=":material/print:", type="tertiary", key=key, on_click=hand_out, args=(route,)
            )
        st.caption(about, width="stretch")
    if begun:
        st.rerun()  # a run of the whole page closes the dialog


def scene_table() -> str:
    """Return a Markdown table with a row for each scene and a column for each lecture."""
    lectures = (*routes(), whole_course())
    head = f"| {TEXTS.fill('scene')} | {' | '.join(map(title_of, lectures))} |\n|---|{'--:|' * len(lectures)}"
    return "\n".join([head, *_rows(lectures)])


def _rows(lectures: Sequence[Route]) -> Iterator[str]:
    for page in catalogue():
        yield f"| **{page.concept}** |{' |' * len(lectures)}"
        for number, scene in enumerate(scenes_of(page.name), start=1):
            stop = Stop(page.name, number)
            yield f"| {scene.title} | {' | '.join(_number(route, stop) for route in lectures)} |"


def _number(route: Route, stop: Stop) -> str:
    place = route.place(stop.page, stop.scene)
    if place is None:
        return ""
    return f"{place + 1} ({route.stops[place].minutes:g})" if route.name else str(place + 1)
