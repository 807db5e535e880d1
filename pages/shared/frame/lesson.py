"""The lesson of a page: its numbers, and below them what depends on them only while it is open.

A press costs as much as the number of elements that are drawn again. So a press on the numbers draws only the numbers
again, unless something below them is open and changes with them.
"""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from attention_core.examples import Example
from pages.shared.controls import Parameters
from pages.shared.equation.engine import finish_drawing, start_drawing
from pages.shared.frame import notices
from pages.shared.frame.errors import TEXTS
from pages.shared.lecture import strip
from pages.shared.mistake_switch import depends_on_the_numbers
from pages.shared.site.menu import link
from pages.shared.site.page import Page
from pages.shared.state import address, session, widgets
from pages.shared.state.session import Visit
from pages.shared.state.widgets import DrawnWidgets
from pages.shared.takehome.code import in_code, is_code_open


def example_of(page: Page, visit: Visit) -> Example | None:
    """Return the example that a page shows: its own one if it makes one, and otherwise that of the visit."""
    return page.makes_example(visit.parameters) if page.makes_example else visit.example


@st.fragment
def lesson(page: Page) -> None:
    """Draw the lesson, the main part of a page. After a press, Streamlit runs only this function again, or a part."""
    visit = widgets.read_widgets()
    if not is_code_open() and not (page.below and depends_on_the_numbers(visit.parameters)):
        _numbers_alone(page)
        _below(page, visit)
    else:
        here = st.container()
        numbers = _numbers(page, visit)
        with here:
            next(numbers)
        _below(page, visit)
        with here:
            next(numbers, None)
    address.write_link()


@st.fragment
def _numbers_alone(page: Page) -> None:
    for _ in _numbers(page, widgets.read_widgets()):
        pass
    address.write_link()


def _numbers(page: Page, visit: Visit) -> Iterator[None]:
    """Draw the parts of a page. What is below them may be drawn at the `yield`, before what needs all equations."""
    start_drawing()
    drawn = session.visitor_object(DrawnWidgets)
    drawn.begin("numbers")
    above = st.container(key="above") if visit.notices or strip.is_drawn() else None
    parameters, example = visit.parameters, example_of(page, visit)
    for part in page.parts:
        part(parameters, example)
    drawn.end()
    yield
    finish_drawing()
    _offer_to_check(page, parameters, example)
    shown = session.show_notices()
    if shown and above is None:  # a part has refused something only now
        above = st.container(key="above")
    if above is not None:
        with above:
            notices.draw(shown)
            strip.draw_sentence(parameters)  # now, because the numbers in the sentence are drawn


def _below(page: Page, visit: Visit) -> None:
    drawn = session.visitor_object(DrawnWidgets)
    drawn.begin("below")
    parameters, example = visit.parameters, example_of(page, visit)
    for part in page.below:
        part(parameters, example)
    drawn.end()
    if example and page.code:
        in_code(parameters, example, page.code)


def _offer_to_check(page: Page, parameters: Parameters, example: Example | None) -> None:
    state = page.to_check(parameters, example) if page.to_check and example else None
    if state is not None and example:
        link("check_my_matrix", TEXTS.fill("check_your_own"), {"example": example.name} | dict(state),
             icon="troubleshoot")  # fmt: skip
