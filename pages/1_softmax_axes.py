"""Softmax axes: which way a matrix of scores must sum to one."""

from dataclasses import dataclass

import streamlit as st

from attention_core import add_constant, softmax_steps
from attention_core.slips import naive_softmax_steps
from pages.shared import charts, code, controls, explain, frame, slips, widgets
from pages.shared.equation import Line, Sign, equation
from pages.shared.kinds import Rows
from pages.shared.matrices import scores_matrix, softmax_matrices

NOTEBOOK_ARRAY = ((1, 0.5, 0.2, 3), (1, -1, 7, 3), (2, 12, 13, 3))
AXES = {"rows": -1, "columns": 0, "whole": None}
BASES = {"e": 2.718281828459045, "2": 2.0, "3": 3.0}
CODE = """\
import numpy as np

def softmax(scores, axis):
    shifted = scores - scores.max(axis=axis, keepdims=True)   # nothing overflows
    powers = np.exp(shifted / temperature)
    return powers / powers.sum(axis=axis, keepdims=True)

rows = softmax(scores, axis=-1)      # each row sums to 1: tokens as rows, this is attention's
columns = softmax(scores, axis=0)    # each column sums to 1
whole = softmax(scores, axis=None)   # everything together sums to 1
"""


@dataclass(frozen=True, kw_only=True)
class SoftmaxAxes(controls.Parameters):
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
    slip: str = slips.slip_of("softmax_axes")


def body(parameters: SoftmaxAxes, example):
    with st.container(horizontal=True, gap="medium"):
        widgets.draw(parameters, "source", "axis", "base")
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "temperature", "constant", "subtract")

    attention = example.attention()
    from_array = parameters.source == "array"
    tokens, key_tokens = ((), ()) if from_array else (example.tokens, example.key_tokens)
    scores = parameters.scores if from_array else attention.scaled
    steps = softmax_steps if parameters.subtract else naive_softmax_steps
    traces = {
        name: steps(add_constant(scores, parameters.constant), axis, parameters.temperature, BASES[parameters.base])
        for name, axis in AXES.items()
    }
    matrices = {name: softmax_matrices(trace, name, tokens, key_tokens) for name, trace in traces.items()}
    given = scores_matrix(scores, tokens, key_tokens, editable=from_array)

    _one_axis(parameters, given, matrices[parameters.axis])
    explain.show(
        {name: traces[name] for name in sorted(traces, key=lambda name: name != parameters.axis)},
        tokens,
        key_tokens,
        parameters.decimals,
    )
    _all_axes(parameters, matrices)
    _picture(parameters, traces[parameters.axis], tokens, key_tokens)
    slips.show(parameters, example, attention)
    code.show(CODE)


def _one_axis(parameters, given, matrices):
    constant = f" + {parameters.constant}" if parameters.constant else ""
    peak = " − max" if parameters.subtract else ""
    cooled = f" ) / {parameters.temperature:g}" if parameters.temperature != 1 else ""
    exponent = f"{'( ' if cooled else ''}S{constant}{peak}{cooled}"
    equation(
        [
            Line(
                (
                    given, Sign(f"{parameters.base}^{{{exponent}}}", arrow=True), matrices["powers"],
                    Sign("÷ Σ", arrow=True), matrices["weights"], Sign("entropy", arrow=True), matrices["entropies"],
                ),
                f"Score → power of {parameters.base} → share of the sum → how spread out",
            )
        ],
        key="steps",
        digits=parameters.decimals,
    )  # fmt: skip


def _all_axes(parameters, matrices):
    st.subheader("All three side by side", anchor=False)
    st.write(
        "In attention each row belongs to one query, which has one unit of attention to give: **rows** must sum to 1. "
        "Where a text stores tokens as columns, the same softmax runs down the **columns**. The **whole matrix** "
        "is right for neither. A sum of 1 proves nothing by itself: find the ✓ in each."
    )
    labels = {"rows": "Rows", "columns": "Columns", "whole": "The whole matrix"}
    equation(
        [Line((matrices[name]["weights"],), label) for name, label in labels.items()],
        key="axes",
        digits=parameters.decimals,
        abreast=True,
    )


def _picture(parameters, trace, tokens, key_tokens):
    st.subheader("What a row adds up to", anchor=False)
    rows = tokens or tuple(f"row {i + 1}" for i, _ in enumerate(trace.scores))
    columns = key_tokens or tuple(f"column {j + 1}" for j, _ in enumerate(trace.scores[0]))
    charts.shares(trace.weights, rows, columns, key="shares")


frame.page(
    __file__,
    body,
    parameters=SoftmaxAxes,
    concept="Softmax axes",
    question="Which way must it sum to one?",
    group="The pieces",
    icon="percent",
    sources=[
        "[Vaswani et al. 2017, eq. 1](https://arxiv.org/abs/1706.03762)",
        "[Blanchard, Higham & Higham 2021, on computing softmax](https://doi.org/10.1093/imanum/draa038)",
        "Course notebook 000, the side note on softmax (its array is the one above)",
    ],
)
