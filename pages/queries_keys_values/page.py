"""The page “Queries, keys, values”: what a token looks for, what it can be found by, and what others take from it."""

import streamlit as st

from attention_core import look_up, sharpened_scale
from pages.queries_keys_values import lesson
from pages.queries_keys_values.code import code
from pages.shared import charts, controls, mistake_switch
from pages.shared.equation import Line, Sign, equation, selected_cell
from pages.shared.equation.matrices import attention_matrices, projection
from pages.shared.frame import views
from pages.shared.plane import plane
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.task_block.block import TaskParameters, try_it

SHARPNESS = {"0": 0.0, "0.5": 0.5, "1": 1.0, "2": 2.0, "4": 4.0, "16": 16.0}
PATH = (0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 8, 16, float("inf"))


@controls.declare
class QueriesKeysValues(TaskParameters):
    """The parameters of the page “Queries, keys, values”."""

    token: int = controls.word("Who asks?")
    sharpness: str = controls.choice(
        "Sharpness",
        {"0": "0 · all alike", "0.5": "½", "1": "1 · attention", "2": "2", "4": "4", "16": "16 · a dictionary"},
        default="1",
        help="The scores are multiplied by this number. At 0, all weights are equal. The larger the number, the larger "
        "the largest weight.",
    )
    look: str = controls.choice(
        "What to look at",
        {
            "learned": "Where the numbers come from",
            "look_up": "From a query to an output",
            "arrows": "As arrows",
            "three": "Why three matrices?",
            "plane": "How sharp is attention?",
        },
    )
    mistake: str = mistake_switch.switches_of("queries_keys_values")


def why(parameters: QueriesKeysValues, example):
    trace, i = _trace(parameters, example), _attending_index(parameters, example)
    st.markdown(parameters.in_layout(lesson.why(example, trace, i, parameters.decimals)))


def projections(parameters: QueriesKeysValues, example):
    m, source = attention_matrices(example, _trace(parameters, example)), "x" if example.context is None else "context"
    lines = [
        projection(m, "x", "q", "Queries: what each token looks for"),
        projection(m, source, "k", "Keys: what each token can be found by", again=source == "x"),
        projection(m, source, "v", "Values: what other tokens take from it", again=True),
    ]
    equation(lines, "projections", parameters, tools=True)


def where_numbers_come_from(parameters: QueriesKeysValues, example):
    trace, i = _trace(parameters, example), _attending_index(parameters, example)
    st.markdown(
        parameters.in_layout(lesson.training_text(example, trace, i, parameters.decimals))
        + parameters.columns
        * (
            " With tokens as columns, the factors change places: $(X W)^\\top = W^\\top X^\\top$. What was called $W$ "
            "is now its transpose. Prince’s book writes $\\Omega X$ for it. No number changes."
        )
    )


def arithmetic(parameters: QueriesKeysValues, example):
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def one_look_up(parameters: QueriesKeysValues, example):
    st.markdown(
        "## From a query to an output\n\n"
        "A dictionary returns one value: the value whose key **equals** the query. Attention measures how well the "
        "query **fits** each key, and returns a weighted sum of all values. The best key has the largest weight."
    )
    m, i = attention_matrices(example, _trace(parameters, example)), _attending_index(parameters, example)
    query, scores, shares = m["q"].row(i, "q"), m["scores"].row(i, "s"), m["weights"].row(i, "a")
    times = f"× {parameters.sharpness}/√d_k" if parameters.sharpness != "1" else "÷ √d_k"
    asks = f"The query of “{example.tokens[i]}” times every key"
    lines = [
        Line((query, "·", m["k"].transpose("K^T"), "=", scores), asks),
        Line(
            (scores, Sign(f"{times} → softmax", arrow=True), shares, "·", m["v"], "=", m["output"].row(i, "z")),
            "Softmax makes weights from the scores. The output is the values, each times its weight, added",
        ),
    ]
    equation(lines, "lookup", parameters)


def arrows_view(parameters: QueriesKeysValues, example):
    trace, i = _trace(parameters, example), _attending_index(parameters, example)
    dimensions = lesson.plane_of(example.name, i)
    st.markdown(f"## As arrows\n\n{lesson.arrows_text(example, trace, i, dimensions, parameters.decimals)}")
    plane(example, trace, i, dimensions, "arrows", parameters)
    st.markdown(lesson.table(example, trace, i, dimensions, parameters.decimals))


def three(parameters: QueriesKeysValues, example):
    trace, i = _trace(parameters, example), _attending_index(parameters, example)
    st.markdown("## Why three matrices, and not one?")
    alike = lesson.matrices_alike(example, trace.scale)
    if alike is None:
        lesson.draw_why_not_here(example)
        return
    st.markdown(parameters.in_layout(lesson.three_matrices_text(example, trace, alike[1], i, parameters.decimals)))
    equation(lesson.lines(example, trace, *alike, i), "three", parameters)


def blur(parameters: QueriesKeysValues, example):
    trace, i = _trace(parameters, example), _attending_index(parameters, example)
    asks = example.tokens[i]
    st.markdown(
        "## How sharp is attention?\n\n"
        "Each square is a value. *Sharpness*, below, multiplies the scores. "
        f"With sharpness 0, the output of “{asks}” is the mean of the values. The greater the sharpness, the nearer "
        "the output comes to the value of the best key, along the dashed line. The output stays between the values, "
        "because it is an average of them."
    )
    path = look_up(trace.q[i], trace.k, trace.v, PATH).results
    charts.values_plane(trace.v, path, trace.output[i], example.key_tokens, asks, key="plane")


def asking(parameters: QueriesKeysValues, example):
    with st.container(horizontal=True, gap="medium"):
        widgets.draw_token(parameters, "token", example.tokens)
        if parameters.look != "learned":
            widgets.draw(parameters, "sharpness")


def mistakes(parameters: QueriesKeysValues, example):
    mistake_switch.show(parameters, example, example.attention())


def _attending_index(parameters, example):
    """Return the position of the token that attends. In the page's parameters, −1 means the last token."""
    return parameters.token % len(example.tokens)


def _trace(parameters, example):
    return example.attention(scale=sharpened_scale(example.w_q.shape[-1], SHARPNESS[parameters.sharpness]))


PAGE = Page(
    module=__name__,
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
            }
        ),
        asking,
        mistakes,
        try_it,
    ),
    to_check=lambda parameters, example: {"asked": "q"},
    parameters=QueriesKeysValues,
    code=code,
    concept="Queries, keys, values",
    question="What are queries, keys and values?",
    sources=(
        "[Vaswani et al. 2017, section 3.2](https://arxiv.org/abs/1706.03762)",
        "[Graves, Wayne & Danihelka 2014, section 3.3.1, on looking up by content](https://arxiv.org/abs/1410.5401)",
        "[Prince 2023, Understanding Deep Learning, ch. 12](https://udlbook.github.io/udlbook/), for tokens as columns",
        "Course notebooks 000 to 004",
    ),
)
