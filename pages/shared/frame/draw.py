"""Draw a page: the frame around its lesson, and the scripts that every page needs."""

from __future__ import annotations

import time
from base64 import b64encode
from functools import cache
from pathlib import Path

import streamlit as st

from pages.shared import panel
from pages.shared.frame import dialogs, equipment, pipeline_map
from pages.shared.frame.errors import TEXTS
from pages.shared.frame.lesson import example_of, lesson
from pages.shared.lecture import picker, strip
from pages.shared.lecture.course import take_course_from_the_address
from pages.shared.notation.prose import typeset
from pages.shared.share import link_dialog
from pages.shared.site import menu
from pages.shared.site.menu import link
from pages.shared.site.page import Page, catalogue
from pages.shared.state import address, history, session, widgets
from pages.shared.state.link_text import LAYOUT
from pages.shared.state.session import Visit
from pages.shared.state.widgets import let_callbacks_end
from pages.shared.takehome.dialog import takehome

_HERE = Path(__file__).parent

# Seconds to wait until everything that was drawn is sent. If the lesson ran again earlier, Streamlit would drop the
# rest, but tell the browser that the page is complete. Then widgets would disappear and forget their values.
UNTIL_SENT = 0.03

let_callbacks_end()


@cache
def _icon() -> str:
    return f"data:image/png;base64,{b64encode((Path(__file__).parent / 'icon.png').read_bytes()).decode()}"


def draw(page: Page) -> None:
    """Draw a page for this visitor."""
    st.set_page_config(
        page_title=TEXTS.fill("title_of_the_tab", concept=page.concept), page_icon=_icon(), layout="wide"
    )
    refused = take_course_from_the_address()
    address.read_link(page.name, page.parameters)
    session.notify(*refused, *menu.missing_page())
    picker.turn_the_page()
    equipment.load(page)
    strip.add_style()
    visit = widgets.read_widgets()
    if page.onward:
        _draw_bare(page, visit)
        return
    pressed = _head(page, visit)
    if page.has_map:
        pipeline_map.draw(page.name, visit.parameters)
    strip.draw()
    lesson(page)
    if pressed == "take_home":
        takehome(page, visit.parameters, example_of(page, visit))
    elif pressed == "symbols":
        dialogs.symbols_dialog(visit.parameters)
    elif pressed == "scenes":
        picker.dialog()
    elif pressed == "how_to_use_this":
        dialogs.guide_dialog()
    _about(page, visit)
    _neighbours(page)
    time.sleep(UNTIL_SENT)


def _draw_bare(page: Page, visit: Visit) -> None:
    """Draw a page without the bar and the map: its question, its lesson, a button to go on, and its sources."""
    _question(page, visit)
    lesson(page)
    if page.onward:
        page.onward(visit.parameters, visit.example)
    st.caption(_sources(page))
    time.sleep(UNTIL_SENT)


def _question(page: Page, visit: Visit) -> None:
    question = page.asks(visit.parameters, visit.example) if page.asks else page.question
    st.markdown(f"# {typeset(question)}")


def _choose_layout(key: str) -> None:
    address.note_press()
    widgets.act_on_change(key, history.choose_layout)


def _head(page: Page, visit: Visit) -> str | None:
    """Draw the question and the line of tools. Return the name of the dialog that is to be opened, or None."""
    with st.container(horizontal=True, vertical_alignment="top", gap="medium", key="head"):
        _question(page, visit)
        with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key="bar"):
            if page.makes_example is None:
                chooser = panel.of_examples(TEXTS.fill("example"), visit.example.name)
                panel.draw(visit.parameters, "example", chooser, width=250)
            if _tool("share", "link"):
                link_dialog.dialog(visit.parameters)
            scenes = picker.offer_scenes()
            with st.popover(TEXTS.fill("more"), type="tertiary", key="more"):
                pressed = _more(visit)
    return "scenes" if scenes else pressed


def _more(visit: Visit) -> str | None:
    """Draw the tools that are needed less often. Return the name of the one that was pressed, or None."""
    widgets.draw(visit.parameters, "digits", on_change=address.note_press)
    key = widgets.key_showing("layout", session.visit().workspace.tokens_are)
    LAYOUT.draw(key, on_change=_choose_layout, args=(key,))
    strip.present_switch()
    tools = {"take_home": "download", "symbols": "function", "how_to_use_this": "help"}
    pressed = [name for name, icon in tools.items() if _tool(name, icon)]
    return pressed[0] if pressed else None


def _tool(name: str, icon: str) -> bool:
    return st.button(
        TEXTS.fill(name), icon=f":material/{icon}:", key=f"tool.{name}", type="tertiary", on_click=address.note_press
    )


def _about(page: Page, visit: Visit) -> None:
    texts = [_sources(page)]
    if page.makes_example is None:
        about, source = map(typeset, (visit.example.about, visit.example.source))
        texts.insert(0, TEXTS.fill("about_the_example", about=about, source=source))
    st.caption("\n\n".join(["---", *texts]))


def _sources(page: Page) -> str:
    return TEXTS.fill("sources", sources=" · ".join(page.sources))


def _neighbours(current: Page) -> None:
    pages = catalogue()
    number = pages.index(current)
    if number > 0:
        link(pages[number - 1].name, pages[number - 1].concept, icon="arrow_back")
    if number + 1 < len(pages):
        link(pages[number + 1].name, pages[number + 1].concept, icon="arrow_forward")
