"""The home page, for the first half minute: a sentence, the word that “it” refers to, and the same as matrices."""

import streamlit as st

from pages.home import lesson
from pages.home.code import code
from pages.home.lesson import last_slide
from pages.shared import controls
from pages.shared.equation import Line, Sign, equation, selected_cell
from pages.shared.equation.matrices import attention_matrices
from pages.shared.lecture import picker
from pages.shared.site.menu import link
from pages.shared.site.page import Page
from pages.shared.state import session
from pages.shared.state.opening import focus
from pages.shared.words import words

QUESTION = "What does attention compute?"
CHANGE = "Each token gets a query, a key and a value. Change a number in X, and see everything follow"


@controls.declare
class Home(controls.Parameters):
    """The parameters of the home page."""

    word: int = controls.word("The word that asks")


def question(parameters: Home, example):
    """Return the question above the page.

    This is the title of the example. If the example has no sentence, it is a general question.
    """
    return example.title if example.sentence else QUESTION


def start(parameters: Home, example):
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="start"):
        st.markdown(lesson.introduction_text(), width="stretch")
        link("path", "Start", icon="play_arrow")


def sentence(parameters: Home, example):
    words(example, example.attention().weights, "sentence", parameters)


def task_to_take_along(parameters: Home, example):
    last_slide()


def why(parameters: Home, example):
    asks = parameters.word % len(example.tokens)
    st.markdown(lesson.why_attention(example, example.attention().weights, asks))


def all_of_it(parameters: Home, example):
    st.markdown(
        "## The same as matrices\n\nEach word is a row of $X$. Three learned matrices, $W^Q$, $W^K$ and $W^V$, make "
        "its *query* (what it looks for), its *key* (what it can be found by) and its *value* (what others take from "
        "it). A word takes most from the words whose keys fit its query best: **this is attention**. The numbers in "
        "the picture are its row of $A$."
    )
    on_a_stage = focus() == f"{session.visit().page}.equation.all"
    lines = _lines(example) if on_a_stage else _short_lines(example, columns=parameters.columns)
    equation(lines, "all", parameters, tools=True)


def _short_lines(example, *, columns):
    """Return the short equations of the home page, for a visitor who reads the page alone.

    Each matrix appears only once. Factors of products are words on an arrow. `columns` says whether tokens are columns.
    """
    m = attention_matrices(example, example.attention())
    softmax, values = Sign("÷ √d_k → softmax", arrow=True), Sign("times the values", arrow=True)
    steps = (m["scores"], softmax, m["weights"], values, m["output"])
    projections = _projections(m, example, apart=columns)
    return [*projections, Line(steps, "The scores of queries with keys, the weights, the output")]


def _lines(example):
    """Return the full equations of the home page, with all factors of each product, for a lecturer who shows them."""
    m = attention_matrices(example, example.attention())
    q, k, v = m["q"], m["k"], m["v"]
    match = (q, "·", k.transpose("K^T"), "=", m["scores"], Sign("÷ √d_k → softmax", arrow=True), m["weights"])
    return [
        *_projections(m, example),
        Line(match, "Queries meet keys, and softmax makes weights of the scores"),
        Line(
            (m["weights"], "·", v, "=", m["output"]),
            "The output of each token: an average of the values, in which each counts by its weight",
        ),
    ]


def _projections(m, example, *, apart=False):
    """Return the equations of queries, keys and values. `m` has the matrices to show, by name.

    Usually all three are in one line. If the example has a context, or if `apart`, there are two lines.
    """
    q, k, v = m["q"], m["k"], m["v"]
    if example.context is None and not apart:
        return [Line((m["x"], Sign("· W^Q , W^K , W^V", arrow=True), q, k, v), CHANGE)]
    source = m["x"].symbol if example.context is None else m["context"]
    return [
        Line((m["x"], Sign("· W^Q", arrow=True), q), CHANGE),
        Line((source, Sign("· W^K , W^V", arrow=True), k, v)),
    ]


def arithmetic(parameters: Home, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
    link("queries_keys_values", "What do these three matrices hold? **Queries, keys, values**", icon="key")


def entrances(parameters: Home, example):
    st.markdown("## Where do you want to go?")
    with st.container(horizontal=True, vertical_alignment="center", key="entrances"):
        link("path", "**I want to learn it:** the path", icon="school")
        picker.offer_lecture("**I teach it:** scenes to project")
        link("check_my_matrix", "**My result looks wrong:** why?", icon="troubleshoot")
    st.caption(
        "Your edits come with you from page to page. The address in your browser always restores what you see, so you "
        "can keep it or send it."
    )
    link("lecturers", "How do I give a lecture with this? **For lecturers**", icon="event_note")
    link("your_sentence", "What does each word of **your own sentence** attend to?", icon="edit_note")
    link("next_word", "How does all of this become the next word?", icon="edit")


PAGE = Page(
    module=__name__,
    parameters=Home,
    parts=(start, sentence, task_to_take_along, why, all_of_it, arithmetic, entrances),
    code=code,
    concept="Home",
    question=QUESTION,
    asks=question,
    sources=(
        "[Vaswani et al. 2017, Attention Is All You Need](https://arxiv.org/abs/1706.03762)",
        "[Bahdanau, Cho & Bengio 2014, section 1, on one vector of fixed length](https://arxiv.org/abs/1409.0473); "
        "Vaswani et al., table 1, on how many steps lie between two words",
        "[Prince 2023, Understanding Deep Learning, chapter 12](https://udlbook.github.io/udlbook/)",
        "Five notebooks, 000 to 004, of a course on attention: their numbers are computed anew here, and their "
        "mistakes are exhibits",
    ),
)
