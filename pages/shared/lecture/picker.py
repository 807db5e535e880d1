"""The dialog “Scenes”: lectures of different lengths, the scenes of one page, and the whole course on one sheet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.shared.lecture import moves, own_scenes
from pages.shared.lecture.course import in_words, own_route, title_of, whole_course
from pages.shared.scene_files.routes import Route, Stop, lesson, routes
from pages.shared.scene_files.scene import scenes_of
from pages.shared.site.catalogue import catalogue
from pages.shared.state import address, session
from pages.shared.state.own_course import own_course

KEYS = (
    "**Keys while you present.** `Page Down`, `→`, `Space`: uncover, then go on. "
    "`Page Up`, `←`: cover again, then go back. `A`: uncover all. `Home`, `End`, or a number and `Enter`: go to that "
    "scene. `B` or `.`: a black screen. `N`: notes in a second window, which takes the same keys. `C`: hide the clock, "
    "or show it. `R`: set the clock to 0. `Q`: the code for phones. "
    "`O`: ask the class the question of the scene, to answer on phones. `S`: show the answers. `Esc`: leave."
)
SHEET = "Each scene has a number in each lecture. Type this number to go to the scene. Its minutes are in brackets."


@dataclass(slots=True)
class DialogRequest:
    """Whether another part of the page has asked to open the dialog “Scenes” in the next run."""

    made: bool = False


def offer_scenes() -> bool:
    """Draw the button that opens the dialog “Scenes”. Return whether the dialog is to be opened in this run.

    The dialog opens after a press of the button, or if another part of the page has asked for it.
    """
    pressed = st.button("Scenes", icon=":material/co_present:", key="scenes", on_click=address.note_press)
    request = session.visitor_object(DialogRequest)
    requested, request.made = request.made, False
    return requested or pressed


def offer_lecture(label: str) -> None:
    """Draw a button in the lesson that opens the dialog “Scenes”. `label` is the text on the button."""
    if st.button(label, icon=":material/co_present:", key="lecture"):
        session.visitor_object(DialogRequest).made = True
        address.note_press()
        st.rerun()  # a run of the whole page, because only such a run opens dialogs


@st.dialog("Scenes", width="large")
def dialog() -> None:
    """Draw the dialog “Scenes”: buttons for the scenes of this page and for each lecture, and a table of all scenes."""
    here = lesson(session.visit().page)
    _offer(here, f"Scenes of this page: {len(here.stops)}", "On the page as it is read.", presented=False)
    st.markdown("**Present a lecture**")
    for route in routes():
        _offer(route, f"{title_of(route)}: {len(route.stops)} scenes", route.about, presented=True)
    _offer(here, f"This page alone: {here.minutes:.0f} minutes", "Its scenes, presented.", presented=True)
    course = whole_course()
    _offer(course, f"{title_of(course)}: {len(course.stops)} scenes", course.about, presented=True)
    with st.expander("A course of your own"):
        own_scenes.draw_editor()
        if own_course().scenes:
            own = own_route()
            _offer(own, f"Present it: {in_words(len(own.stops))}", own.about, presented=True)
    st.markdown(KEYS)
    with st.expander("The whole course on one sheet"):
        st.caption(SHEET)
        st.markdown(scene_table())


def _offer(route: Route, label: str, about: str, *, presented: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        begun = st.button(
            label, key=f"route.{route.name}.{presented}", width=330, on_click=moves.begin, args=(route, presented)
        )
        if presented:
            named = f"Handout :small[of “{title_of(route)}”]"  # the title is only for screen readers
            key = f"handout.{route.name}"
            begun |= st.button(
                named, icon=":material/print:", type="tertiary", key=key, on_click=moves.hand_out, args=(route,)
            )
        st.caption(about, width="stretch")
    if begun:
        st.rerun()  # a run of the whole page closes the dialog


def scene_table() -> str:
    """Return a Markdown table with a row for each scene and a column for each lecture.

    A cell has the number of the scene in the lecture, and the minutes for the scene.
    """
    lectures = (*routes(), whole_course())
    head = f"| Scene | {' | '.join(map(title_of, lectures))} |\n|---|{'--:|' * len(lectures)}"
    return "\n".join([head, *_rows(lectures)])


def _rows(lectures: Sequence[Route]) -> Iterator[str]:
    for page in catalogue():
        yield f"| **{page.concept}** |{' |' * len(lectures)}"
        for number, scene in enumerate(scenes_of(page.name), start=1):
            stop = Stop(page.name, number)
            yield f"| {scene.title} | {' | '.join(_number(route, stop) for route in lectures)} |"


def _number(route: Route, stop: Stop) -> str:
    """Return the number of the scene `stop` in the lecture `route` as a text, with its minutes if they are planned.

    Return "" if the scene is not in the lecture.
    """
    place = route.place(stop.page, stop.scene)
    if place is None:
        return ""
    return f"{place + 1} ({route.stops[place].minutes:g})" if route.name else str(place + 1)
