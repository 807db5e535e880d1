"""The page “Softmax axes”: which numbers must add up to 1, each row or each column?"""

import streamlit as st

from pages.shared import charts, controls, mistake_switch, panel
from pages.shared.controls.kinds import Rows
from pages.shared.equation import Line, Sign, equation, selected_cell
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.task_block.block import TaskParameters, try_it
from pages.softmax_axes import lesson
from pages.softmax_axes.code import code
from pages.softmax_axes.lesson import TEXTS

TWELVE_NUMBERS = ((1, 0.5, 0.2, 3), (1, -1, 7, 3), (2, 12, 13, 3))


@controls.declare(TEXTS)
class SoftmaxAxes(TaskParameters):
    """The parameters of the page “Softmax axes”."""

    scores: Rows = controls.matrix(TWELVE_NUMBERS)
    source: str = controls.choice("example", "undivided", "array")
    axis: str = controls.choice("rows", "columns", "whole")
    temperature: float = controls.live_slider(0.1, 10.0, step=0.1, default=1.0, setting="temperature")
    base: str = controls.choice("e", "2", "3")
    constant: int = controls.live_slider(-1000, 1000, step=10, default=0, setting="constant")
    subtract: bool = controls.switch(default=True)
    look: str = controls.choice("axes", "powers", "temperature", "shares")
    mistake: str = mistake_switch.switches_of("softmax_axes")


def reason(parameters: SoftmaxAxes, example):
    st.markdown(lesson.one_unit_text(parameters, example))


def steps(parameters: SoftmaxAxes, example):
    m = lesson.matrices(parameters, example)[parameters.axis]
    shares = (Sign("÷ Σ", arrow=True), m["weights"]) if lesson.has_numbers(m["weights"]) else ()
    line = Line(
        (lesson.given_scores(parameters, example), lesson.powers_sign(parameters), m["powers"], *shares),
        lesson.steps_text(parameters),
    )
    equation([line], "steps", parameters, tools=True)


def overflow(parameters: SoftmaxAxes, example):
    why = lesson.missing_weights_text(parameters, example)
    if why:
        st.markdown(why)
        label = TEXTS.words("subtract").label
        panel.draw(parameters, "healing", panel.button(parameters, label, {"subtract": True}, icon="healing"))


def arithmetic(parameters: SoftmaxAxes, example):
    names = lesson.names_of(parameters, example)
    selected_cell.hint_and_arithmetic(*names, parameters)


def below_bars(view: views.Part) -> views.Part:
    """Return a function that draws one line as bars, and then a view. They stand together, so that a slider is near."""

    def draw(parameters: SoftmaxAxes, example):
        lesson.draw_bars(parameters, example, [lesson.chosen_line(parameters, example)], "one")
        view(parameters, example)

    return draw


def all_axes(parameters: SoftmaxAxes, example):
    st.markdown(lesson.three_axes_text(parameters, example))
    names = TEXTS.words("axis", parameters.columns).options
    shares = {axis: m["weights"] for axis, m in lesson.matrices(parameters, example).items()}
    shown = [Line((m,), names[axis]) for axis, m in shares.items() if lesson.has_numbers(m)]
    if shown:
        equation(shown, "axes", parameters, abreast=True)


def powers(parameters: SoftmaxAxes, example):
    why, constant = lesson.why_powers_text(parameters, example), lesson.only_differences_text(parameters, example)
    st.markdown(f"{why}\n\n{constant}")


def temperature(parameters: SoftmaxAxes, example):
    tokens, keys = lesson.names_of(parameters, example)
    asks, weights = lesson.weights_by_temperature(parameters, example)
    st.markdown(lesson.temperature_text(parameters, weights, tokens[asks], keys))
    charts.shares(list(weights.values()), [f"T = {t:g}" for t in weights], keys, key="temperatures")
    m = lesson.matrices(parameters, example)[parameters.axis]
    if lesson.has_numbers(m["weights"]):
        st.markdown(lesson.evenness_text(parameters, m["weights"].values, m["entropies"].values))
        arrow = Sign(parameters.say(TEXTS, "arrow_to_entropies"), arrow=True)
        equation([Line((m["weights"], arrow, m["entropies"]))], "spread", parameters)


def picture(parameters: SoftmaxAxes, example):
    lesson.draw_bars(parameters, example, lesson.all_lines(parameters, example), "all")


def mistakes(parameters: SoftmaxAxes, example):
    mistake_switch.show(parameters, example, example.attention())


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(
        reason,
        steps,
        overflow,
        arithmetic,
        views.part_with_views(
            {
                "axes": below_bars(all_axes),
                "powers": below_bars(powers),
                "temperature": below_bars(temperature),
                "shares": picture,
            },
            lambda parameters, example: ("source", "axis"),
            {
                "powers": lambda parameters, example: ("base", "constant", "subtract"),
                "temperature": lambda parameters, example: ("temperature",),
            },
        ),
    ),
    below=(mistakes, try_it),
    to_check=lesson.link_to_check,
    parameters=SoftmaxAxes,
    code=code,
)
