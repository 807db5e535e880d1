"""The page “Cross-attention”: one text attends to another."""

import streamlit as st

from pages.cross_attention import lesson
from pages.cross_attention.code import code
from pages.cross_attention.lesson import TEXTS
from pages.shared import charts, controls, mistake_switch, panel
from pages.shared.equation import equation, selected_cell
from pages.shared.equation.matrices import attention_matrices
from pages.shared.frame import views
from pages.shared.site.menu import offer_example
from pages.shared.site.page import Page
from pages.shared.state.widgets import reserve_container
from pages.shared.task_block.block import TaskParameters, try_it
from pages.shared.words import words


@controls.declare(TEXTS)
class CrossAttention(TaskParameters):
    """The parameters of the page “Cross-attention”."""

    opens_with = "french"

    word: int = controls.word()
    queries: int = controls.count(of="tokens")
    keys: int = controls.count(of="key_tokens")
    itself: bool = controls.switch()
    look: str = controls.choice("shares", "all")
    mistake: str = mistake_switch.switches_of("cross_attention")


def why(parameters: CrossAttention, example):
    if example.context is None:
        offer_example("french", parameters.say(TEXTS, "see_two_inputs"))
    everyone, trace = lesson.with_all_queries(parameters, example)
    with reserve_container("reason", beside=True):
        st.markdown(lesson.why(everyone, trace, lesson.attending_index(parameters, example), parameters.decimals))
        words(everyone, attention_matrices(everyone, trace)["weights"], "asks", parameters)


def one_asks(parameters: CrossAttention, example):
    everyone, trace = lesson.with_all_queries(parameters, example)
    lines, output = lesson.lines_for_one(parameters, everyone, trace, lesson.attending_index(parameters, example))
    equation(lines, "one", parameters, tools=True)
    equation([output], "handed", parameters)


def arithmetic(parameters: CrossAttention, example):
    everyone, _ = lesson.with_all_queries(parameters, example)
    selected_cell.hint_and_arithmetic(everyone.tokens, everyone.key_tokens, parameters)


def all_ask(parameters: CrossAttention, example):
    part, trace = lesson.chosen_part(parameters, example)
    inputs = lesson.inputs_text(parameters, example, part)
    n_queries, n_keys = len(part.tokens), len(part.key_tokens)
    st.markdown(parameters.say(TEXTS, "all_at_once", inputs=inputs, n_queries=n_queries, n_keys=n_keys))
    equation(lesson.lines_for_all(parameters, part, trace, example), "all", parameters)


def sizes(parameters: CrossAttention, example):
    itself = ["itself"] * example.can_be_self_attention
    if lesson.has_one_input(parameters, example):
        return itself
    queries = panel.count(parameters, "queries", len(example.tokens))
    return [*itself, queries, panel.count(parameters, "keys", len(example.key_tokens))]


def picture(parameters: CrossAttention, example):
    part, trace = lesson.chosen_part(parameters, example)
    inputs = lesson.inputs_text(parameters, example, part)
    st.markdown(parameters.say(TEXTS, "who_takes_from_whom", inputs=inputs))
    charts.shares(trace.weights, part.tokens, part.key_tokens, key="shares")


def mistakes(parameters: CrossAttention, example):
    mistake_switch.show(parameters, *lesson.chosen_part(parameters, example))


def to_check(parameters, example):
    """Return the parameters of a link to “Check my matrix” for the output, or None if the inputs were changed."""
    whole = parameters.queries in (0, len(example.tokens)) and parameters.keys in (0, len(example.key_tokens))
    return {"asked": "output"} if whole and not lesson.has_one_input(parameters, example) else None


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(
        why,
        one_asks,
        arithmetic,
        views.part_with_views({"shares": picture, "all": all_ask}, sizes),
    ),
    below=(mistakes, try_it),
    to_check=to_check,
    parameters=CrossAttention,
    code=code,
)
