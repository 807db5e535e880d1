"""The page “Real heads”: a language model that this app runs, its heads, and how their roles were measured."""

import streamlit as st

from attention_core.language_model.model import Head
from attention_core.language_model.tokens import LONGEST
from pages.real_heads import words
from pages.real_heads.code import code
from pages.real_heads.wall import wall
from pages.shared import controls
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.model_access import asking, sentence
from pages.shared.real_heads import boards, reading, tour
from pages.shared.real_heads.reading import changes_if_moved, last_and_most_attended, scores_at_every_position
from pages.shared.site.menu import link
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container


@controls.declare
class RealHeads(controls.Parameters):
    """The parameters of the page “Real heads”."""

    text: str = controls.choice("A text", reading.CHOICES)
    own: str = controls.text(
        "Your text, up to 31 tokens",
        longest=LONGEST,
        default="The old man the boat, and the young man",
        help="The model reads English best. It takes about a second.",
    )
    head: Head = reading.head(Head(18, 6))
    look: str = controls.choice(
        "What to look at",
        {
            "tour": "What heads do",
            "numbers": "This head in numbers",
            "sink": "The first token",
            "positions": "Positions",
            "shared": "Shared keys",
        },
    )


def why(parameters: RealHeads, read):
    st.markdown(words.why(read))
    link("next_word", "What do all heads do together? They help to predict **the next word**", icon="edit")


def text(parameters: RealHeads, read):
    widgets.draw_leading(parameters, "text", reading.head_parameter_for)
    with reserve_container("own"):
        if parameters.text == reading.OWN:
            sentence.draw(parameters, "own")
        elif read:
            st.markdown(sentence.tokens_text(read.tokens))
    with reserve_container("asked"):
        question = reading.question_of(parameters)
        if question and asking.ask(question) and not (read and read.trace):
            asking.wait_for(question)  # the answer has come after the page had checked for it


def heads(parameters: RealHeads, read):
    with reserve_container("heads"):
        if read:
            st.markdown(parameters.in_layout(words.wall_text(read.text)))
            wall(read.text, read.head, tour.titles(), columns=parameters.columns)


def who(parameters: RealHeads, read):
    with reserve_container("who"):
        if read:
            equation(boards.who_lines(read), "who", parameters, abreast=True)
            selected_cell.hint_and_arithmetic(read.tokens, read.tokens, parameters, editable=False)


def the_tour(parameters: RealHeads, read):
    st.markdown(tour.measurement_text())
    tour.draw_buttons()


def numbers(parameters: RealHeads, read):
    if _has_numbers(read):
        st.markdown(words.numbers_text(read))
        equation(boards.number_lines(read.trace, read.tokens), "numbers", parameters)


def the_sink(parameters: RealHeads, read):
    if read:
        st.markdown(words.sink_text(read))


def positions(parameters: RealHeads, read):
    if _has_numbers(read):
        asks, answers = last_and_most_attended(read)
        st.markdown(words.positions_text(read, changes_if_moved(read.trace), asks, answers))
        equation(
            boards.every_position_lines(scores_at_every_position(read.trace, asks, answers)), "positions", parameters
        )


def shared_keys(parameters: RealHeads, read):
    if read:
        st.markdown(words.shared_keys_text(read))


def _has_numbers(read) -> bool:
    """Return whether the page has the queries and keys of the head. `read` is the head on a text, or None.

    If only the language model could compute them, and it is not installed, draw how to install the model.
    """
    if read and read.trace is None and not asking.is_available():
        sentence.say_how_to_install(words.NOT_KEPT)
    return bool(read and read.trace)


PAGE = Page(
    module=__name__,
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
    concept="Real heads",
    question="What do real heads do?",
    sources=(
        "[SmolLM2, Allal et al. 2025](https://arxiv.org/abs/2502.02737), Apache-2.0",
        "[Clark et al. 2019, what heads look at](https://arxiv.org/abs/1906.04341)",
        "[Xiao et al. 2023, on attention sinks](https://arxiv.org/abs/2309.17453)",
        "[Jain & Wallace 2019, attention is not explanation](https://arxiv.org/abs/1902.10186)",
        "[Ainslie et al. 2023, on shared keys](https://arxiv.org/abs/2305.13245)",
        "The roles are measured by this app’s own core, and so are the heads that it ships",
    ),
)
