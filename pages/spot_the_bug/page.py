"""The page “Spot the bug”: a museum of real mistakes. Each exhibit is a short cell of code with one wrong line."""

import streamlit as st

from attention_core.museum import exhibit
from pages.shared import controls
from pages.shared.equation import equation
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container
from pages.spot_the_bug import lesson
from pages.spot_the_bug.code import code
from pages.spot_the_bug.lesson import TEXTS, has_line_for_each_head, result_lines


@controls.declare(TEXTS)
class SpotTheBug(controls.Parameters):
    """The parameters of the page “Spot the bug”."""

    exhibit: tuple[str, int] = lesson.line_of_an_exhibit()
    aid: str = controls.switches("beside", "answer")


def museum(parameters: SpotTheBug, example):
    name, line = parameters.exhibit
    shown, answer_shown = exhibit(name), parameters.aid == "answer"
    solved = answer_shown or line == shown.wrong_line
    lesson.note_pick(shown, line, answer_shown=answer_shown)
    st.markdown(TEXTS.fill("introduction"))
    lesson.draw_walk(shown, lesson.score_text(), "exhibit", "aid")
    cell(parameters, shown)
    with reserve_container("answer"):
        lesson.draw_answer(shown, line, answer_shown=answer_shown)
        if solved:
            lesson.draw_explanation(shown, parameters)
    with reserve_container("onward"):
        if solved:
            onward(shown)
    result(parameters, shown, solved)
    if answer_shown or not solved:
        widgets.draw(parameters, "aid")
    lesson.draw_arithmetic(shown, parameters)


def cell(parameters, shown):
    st.markdown(lesson.task_text(shown, parameters))
    lesson.draw_lines(parameters, "exhibit")


def onward(shown):
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        lesson.draw_next(shown, "exhibit", "aid")
        lesson.draw_link_to_page(shown)


def result(parameters, shown, solved):
    beside = parameters.aid == "beside"
    lines = result_lines(shown, beside=solved or beside)
    equation(lines, "result", parameters, abreast=has_line_for_each_head(shown))
    off = "" if solved or not beside else f"{lesson.damage_text(shown)} "
    st.markdown(off + lesson.checks_text(shown, parameters))


def example_of_the_exhibit(parameters):
    return exhibit(parameters.exhibit[0]).own_example()


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(museum,),
    code=code,
    parameters=SpotTheBug,
    makes_example=example_of_the_exhibit,
)
