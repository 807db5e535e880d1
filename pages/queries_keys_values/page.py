"""The page “Queries, keys, values”: what a token looks for, what it can be found by, and what others take from it."""

import streamlit as st

from attention_core import look_up, sharpened_scale
from pages.queries_keys_values import lesson
from pages.queries_keys_values.code import code
from pages.queries_keys_values.lesson import TEXTS
from pages.shared import charts, controls, mistake_switch, panel
from pages.shared.equation import Line, Sign, equation, selected_cell
from pages.shared.equation.matrices import attention_matrices, projection
from pages.shared.frame import views
from pages.shared.plane import plane
from pages.shared.site.menu import offer_example
from pages.shared.site.page import Page
from pages.shared.task_block.block import TaskParameters, try_it

PATH = (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 8, 16, float("inf"))


@controls.declare(TEXTS)
class QueriesKeysValues(TaskParameters):
    """The parameters of the page “Queries, keys, values”."""

    token: int = controls.word()
    sharpness: str = controls.choice("0", "0.5", "1", "2", "4", "16", default="1")
    look: str = controls.choice("learned", "look_up", "arrows", "three", "plane")
    mistake: str = mistake_switch.switches_of("queries_keys_values")


def why(parameters: QueriesKeysValues, example):
    st.markdown(lesson.why_text(parameters, example, *_attention(parameters, example)))


def projections(parameters: QueriesKeysValues, example):
    m = attention_matrices(example, _trace(parameters, example))
    source = "x" if example.context is None else "context"
    lines = [
        projection(m, "x", "q", parameters.say(TEXTS, "line_of_queries")),
        projection(m, source, "k", parameters.say(TEXTS, "line_of_keys"), again=source == "x"),
        projection(m, source, "v", parameters.say(TEXTS, "line_of_values"), again=True),
    ]
    equation(lines, "projections", parameters, tools=True)


def where_numbers_come_from(parameters: QueriesKeysValues, example):
    st.markdown(lesson.training_text(parameters, example, *_attention(parameters, example)))


def arithmetic(parameters: QueriesKeysValues, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def one_look_up(parameters: QueriesKeysValues, example):
    st.markdown(parameters.say(TEXTS, "view_of_look_up"))
    trace, i = _attention(parameters, example)
    m = attention_matrices(example, trace)
    query, scores, shares = m["q"].row(i, "q"), m["scores"].row(i, "s"), m["weights"].row(i, "a")
    sign = "arrow_of_softmax" if parameters.sharpness == "1" else "arrow_of_sharpened_softmax"
    softmax = Sign(parameters.say(TEXTS, sign, sharpness=parameters.sharpness), arrow=True)
    lines = [
        Line(
            (query, "·", m["k"].transpose("K^T"), "=", scores),
            parameters.say(TEXTS, "line_of_one_query", asks=example.tokens[i]),
        ),
        Line(
            (scores, softmax, shares, "·", m["v"], "=", m["output"].row(i, "z")),
            parameters.say(TEXTS, "line_of_one_output"),
        ),
    ]
    equation(lines, "lookup", parameters, place="view")


def arrows_view(parameters: QueriesKeysValues, example):
    trace, i = _attention(parameters, example)
    dimensions = lesson.plane_of(example.name, i)
    st.markdown(lesson.arrows_text(parameters, example, trace, i, dimensions))
    plane(example, trace, i, dimensions, "arrows", parameters)
    st.markdown(lesson.table(example, trace, i, dimensions, parameters.decimals))


def three(parameters: QueriesKeysValues, example):
    trace, i = _attention(parameters, example)
    why = parameters.say(TEXTS, "view_of_three_matrices")
    alike = lesson.matrices_alike(example, trace.scale)
    if alike is None:
        not_here = parameters.say(TEXTS, "different_shapes" if example.context is None else "two_texts")
        st.markdown(f"{why}\n\n{not_here}")
        offer_example("story", parameters.say(TEXTS, "see_the_story"))
        return
    st.markdown(f"{why}\n\n{lesson.three_matrices_text(parameters, example, trace, alike[1], i)}")
    equation(lesson.lines(parameters, example, trace, *alike, i), "three", parameters, place="view")


def blur(parameters: QueriesKeysValues, example):
    trace, i = _attention(parameters, example)
    asks = example.tokens[i]
    st.markdown(parameters.say(TEXTS, "view_of_sharpness", asks=asks))
    path = look_up(trace.q[i], trace.k, trace.v, PATH).results
    charts.values_plane(trace.v, path, trace.output[i], example.key_tokens, asks, key="plane")


def settings(parameters: QueriesKeysValues, example):
    asking = panel.token(parameters, "token", example.tokens)
    return [asking] if parameters.look == "learned" else [asking, "sharpness"]


def mistakes(parameters: QueriesKeysValues, example):
    mistake_switch.show(parameters, example, example.attention())


def _attention(parameters, example):
    return _trace(parameters, example), parameters.token % len(example.tokens)


def _trace(parameters, example):
    return example.attention(scale=sharpened_scale(example.w_q.shape[-1], float(parameters.sharpness)))


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(
        why,
        projections,
        arithmetic,
        views.part_with_views(
            {
                "learned": where_numbers_come_from,
                "look_up": one_look_up,
                "arrows": arrows_view,
                "three": three,
                "plane": blur,
            },
            settings,
        ),
    ),
    below=(mistakes, try_it),
    to_check=lambda parameters, example: {"asked": "q"},
    parameters=QueriesKeysValues,
    code=code,
)
