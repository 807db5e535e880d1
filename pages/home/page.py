"""The home page, for the first half minute: a sentence, the word that “it” refers to, and the same as matrices."""

import streamlit as st

from pages.home import lesson
from pages.home.code import code
from pages.home.lesson import TEXTS, last_slide
from pages.shared import controls
from pages.shared.equation import Line, Sign, equation, selected_cell
from pages.shared.equation.matrices import attention_matrices
from pages.shared.lecture import picker
from pages.shared.site.menu import link
from pages.shared.site.page import Page
from pages.shared.state import session
from pages.shared.state.opening import focus
from pages.shared.words import words


@controls.declare(TEXTS)
class Home(controls.Parameters):
    """The parameters of the home page."""

    word: int = controls.word()


def question(parameters: Home, example):
    """Return the question above the page: the title of the example if it has a sentence."""
    return example.title if example.sentence else TEXTS.fill("question")


def start(parameters: Home, example):
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="start"):
        st.markdown(lesson.introduction_text(), width="stretch")
        link("path", TEXTS.fill("start"), icon="play_arrow")


def sentence(parameters: Home, example):
    words(example, attention_matrices(example, example.attention())["weights"], "sentence", parameters)


def task_to_take_along(parameters: Home, example):
    last_slide()


def why(parameters: Home, example):
    asks = parameters.word % len(example.tokens)
    why_attention = lesson.why_attention(example, example.attention().weights, asks)
    st.markdown(f"{why_attention}\n\n{TEXTS.fill('same_as_matrices')}")


def all_of_it(parameters: Home, example):
    on_a_stage = focus() == f"{session.visit().page}.equation.all"
    lines = _lines(example) if on_a_stage else _short_lines(example, columns=parameters.columns)
    equation(lines, "all", parameters, tools=True)


def _short_lines(example, *, columns):
    """Return equations in which each matrix appears only once, for a visitor who reads the page alone."""
    m = attention_matrices(example, example.attention())
    softmax, values = (Sign(TEXTS.fill(name), arrow=True) for name in ("sign_of_softmax", "sign_of_values"))
    steps = (m["scores"], softmax, m["weights"], values, m["output"])
    return [*_projections(m, example, apart=columns), Line(steps, TEXTS.fill("line_of_steps"))]


def _lines(example):
    """Return equations with all factors of each product, for a lecturer who shows them."""
    m = attention_matrices(example, example.attention())
    q, k, v = m["q"], m["k"], m["v"]
    softmax = Sign(TEXTS.fill("sign_of_softmax"), arrow=True)
    return [
        *_projections(m, example),
        Line((q, "·", k.transpose("K^T"), "=", m["scores"], softmax, m["weights"]), TEXTS.fill("line_of_weights")),
        Line((m["weights"], "·", v, "=", m["output"]), TEXTS.fill("line_of_output")),
    ]


def _projections(m, example, *, apart=False):
    """Return the equations of queries, keys and values: two lines if the example has a context, or if `apart`."""
    q, k, v = m["q"], m["k"], m["v"]
    label = TEXTS.fill("line_of_projections")
    if example.context is None and not apart:
        return [Line((m["x"], Sign("· W^Q\u00a0, W^K\u00a0, W^V", arrow=True), q, k, v), label)]
    source = m["x"].symbol if example.context is None else m["context"]
    return [
        Line((m["x"], Sign("· W^Q", arrow=True), q), label),
        Line((source, Sign("· W^K , W^V", arrow=True), k, v)),
    ]


def arithmetic(parameters: Home, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def entrances(parameters: Home, example):
    link("queries_keys_values", TEXTS.fill("link_to_queries_keys_values"), icon="key")
    st.markdown(TEXTS.fill("where_to_go"))
    with st.container(horizontal=True, vertical_alignment="center", key="entrances"):
        link("path", TEXTS.fill("link_to_path"), icon="school")
        picker.offer_lecture(TEXTS.fill("link_to_lecture"))
        link("check_my_matrix", TEXTS.fill("link_to_check"), icon="troubleshoot")
    st.caption(TEXTS.fill("edits_come_along"))
    link("lecturers", TEXTS.fill("link_to_lecturers"), icon="event_note")
    link("your_sentence", TEXTS.fill("link_to_your_sentence"), icon="edit_note")
    link("next_word", TEXTS.fill("link_to_next_word"), icon="edit")


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parameters=Home,
    parts=(start, sentence, task_to_take_along, why, all_of_it, arithmetic),
    below=(entrances,),
    code=code,
    asks=question,
)
