"""The editor of a lecturer's own course, in the dialog “Scenes”: copy a lecture, add the page, write words, save."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

import streamlit as st

from pages.shared.equation.engine import equations_on_page, pictures
from pages.shared.equation.model import matrices_of
from pages.shared.lecture import course as courses
from pages.shared.lecture.course import LONGEST_FILE, MOST_MINUTES, TEXTS, in_words, set_course, title_of
from pages.shared.notation.numbers import plain
from pages.shared.scene_files.scene import OWN, Lecture, Route, routes, scenes_of
from pages.shared.share.link_dialog import address_of_page
from pages.shared.site.page import page_named
from pages.shared.state import address, session
from pages.shared.state.opening import MOST_SCENES, OwnScene, focus, own_course


@dataclass(slots=True)
class CopiedFile:
    """The id of the uploaded file whose scenes the app has copied last."""

    file: str = ""


def draw_editor() -> None:
    """Draw the editor of the lecturer's own course: its scenes with buttons, and a button that adds this page."""
    course = own_course()
    if not course.scenes:
        st.caption(TEXTS.fill("no_scenes_yet"))
        _offer_lectures()
    for number, own in enumerate(course.scenes):
        _row(number, own)
    if course.scenes:
        st.caption(TEXTS.fill("about_braces"))
    _offer_to_add(full=len(course.scenes) >= MOST_SCENES)
    if course.scenes:
        st.download_button(
            TEXTS.fill("save_this_course"), courses.write_file(course.scenes), file_name="attention_lab_course.json",
            mime="application/json", icon=":material/download:", on_click="ignore",
        )  # fmt: skip
        with st.popover(TEXTS.fill("link_to_this_course"), icon=":material/link:"):
            st.caption(TEXTS.fill("about_the_link" if course.text else "too_long_for_a_link"))
            if course.text:
                st.code(address_of_page(course.scenes[0].page, query_of_the_course()), language=None, wrap_lines=True)
    _offer_to_open()


def query_of_the_course() -> dict[str, str]:
    """Return the link parameters that open the first scene of the course."""
    first = Lecture(scene=1, route=OWN)
    return first.encode() | own_course().link(first)


# --- the picture of a scene ---


def _offer_lectures() -> None:
    with st.container(horizontal=True, gap="small"):
        for route in routes():
            label = TEXTS.fill("begin_with", title=title_of(route))
            st.button(label, key=f"own.begin.{route.name}", on_click=copy_lecture, args=(route,))


def copy_lecture(route: Route) -> None:
    """Copy the scenes of a lecture into the lecturer's own course, where they can be changed."""
    scenes = ((stop, scenes_of(stop.page)[stop.scene - 1]) for stop in route.stops)
    _set_scenes(
        OwnScene(stop.page, scene.state, scene.focus, minutes=stop.minutes, of=stop.scene) for stop, scene in scenes
    )


def pictures_to_show() -> dict[str, str]:
    """Return the names of this page's pictures and equations, by key. A scene of this page can be about any of them."""
    page = session.visit().page
    names = {f"{page}.equation.{key}": _name(key) for key in equations_on_page()}
    return pictures() | names


def _name(key: str) -> str:
    lines = equations_on_page()[key]
    label = next((line.label for line in lines if line.label), "")
    symbols = ", ".join(dict.fromkeys(matrix.symbol for matrix in matrices_of(lines)))
    return TEXTS.fill("equation_with_label" if label else "equation_of", symbols=symbols, label=plain(label))


def _usual_focus() -> str:
    choices = pictures_to_show()
    of_scenes = [focus(), *(scene.focus for scene in scenes_of(session.visit().page))]
    return next((key for key in (*of_scenes, *choices) if key in choices), "")


def _offer_to_add(full: bool) -> None:
    choices, usual = pictures_to_show(), _usual_focus()
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        keys = list(choices)
        chosen = usual
        if len(keys) > 1:
            key = f"own.focus.{hash(tuple(keys))}"  # another view of the page offers other pictures
            chosen = st.selectbox(
                TEXTS.fill("what_it_shows"), keys, keys.index(usual), choices.__getitem__, key=key, width=340
            )
        st.button(
            TEXTS.fill("add_what_the_page_shows"), icon=":material/add:", key="own.add", on_click=add, args=(chosen,),
            disabled=full,
        )  # fmt: skip


