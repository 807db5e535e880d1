"""The strip above the lesson: the scene that is open, the way through the course, and the presenter view."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import streamlit as st
import streamlit.components.v2 as components

from pages.shared.controls import Parameters
from pages.shared.equation.drawn import drawn
from pages.shared.lecture.claims import filled, names_on_screen
from pages.shared.lecture.course import beside, progress
from pages.shared.site.navigation import page_in_menu
from pages.shared.state import address, session, widgets
from pages.shared.state.lecture import Lecture, differing
from pages.shared.state.scenes import Scene, focus_of, scenes_of

_HERE = Path(__file__).parent
_TURN = "lecture.turn"  # where the page and the scene stand that a key or a button asked for
_ASIDE = {"cell", "digits", "layout"}  # may change without leaving the scene: no number depends on them

_keys = components.component(
    "attention_lab_keys",
    html="<span></span>",
    js=(_HERE / "keys.js").read_text(encoding="utf-8"),
)


# --- what the frame draws ---


def turn_the_page() -> None:
    """Go to the page of the scene that a key or a button asked for, if it is another one."""
    turn = st.session_state.pop(_TURN, None)
    if turn:
        page, query = turn
        st.switch_page(page_in_menu(page), query_params=query)


def offer_scenes() -> None:
    """Draw the button that opens the page's first scene, while none is open."""
    if scenes_of(session.visit().page) and not _lecture().scene:
        st.button("Scenes", icon=":material/co_present:", key="scenes", on_click=move, args=(1,))


def offer_lecture(label: str) -> None:
    """Draw the button that begins the lecture: the page's first scene, in the presenter view."""
    if st.button(label, icon=":material/co_present:", key="lecture"):
        present(True)
        address.open_scene(1)
        st.rerun()  # all of the page: what stands above the lesson goes out of the way


def present_switch() -> None:
    """Draw the switch of the presenter view."""
    key = widgets.let_show("present", _lecture().present)
    st.toggle(
        "Presenter view",
        _lecture().present,
        key=key,
        on_change=lambda: widgets.hear(key, present),
        help="Large type, nothing but the equation, and results covered until you reveal them. Keys: Page Down, "
        "Page Up, Esc. A phone shows the page as usual.",
    )


def is_up() -> bool:
    """Say whether a scene is open, or the presenter view on."""
    return bool(_lecture().scene or _lecture().present)


def draw() -> None:
    """Draw the title of the scene that is open, and the way forward and back."""
    if not is_up():
        return
    lecture, scene = _lecture(), _scene()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="scene"):
        if scene:
            st.markdown(_heading(scene, lecture), width="stretch")
        _way("Back", -1, "arrow_back")
        _way("Next", 1, "arrow_forward")
        if lecture.present:
            st.button("Leave the presenter view", icon=":material/close_fullscreen:", on_click=present, args=(False,))
        else:
            st.button("Leave the scenes", icon=":material/close:", on_click=leave)
    _keys(
        key="keys",
        data={"present": lecture.present, "scene": f"{session.visit().page} {lecture.scene}"},
        on_next_change=lambda: move(1),
        on_back_change=lambda: move(-1),
        on_leave_change=lambda: present(False),
    )


def _heading(scene: Scene, lecture: Lecture) -> str:
    page = session.visit().page
    heading = f"**{lecture.scene} of {len(scenes_of(page))}** · {scene.title}"
    place, of = progress(page, lecture.scene)
    return heading + f" :gray[· {place} of {of}]" * lecture.present


def say(parameters: Parameters) -> None:
    """Write the sentence of the scene, or offer the way back to the scene if the visitor has left its state."""
    scene = _scene()
    if scene and _on_script():
        names = names_on_screen(drawn().values(), asdict(parameters))
        with st.container(key="says"):
            st.markdown(parameters.says(filled(scene.say, names, parameters.decimals)))
    elif scene and st.button("Back to the scene", icon=":material/undo:", key="back_to_the_scene"):
        address.open_scene(_lecture().scene)
        st.rerun()  # all of the page: the controls above the lesson have to follow


def add_style() -> None:
    """Add the style of the scene and of the presenter view, where there is one."""
    lecture = _lecture()
    if style := _style(focus_of(session.visit().page, lecture.scene), lecture.present):
        st.html(f"<style>{style}</style>")


@cache
def _style(focus: str, present: bool) -> str:
    focused = "." + f"st-key-{focus}".replace(".", "-")
    sheets = ["scene.css"] * bool(focus) + ["presenter.css"] * present + ["focus.css"] * bool(present and focus)
    return "".join((_HERE / sheet).read_text(encoding="utf-8") for sheet in sheets).replace(".focused", focused)


# --- what visitors do ---


def move(step: int) -> None:
    """Go to the next scene or the one before, here or on another page."""
    visit = session.visit()
    found = beside(visit.page, visit.lecture.scene, step)
    if not found:
        return
    page, number = found
    if page.name == visit.page:
        address.open_scene(number)
    else:
        address.press()
        layout = {"layout": visit.workspace.layout} if visit.workspace.layout else {}
        st.session_state[_TURN] = page.name, layout | replace(visit.lecture, scene=number).encode()


def present(on: bool) -> None:
    """Switch the presenter view on or off."""
    session.update(lecture=replace(_lecture(), present=on))
    address.press()


def leave() -> None:
    """Leave the scenes. The page stays as it is."""
    session.update(lecture=Lecture())
    address.press()


def _way(label: str, step: int, icon: str) -> None:
    end = beside(session.visit().page, _lecture().scene, step) is None
    st.button(label, icon=f":material/{icon}:", key=f"scene.{label}", disabled=end, on_click=move, args=(step,))


def _lecture() -> Lecture:
    return session.visit().lecture


def _scene() -> Scene | None:
    number = _lecture().scene
    return scenes_of(session.visit().page)[number - 1] if number else None


def _on_script() -> bool:
    here = differing(address.state(), _ASIDE)
    return here == differing(address.state_of_the_scene(), _ASIDE)
