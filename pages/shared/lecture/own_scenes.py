"""A course of one's own in the dialog “Scenes”: add what the page shows, order it, word it, save it, open it again."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

import streamlit as st

from pages.shared.equation.drawn import drawn
from pages.shared.lecture import course_file
from pages.shared.lecture.course_file import LONGEST
from pages.shared.site.catalogue import page_named
from pages.shared.state import address, session
from pages.shared.state.own_course import MOST_SCENES, OwnScene, own_course

EMPTY = (
    "Nothing in it yet. Set a page as you want to show it, add it here, and say what it shows; then go on to the next. "
    "Save it as a file, which opens on any computer: a tab that is closed or loaded anew forgets it."
)


def edit() -> None:
    """Offer to add what the page shows, and show the scenes so far with what can be done with them."""
    course = own_course()
    if not course.scenes:
        st.caption(EMPTY)
    for number, own in enumerate(course.scenes):
        _row(number, own)
    st.button(
        "Add what the page shows now", icon=":material/add:", key="own.add", on_click=add,
        disabled=len(course.scenes) >= MOST_SCENES,
    )  # fmt: skip
    if course.scenes:
        st.download_button(
            "Save this course", course_file.write(course.scenes), file_name="attention_lab_course.json",
            mime="application/json", icon=":material/download:", on_click="ignore",
        )  # fmt: skip
    _open()


def add() -> None:
    """Append the page in its present state as the last scene."""
    page, state = session.visit().page, urlencode(address.state_of_the_page())
    key = next(iter(drawn()), "")
    own = OwnScene(page, state, key and f"{page}.equation.{key}", page_named(page).concept)
    _set((*own_course().scenes, own))


def _row(number: int, own: OwnScene) -> None:
    words = {"title": "Title", "say": "What you say"}
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        for name, label in words.items():
            key = f"own.{name}.{number}.{hash(own)}"
            st.text_input(
                f"{number + 1}. {label}", getattr(own, name), max_chars=LONGEST[name], key=key,
                on_change=_word, args=(number, own, name, key),
            )  # fmt: skip
        for label, icon, act in (("Up", "arrow_upward", _up), ("Take out", "delete", _take_out)):
            st.button(label, icon=f":material/{icon}:", key=f"own.{label}.{number}", on_click=act, args=(number,))


def _word(number: int, own: OwnScene, name: str, key: str) -> None:
    """Word a scene, unless the same press has taken it out or moved it. What is too long is cut, as a browser does."""
    scenes = list(own_course().scenes)
    if number < len(scenes) and (scenes[number].page, scenes[number].state) == (own.page, own.state):
        scenes[number] = replace(scenes[number], **{name: st.session_state[key][: LONGEST[name]]})
        _set(scenes)


def _up(number: int) -> None:
    scenes = list(own_course().scenes)
    scenes.insert(max(number - 1, 0), scenes.pop(number))
    _set(scenes)


def _take_out(number: int) -> None:
    _set([own for place, own in enumerate(own_course().scenes) if place != number])


def _set(scenes) -> None:
    own_course().scenes = tuple(scenes)


def _open() -> None:
    came = st.file_uploader("Open a course that was saved", type="json", max_upload_size=1)
    if not came:
        return
    try:
        scenes = course_file.read(came.getvalue())
    except ValueError as error:
        st.error(f"{error} Nothing was changed.", icon=":material/error:")
        return
    if st.button(f"Take its {len(scenes)} scenes in place of these", key="own.open", on_click=_set, args=(scenes,)):
        st.rerun(scope="fragment")
