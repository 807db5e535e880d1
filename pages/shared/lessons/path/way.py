"""The bar of chapters with its keys and the browser's memory, and the buttons to the next and previous screen."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
import streamlit.components.v2 as components

from pages.shared.lessons.path import navigation
from pages.shared.lessons.path.guesses import GuessesInput, guess_at
from pages.shared.lessons.path.places import names
from pages.shared.scene_files.screens import chapters, screens
from pages.shared.state import session

_HERE = Path(__file__).parent

_bar = components.component(
    "attention_lab_path",
    html='<nav class="path" aria-label="Chapters of the path"></nav>',
    css=(_HERE / "way.css").read_text(encoding="utf-8"),
    js=(_HERE / "way.js").read_text(encoding="utf-8"),
)


@dataclass(slots=True)
class BrowserAsked:
    """Whether the page has already asked the browser for the visitor's last screen in this session."""

    asked: bool = False


def draw_way(parameters: Any, example: Any) -> None:
    """Draw the bar of chapters. Its JavaScript handles the keyboard, and stores the visitor's screen in the browser."""
    if navigation.has_just_changed_screen() or navigation.leave_the_lecture():
        st.rerun()  # the whole page, because the question above the lesson changes too
    navigation.show_story_on_arrival()
    remembered = session.visitor_object(BrowserAsked)
    fresh, remembered.asked = not remembered.asked, True
    here = navigation.present_parameters()
    _bar(
        key="path_way",
        data=[_message_to_browser(here, fresh=fresh)],  # a list: in a mapping, Streamlit would look for tables
        on_go_change=lambda: _go_to_pressed(st.session_state["path_way"].get("go")),
        on_resume_change=lambda: navigation.resume(st.session_state["path_way"].get("resume")),
    )


def _message_to_browser(here: Any, *, fresh: bool) -> dict[str, Any]:
    return {
        "chapters": [
            {
                "title": chapter.title,
                "screens": [
                    {
                        "number": number,
                        "question": screens()[number - 1].question,
                        "guessed": bool(guess_at(here.guesses, screens()[number - 1].name)),
                    }
                    for number in chapter.screens
                ],
            }
            for chapter in chapters()
        ],
        "screen": here.screen,
        "name": names()[here.screen - 1],
        "last": navigation.last(),
        "guesses": GuessesInput().encode(here.guesses),
        "fresh": fresh,
    }


def _go_to_pressed(number: Any) -> None:
    """Go to the screen whose mark was pressed. Ignore other values: a manipulated browser may send anything."""
    if type(number) is int:
        navigation.go_to(number)


@st.fragment
def draw_onward(parameters: Any, example: Any) -> None:
    """Draw the buttons to the previous screen and to the next screen. A second quick press on a button does nothing.

    A press runs only this function again. A run of the whole page would read the address, which the browser may not
    have changed yet.
    """
    if navigation.has_just_changed_screen():
        st.rerun()  # the whole page
    here: int = navigation.present_parameters().screen
    with st.container(horizontal=True, horizontal_alignment="distribute", key="path_onward"):
        st.button(
            "Back", icon=":material/arrow_back:", key=f"path_onward.back.{here}", disabled=here == 1,
            on_click=navigation.go_from, args=(here, here - 1),
        )  # fmt: skip
        st.button(
            "Next", icon=":material/arrow_forward:", key=f"path_onward.next.{here}",
            disabled=here == navigation.last(), on_click=navigation.go_from, args=(here, here + 1),
        )  # fmt: skip
