"""The strip above the lesson: the title of the open scene, and buttons to go back, on, and out of the scenes.

It also has the keys of a lecture, the sentence of the scene, and the style of the presenter view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

import streamlit as st
import streamlit.components.v2 as components

from pages.shared.controls import Parameters
from pages.shared.equation import engine
from pages.shared.equation.engine import equations_on_page
from pages.shared.lecture import class_room, picker
from pages.shared.lecture.claims import fill_braces, names_on_screen
from pages.shared.lecture.course import TEXTS, neighbouring_stop, planned_minutes, progress, route_of
from pages.shared.notation.prose import escape, literal
from pages.shared.notation.texts import IN_BRACES
from pages.shared.scene_files.scene import OWN, Lecture, Scene, without_parameters
from pages.shared.state import address, session, widgets
from pages.shared.state.opening import focus, guess_of_the_scene, is_guessing, open_scene, scenes_on

_HERE = Path(__file__).parent
_ASIDE = {"cell", "digits", "layout"}  # these may change while a scene is open, because no number depends on them

HANDOUT = ("handout_copy.js", "handout_page.js", "handout.js")
_keys = components.component(
    "attention_lab_keys",
    html="<span></span>",
    js=engine.script_of(_HERE, ("stage.js", "clock.js", "desk.js", "room.js", "speaker.js", *HANDOUT, "keys.js")),
)


# --- what the frame draws ---


def present_switch() -> None:
    """Draw the switch that turns the presenter view (large letters, hidden results) on and off."""
    key = widgets.key_showing("present", _lecture().present)
    words = TEXTS.words("presenter_view")
    st.toggle(
        words.label,
        _lecture().present,
        key=key,
        on_change=lambda: widgets.act_on_change(key, picker.present),
        help=words.help,
    )


def is_drawn() -> bool:
    """Return whether a strip is drawn above the lesson, because a scene is open or the presenter view is on."""
    return bool(_lecture().scene or _lecture().present)


def draw() -> None:
    """Draw the strip above the lesson: the title of the open scene, and buttons to the next and the previous scene."""
    if not is_drawn():
        return
    lecture, scene = _lecture(), open_scene()
    if whose := _whose_words():
        with st.container(key="whose"):
            st.markdown(whose)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="scene"):
        if scene:
            st.markdown(_heading(scene, lecture), width="stretch")
        _step_button("back", -1, "arrow_back")
        _step_button("next", 1, "arrow_forward")
        if lecture.present:
            label, close = TEXTS.fill("leave_the_presenter_view"), ":material/close_fullscreen:"
            st.button(label, icon=close, on_click=picker.present, args=(False,))
        else:
            st.button(TEXTS.fill("leave_the_scenes"), icon=":material/close:", on_click=picker.leave)
            class_room.draw_ask_button()
    if scene and is_guessing():
        class_room.offer_guesses(scene.options)
    elif scene and scene.options and lecture.present:
        _draw_options(scene.options)
    if lecture.present:
        class_room.draw_answers(session.visit().parameters)
    _keys(
        key="keys",
        data=_presenter_data(),
        on_next_change=lambda: picker.move(1),
        on_back_change=lambda: picker.move(-1),
        on_go_change=lambda: picker.go(st.session_state.get("keys", {}).get("go")),  # missing if a run was ended early
        on_leave_change=lambda: picker.present(False),
        on_code_change=class_room.ask_for_the_code,
        on_ask_change=class_room.ask,
        on_reveal_change=class_room.reveal,
    )


def _draw_options(options: Sequence[str]) -> None:
    with st.container(key="options"):
        st.markdown(
            " · ".join(f"**{letter}** {option}" for letter, option in zip(class_room.LETTERS, options, strict=False))
        )


def _presenter_data() -> dict[str, object]:
    """Return the data for the presenter's tools in the browser, by name: for keys, clock, notes and code for phones."""
    page, lecture, scene = session.visit().page, _lecture(), open_scene()
    place, after = progress(page, lecture), neighbouring_stop(page, lecture, 1)
    return {
        "present": lecture.present,
        "guessing": is_guessing(),
        "start": session.visitor_object(picker.Start).token,
        "handout": session.visitor_object(picker.Start).handout,
        "code": class_room.requested_code(),
        "class": class_room.presses(),
        "scene": lecture.key(page),
        "focus": focus() and selector(focus()),
        "scenes": len(route_of(lecture).stops),
        "place": place,
        "planned": planned_minutes(page, lecture),
        "title": scene.title if scene else "",
        "options": scene.options if scene else (),
        "note": scene.note if scene else "",
        "whose": _whose_words(),
        "next": scenes_on(after.page, lecture)[after.scene].title if after else "",
    }