def add(about: str) -> None:
    """Add a scene at the end of the lecturer's own course: the page in its present state.

    `about` is the key of the picture or equation that the scene shows. The new scene gets the words of the open scene.
    If the page has changed since that scene was opened, its words would not fit the numbers, so they are left out.
    """
    visit, here = session.visit(), address.state_of_the_page()
    lecture, scenes = visit.lecture, own_course().scenes
    own = OwnScene(visit.page, urlencode(here), about, page_named(visit.page).concept)
    unchanged = here == address.state_of_the_scene()
    if lecture.route == OWN and lecture.scene and unchanged:
        own = replace(scenes[lecture.scene - 1], focus=about)
    elif lecture.scene and unchanged:
        own = replace(own, title="", of=lecture.scene)
    _set_scenes((*scenes, own))


# --- the words of a scene, and its position in the course ---


def _row(number: int, own: OwnScene) -> None:
    shown = own.original
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _text(number, own, "title", shown.title if shown else "")
        _text(number, own, "say", shown.say if shown else "")
        with st.popover(TEXTS.fill("more")):
            _text(number, own, "options", " | ".join(shown.options) if shown else "")
            _text(number, own, "note", shown.note if shown else "")
            key = f"own.minutes.{number}.{hash(own)}"
            st.number_input(
                TEXTS.fill("minutes"), 0.0, float(MOST_MINUTES), float(own.minutes), 0.5, key=key,
                on_change=_change_text, args=(number, own, "minutes", key),
            )  # fmt: skip
        for name, icon, act in (("up", "arrow_upward", _move_up), ("take_out", "delete", _remove)):
            key = f"own.{name}.{number}"
            st.button(TEXTS.fill(name), icon=f":material/{icon}:", key=key, on_click=act, args=(number,))


def _text(number: int, own: OwnScene, name: str, before: str) -> None:
    label = TEXTS.fill(name, number=number + 1)
    key = f"own.{name}.{number}.{hash(own)}"
    st.text_input(
        label, getattr(own, name), max_chars=LONGEST_FILE[name], key=key, placeholder=before,
        on_change=_change_text, args=(number, own, name, key),
    )  # fmt: skip


def _change_text(number: int, own_scene: OwnScene, name: str, key: str) -> None:
    scenes = list(own_course().scenes)
    if number < len(scenes) and (scenes[number].page, scenes[number].state) == (own_scene.page, own_scene.state):
        scenes[number] = replace(scenes[number], **{name: _shortened(name, st.session_state[key])})
        _set_scenes(scenes)


def _shortened(name: str, value: str | float) -> str | float:
    return value[: LONGEST_FILE[name]] if isinstance(value, str) else value


def _move_up(number: int) -> None:
    scenes = list(own_course().scenes)
    scenes.insert(max(number - 1, 0), scenes.pop(number))
    _set_scenes(scenes)


def _remove(number: int) -> None:
    _set_scenes(own for place, own in enumerate(own_course().scenes) if place != number)


def _set_scenes(scenes: Iterable[OwnScene]) -> None:
    set_course(scenes)


# --- the file of the course ---


def _offer_to_open() -> None:
    uploaded = st.file_uploader(TEXTS.fill("open_a_course"), type="json", max_upload_size=1)
    if not uploaded:
        return
    try:
        scenes = courses.read_file(uploaded.getvalue())
    except ValueError as error:
        st.error(TEXTS.fill("nothing_was_changed", error=str(error)), icon=":material/error:")
        return
    if not own_course().scenes and session.visitor_object(CopiedFile).file != uploaded.file_id:
        session.visitor_object(CopiedFile).file = uploaded.file_id
        _set_scenes(scenes)
        st.rerun(scope="fragment")
    if scenes != own_course().scenes:
        label = TEXTS.fill("take_its_scenes", scenes=in_words(len(scenes)))
        if st.button(label, key="own.open", on_click=_set_scenes, args=(scenes,)):
            st.rerun(scope="fragment")
