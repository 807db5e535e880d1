"""Softmax axes: which way a matrix of scores must sum to one."""

import streamlit as st

from attention_core import add_constant, softmax_steps
from attention_core.caching import cached
from attention_core.examples import Example
from attention_core.slips import naive_softmax_steps
from pages.shared import charts, controls, slips
from pages.shared.codes.softmax_axes import code
from pages.shared.controls.kinds import Rows
from pages.shared.equation import Line, Sign, equation, explain
from pages.shared.equation.matrices import scores_matrix, softmax_matrices
from pages.shared.frame import views
from pages.shared.practice.block import Practised, try_it
from pages.shared.site.page import Page
from pages.shared.state import widgets

NOTEBOOK_ARRAY = ((1, 0.5, 0.2, 3), (1, -1, 7, 3), (2, 12, 13, 3))
AXES = {"rows": -1, "columns": 0, "whole": None}
BASES = {"e": 2.718281828459045, "2": 2.0, "3": 3.0}


@controls.declare
class SoftmaxAxes(Practised):
    """What can be set on this page."""

    scores: Rows = controls.matrix(NOTEBOOK_ARRAY)
    source: str = controls.choice("Scores", {"array": "The notebook’s array", "example": "The example’s scaled scores"})
    axis: str = controls.choice("Sum to one over", {"rows": "Rows", "columns": "Columns", "whole": "The whole matrix"})
    temperature: float = controls.slider(
        "Temperature T",
        0.1,
        10.0,
        step=0.1,
        default=1.0,
        help="Scores are divided by it. Above 1 the shares even out, below 1 they sharpen.",
    )
    base: str = controls.choice(
        "Base", {"e": "e", "2": "2", "3": "3"}, help="With 2 or 3 you can do it with pencil and paper."
    )
    constant: int = controls.slider("Add to every score", -1000, 1000, step=10, default=0)
    subtract: bool = controls.switch(
        "Subtract the maximum first", default=True, help="Off, powers overflow: try it with 710 added."
    )
    look: str = controls.choice("What to look at", {"axes": "All three axes", "shares": "What a row adds up to"})
    slip: str = slips.slip_of("softmax_axes")


def scores_and_shares(parameters: SoftmaxAxes, example):
    st.markdown(
        parameters.says(
            "A **score** says how well what one token asks, its query, matches what another offers, its key: a row for "
            "each query, a column for each key. **Softmax** turns scores into shares: raise $e$ to each ($P$), divide "
            "by the sum ($A$). The **entropy** ($H$) says how evenly the shares are spread."
        )
    )


def steps(parameters: SoftmaxAxes, example):
    scores, tokens, key_tokens = _scores(parameters, example)
    given = scores_matrix(scores, tokens, key_tokens, editable=parameters.source == "array")
    m = _matrices(parameters, example)[parameters.axis]
    line = (given, _powers_sign(parameters), m["powers"], Sign("÷ Σ", arrow=True), m["weights"])
    label = f"Score → power of {parameters.base} → share of the sum → how spread out"
    equation([Line((*line, Sign("entropy", arrow=True), m["entropies"]), label)], "steps", parameters, tools=True)


def choices(parameters: SoftmaxAxes, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "source", "axis", "base", "temperature", "constant", "subtract")


def arithmetic(parameters: SoftmaxAxes, example):
    tokens, key_tokens = _names(parameters, example)
    added = parameters.constant and parameters.cell and parameters.cell[0] != "scores"
    note = f"Here S is the score with {parameters.constant} added." if added else ""
    explain.show(tokens, key_tokens, parameters, note=note)


def all_axes(parameters: SoftmaxAxes, example):
    text = (
        "## All three side by side\n\n"
        "In attention each row belongs to one query, which has one unit of attention to give: **rows** must sum to 1. "
        "Where a text stores tokens as columns, the same softmax runs down the **columns**. The **whole matrix** "
        "is right for neither. A sum of 1 proves nothing by itself: see where the ✓ stands."
        " In the last, no row and no column has one, only all numbers together."
    )
    st.markdown(parameters.says(text))
    labels = {"rows": "Rows", "columns": "Columns", "whole": "The whole matrix"}
    m = _matrices(parameters, example)
    equation([Line((m[axis]["weights"],), label) for axis, label in labels.items()], "axes", parameters, abreast=True)


def picture(parameters: SoftmaxAxes, example):
    st.markdown(parameters.says("## What a row adds up to"))
    weights = _trace(parameters, example, parameters.axis).weights
    charts.shares(weights, *_names(parameters, example), key="shares")


def mistakes(parameters: SoftmaxAxes, example):
    slips.show(parameters, example, example.attention())


def _scores(parameters, example):
    """The scores that are shown, with their labels."""
    if parameters.source == "array":
        return parameters.scores, (), ()
    return example.attention().scaled, example.tokens, example.key_tokens


def _names(parameters, example):
    """What rows and columns are called: tokens, or their numbers."""
    scores, tokens, key_tokens = _scores(parameters, example)
    rows = tuple(parameters.says(f"row {i}") for i, _ in enumerate(scores, start=1))
    columns = tuple(parameters.says(f"column {j}") for j, _ in enumerate(scores[0], start=1))
    return tokens or rows, key_tokens or columns


def _trace(parameters, example, axis):
    given = parameters.scores if parameters.source == "array" else example
    return _softmax(given, axis, parameters.temperature, parameters.base, parameters.constant, parameters.subtract)


@cached
def _softmax(given, axis, temperature, base, constant, subtract):
    softmax = softmax_steps if subtract else naive_softmax_steps
    scores = given.attention().scaled if isinstance(given, Example) else given
    return softmax(add_constant(scores, constant), AXES[axis], temperature, BASES[base])


_softmax_matrices = cached(softmax_matrices)


def _matrices(parameters, example):
    _, tokens, key_tokens = _scores(parameters, example)
    return {axis: _softmax_matrices(_trace(parameters, example, axis), axis, tokens, key_tokens) for axis in AXES}


def _powers_sign(parameters):
    constant = f" + {parameters.constant}" if parameters.constant else ""
    exponent = f"S{constant}{' − max' if parameters.subtract else ''}"
    if parameters.temperature != 1:
        exponent = f"( {exponent} ) / {parameters.temperature:g}"
    return Sign(f"{parameters.base}^{{{exponent}}}", arrow=True)


PAGE = Page(
    module=__name__,
    parts=(
        scores_and_shares,
        steps,
        arithmetic,
        choices,
        views.look_at({"axes": all_axes, "shares": picture}),
        mistakes,
        try_it,
    ),
    parameters=SoftmaxAxes,
    code=code,
    concept="Softmax axes",
    question="Which way must it sum to one?",
    group="The pieces",
    icon="percent",
    sources=(
        "[Vaswani et al. 2017, eq. 1](https://arxiv.org/abs/1706.03762)",
        "[Blanchard, Higham & Higham 2021, on computing softmax](https://doi.org/10.1093/imanum/draa038)",
        "Course notebook 000, the side note on softmax (its array is the one above)",
    ),
)
