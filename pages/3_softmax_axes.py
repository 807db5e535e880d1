"""The page “Softmax axes”: which numbers must add up to 1, each row or each column?"""

import streamlit as st

from pages.shared import charts, controls, mistake_switch
from pages.shared.codes.softmax_axes import code
from pages.shared.controls.kinds import Rows
from pages.shared.equation import Line, Sign, equation, selected_cell
from pages.shared.equation.matrices import scores_matrix
from pages.shared.frame import views
from pages.shared.lessons.softmax_axes import reasons, softmaxes
from pages.shared.lessons.softmax_axes.temperatures import evenness_text, temperature_text
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.places import reserve_container
from pages.shared.task_block.block import TaskParameters, try_it

TWELVE_NUMBERS = ((1, 0.5, 0.2, 3), (1, -1, 7, 3), (2, 12, 13, 3))
WAYS = {"rows": "Each row", "columns": "Each column", "whole": "The whole matrix"}
SUMMED = {"rows": "of its row", "columns": "of its column", "whole": "of all"}


@controls.declare
class SoftmaxAxes(TaskParameters):
    """The parameters of the page “Softmax axes”."""

    scores: Rows = controls.matrix(TWELVE_NUMBERS)
    source: str = controls.choice(
        "Scores",
        {
            "example": "The example’s scaled scores",
            "undivided": "Its scores, not divided",
            "array": "Twelve numbers to change",
        },
    )
    axis: str = controls.choice("What adds up to 1", WAYS)
    temperature: float = controls.slider(
        "Temperature T",
        0.1,
        10.0,
        step=0.1,
        default=1.0,
        help="The scores are divided by the temperature. Above 1, the weights become more even; below 1, less even.",
    )
    base: str = controls.choice(
        "Base",
        {"e": "e", "2": "2", "3": "3"},
        help="With base 2 or 3 you can compute the powers with pencil and paper.",
    )
    constant: int = controls.slider("Add to every score", -1000, 1000, step=10, default=0)
    subtract: bool = controls.switch(
        "Subtract the maximum first",
        default=True,
        help="Without this step, the powers of large scores are too large for a computer. Add 710 to see it.",
    )
    look: str = controls.choice(
        "What to look at",
        {
            "axes": "Rows or columns?",
            "powers": "Why powers?",
            "temperature": "What is a temperature for?",
            "shares": "Rows as bars",
        },
    )
    mistake: str = mistake_switch.switches_of("softmax_axes")


def reason(parameters: SoftmaxAxes, example):
    shares, names = softmaxes.without_overflow(parameters, example).weights, softmaxes.names_of(parameters, example)
    st.markdown(parameters.in_layout(reasons.one_unit_text(shares, *names, parameters.decimals)))


def steps(parameters: SoftmaxAxes, example):
    scores, *labels = softmaxes.scores_of(parameters, example)
    m = softmaxes.matrices(parameters, example)[parameters.axis]
    given = scores_matrix(softmaxes.id_of_scores(parameters), scores, *labels, editable=parameters.source == "array")
    shares = (Sign("÷ Σ", arrow=True), m["weights"]) if softmaxes.has_numbers(m["weights"]) else ()
    label = f"Softmax: raise {parameters.base} to each score, then divide by the sum {SUMMED[parameters.axis]}"
    line = Line((given, softmaxes.powers_sign(parameters), m["powers"], *shares), label)
    equation([line], "steps", parameters, tools=True)


def overflow(parameters: SoftmaxAxes, example):
    why = reasons.why_nan_text(softmaxes.trace(parameters, example, parameters.axis), parameters.base)
    with reserve_container("overflow"):
        if not why:
            return
        st.markdown(why)
        widgets.step_button("Subtract the maximum first", "subtract", True, icon=":material/healing:", disabled=False)


def arithmetic(parameters: SoftmaxAxes, example):
    symbol, constant = softmaxes.symbol_of_scores(parameters), parameters.constant
    added = constant and parameters.cell and parameters.cell[0] != softmaxes.id_of_scores(parameters)
    note = f"Here ${symbol}$ is the score with {constant} added." if added else ""
    names = softmaxes.names_of(parameters, example)
    selected_cell.hint_and_arithmetic(*names, parameters, note=note, editable=parameters.source == "array")


def choices(parameters: SoftmaxAxes, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "source", "axis")


def all_axes(parameters: SoftmaxAxes, example):
    tokens, _ = softmaxes.names_of(parameters, example)
    columns, whole = (softmaxes.without_overflow(parameters, example, axis).weights for axis in ("columns", "whole"))
    st.markdown(parameters.in_layout(reasons.three_axes_text(columns, whole, tokens, parameters.decimals)))
    shares = {axis: m["weights"] for axis, m in softmaxes.matrices(parameters, example).items()}
    shown = [Line((m,), WAYS[axis]) for axis, m in shares.items() if softmaxes.has_numbers(m)]
    if shown:
        equation(shown, "axes", parameters, abreast=True)


def powers(parameters: SoftmaxAxes, example):
    trace, (_, key_tokens) = softmaxes.without_overflow(parameters, example), softmaxes.names_of(parameters, example)
    without = softmaxes.without_overflow(parameters, example, constant=0)
    why = reasons.why_powers(without, key_tokens, parameters.base)
    constant = reasons.constant_changes_nothing(trace.weights, without.weights, parameters.constant)
    st.markdown(parameters.in_layout(f"{why}\n\n{constant}"))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "base", "constant", "subtract")


def temperature(parameters: SoftmaxAxes, example):
    tokens, key_tokens = softmaxes.names_of(parameters, example)
    asks, shares = softmaxes.weights_by_temperature(parameters, example)
    st.markdown(parameters.in_layout(temperature_text(shares, tokens[asks], key_tokens, parameters.decimals)))
    widgets.draw(parameters, "temperature")
    charts.shares(list(shares.values()), [f"T = {t:g}" for t in shares], key_tokens, key="temperatures")
    m = softmaxes.matrices(parameters, example)[parameters.axis]
    if softmaxes.has_numbers(m["weights"]):
        st.markdown(parameters.in_layout(evenness_text(m["weights"].values, m["entropies"].values)))
        equation([Line((m["weights"], Sign("entropy", arrow=True), m["entropies"]))], "spread", parameters)


def picture(parameters: SoftmaxAxes, example):
    weights = softmaxes.trace(parameters, example, parameters.axis).weights
    charts.shares(weights, *softmaxes.names_of(parameters, example), key="shares")


def mistakes(parameters: SoftmaxAxes, example):
    mistake_switch.show(parameters, example, example.attention())


PAGE = Page(
    module=__name__,
    parts=(
        reason,
        steps,
        overflow,
        arithmetic,
        choices,
        views.part_with_views({"axes": all_axes, "powers": powers, "temperature": temperature, "shares": picture}),
        mistakes,
        try_it,
    ),
    to_check=softmaxes.link_to_check,
    parameters=SoftmaxAxes,
    code=code,
    concept="Softmax axes",
    question="Which numbers must add up to 1: each row or each column?",
    group="The pieces",
    icon="percent",
    sources=(
        "[Vaswani et al. 2017, eq. 1](https://arxiv.org/abs/1706.03762)",
        "[Blanchard, Higham & Higham 2021, on computing softmax](https://doi.org/10.1093/imanum/draa038)",
        "Course notebook 000, the side note on softmax: its array is the twelve numbers",
    ),
)
