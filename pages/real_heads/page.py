"""The page “Real heads”: a language model that this app runs, its heads, and how their roles were measured."""

import streamlit as st

from attention_core.language_model.model import Head
from attention_core.language_model.shipped import TEXTS as SHIPPED
from attention_core.language_model.tokens import LONGEST
from pages.real_heads import lesson
from pages.real_heads.code import code
from pages.real_heads.lesson import TEXTS, wall
from pages.shared import controls
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.model_access import asking, sentence
from pages.shared.real_heads import boards, reading, tour
from pages.shared.real_heads.reading import changes_if_moved, last_and_most_attended, scores_at_every_position
from pages.shared.site.menu import link
from pages.shared.site.page import Page
from pages.shared.state import widgets


@controls.declare(TEXTS)
class RealHeads(controls.Parameters):
    """The parameters of the page “Real heads”."""

    text: str = controls.choice(*SHIPPED, reading.OWN)
    own: str = controls.text(longest=LONGEST, default="The old man the boat, and the young man")
    head: Head = reading.head(Head(18, 6))
    look: str = controls.choice("tour", "numbers", "sink", "positions", "shared")


def why(parameters: RealHeads, read):
    st.markdown(lesson.why(read))
    link("next_word", TEXTS.fill("link_to_next_word"), icon="edit")


def text(parameters: RealHeads, read):
    widgets.draw_leading(parameters, "text", reading.head_parameter_for)
    if parameters.text == reading.OWN:
        sentence.draw(parameters, "own")
    elif read:
        st.markdown(sentence.tokens_text(read.tokens))
    question = reading.question_of(parameters)
    if question and asking.ask(question) and not (read and read.trace):
        asking.wait_for(question)  # the answer has come after the page had checked for it


def heads(parameters: RealHeads, read):
    if read:
        layers, heads, *_ = read.text.maps.shape
        st.markdown(parameters.say(TEXTS, "wall", layers=layers, heads=heads))
        wall(read.text, read.head, tour.titles(), columns=parameters.columns)


def who(parameters: RealHeads, read):
    if read:
        equation(boards.who_lines(read), "who", parameters, abreast=True)
        selected_cell.hint_and_arithmetic(read.tokens, read.tokens, parameters)


def the_tour(parameters: RealHeads, read):
    st.markdown(tour.measurement_text())
    tour.draw_buttons(parameters)


def numbers(parameters: RealHeads, read):
    if _has_numbers(read):
        st.markdown(lesson.numbers_text(read))
        equation(boards.number_lines(read.trace, read.tokens, parameters.columns), "numbers", parameters)


def the_sink(parameters: RealHeads, read):
    if read:
        st.markdown(lesson.sink_text(read))


def positions(parameters: RealHeads, read):
    if _has_numbers(read):
        asks, answers = last_and_most_attended(read)
        st.markdown(lesson.positions_text(read, changes_if_moved(read.trace), asks, answers))
        equation(
            boards.every_position_lines(scores_at_every_position(read.trace, asks, answers)), "positions", parameters
        )


def shared_keys(parameters: RealHeads, read):
    if read:
        st.markdown(lesson.shared_keys_text(read))


def _has_numbers(read) -> bool:
    if read and read.trace is None and not asking.is_available():
        sentence.say_how_to_install(TEXTS.fill("not_shipped"))
    return bool(read and read.trace)


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(
        why,
        text,
        heads,
        who,
        views.part_with_views(
            {"tour": the_tour, "numbers": numbers, "sink": the_sink, "positions": positions, "shared": shared_keys}
        ),
    ),
    parameters=RealHeads,
    makes_example=reading.reading_of,
    code=code,
)