def _whose_words() -> str:
    """Return a sentence that says that the words of the open scene are not the app's, or "" if they are."""
    return TEXTS.fill("somebodys_own") if _lecture().route == OWN and open_scene() else ""


def _heading(scene: Scene, lecture: Lecture) -> str:
    page = session.visit().page
    on_route = progress(page, lecture) if lecture.present or lecture.route else None
    number, last = on_route or (lecture.scene, max(scenes_on(page, lecture)))
    return TEXTS.fill("number_and_title", number=number, last=last, title=scene.title)


def draw_sentence(parameters: Parameters) -> None:
    """Draw the sentence of the open scene."""
    scene = open_scene()
    if is_guessing():
        return
    if scene and _on_script():
        with st.container(key="says"):
            if guessed := guess_of_the_scene():
                st.markdown(TEXTS.fill("you_chose", guess=guessed))
            st.markdown(parameters.in_layout(_sentence(scene, parameters)))
            if scene.keep:
                st.markdown(TEXTS.fill("to_keep", sentence=parameters.in_layout(scene.keep)))
    elif scene and st.button(TEXTS.fill("back_to_the_scene"), icon=":material/undo:", key="back_to_the_scene"):
        address.open_scene(_lecture().scene)
        st.rerun()  # a run of the whole page, because the controls above the lesson change too


def _sentence(scene: Scene, parameters: Parameters) -> str:
    """Return the sentence of a scene, with numbers from the screen in place of its braces."""
    names = names_on_screen(equations_on_page().values(), asdict(parameters))
    try:
        return fill_braces(scene.say, names, parameters.decimals)
    except (ValueError, TypeError, ArithmeticError) as error:
        if _lecture().route != OWN:
            raise
        unfilled = IN_BRACES.sub(lambda found: escape(found[0]) if found[1] else found[0][0], scene.say)
        return f"{unfilled}\n\n{TEXTS.fill('braces_cannot_be_filled', error=literal(str(error)))}"


def add_style() -> None:
    """Send the CSS that the page needs now: for the open scene, the presenter view, and a visitor who has to guess."""
    lecture = _lecture()
    if style := _style(bool(focus()), lecture.present, is_guessing()).replace(".focused", selector(focus())):
        st.html(f"<style>{style}</style>")


@cache
def _style(focused: bool, present: bool, guessing: bool) -> str:
    sheets = ["scene.css"] * focused + ["presenter.css"] * present + ["focus.css"] * (present and focused)
    sheets += ["guess.css"] * guessing
    return "".join((_HERE / sheet).read_text(encoding="utf-8") for sheet in sheets)


def selector(key: str) -> str:
    """Return the CSS selector of the element that is drawn under a key.

    >>> selector("home.words.sentence")
    '.st-key-home-words-sentence'
    """
    return f".st-key-{key.replace('.', '-')}"


def _step_button(name: str, step: int, icon: str) -> None:
    end = neighbouring_stop(session.visit().page, _lecture(), step) is None
    key = f"scene.{name.capitalize()}"
    st.button(TEXTS.fill(name), icon=f":material/{icon}:", key=key, disabled=end, on_click=picker.move, args=(step,))


def _lecture() -> Lecture:
    return session.visit().lecture


def _on_script() -> bool:
    here = without_parameters(address.state_of_the_page(), _ASIDE)
    return here == without_parameters(address.state_of_the_scene(), _ASIDE)
