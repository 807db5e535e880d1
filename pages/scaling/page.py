"""The page “Scaling”: why scores are divided by the root of d_k, and by no other number."""

import streamlit as st

from attention_core.experiments.scores import WIDTHS
from pages.scaling import lesson
from pages.scaling.code import code
from pages.scaling.lesson import SOFTMAX, TEXTS
from pages.shared import charts, controls, mistake_switch, panel
from pages.shared.equation import Line, equation, selected_cell
from pages.shared.equation.matrices import attention_matrices
from pages.shared.frame import views
from pages.shared.site.menu import link
from pages.shared.site.page import Page
from pages.shared.task_block.block import TaskParameters, try_it

DRAWS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)
MOST_SEEDS = 10_000
MAKE_SCORES = ("x", "context", "w_q", "w_k", "b_q", "b_k")


@controls.declare(TEXTS)
class Scaling(TaskParameters):
    """The parameters of the page “Scaling”."""

    look: str = controls.choice("divided", "tokens", "draws", "weights", "beliefs")
    distribution: str = controls.choice("normal", "uniform", "correlated")
    d_k: int = controls.steps(WIDTHS, default=64, setting="width")
    draws: int = controls.steps(DRAWS, default=10_000)
    correlation: float = controls.slider(0.0, 1.0, step=0.1, default=0.5)
    seed: int = controls.slider(0, MOST_SEEDS - 1, step=1, default=0)
    mistake: str = mistake_switch.switches_of("scaling")


def reason(parameters: Scaling, example):
    st.markdown(lesson.reason_text(parameters, example))


def one_token(parameters: Scaling, example):
    """Draw the token with the sharpest weights for each divisor, and how its greatest weight grows with its score."""
    token = lesson.nudge_of_example(example).token
    lines = [
        Line(
            (m["scaled"].row(token, "s'"), SOFTMAX, m["weights"].row(token, "a")),
            lesson.label(parameters, example, name),
        )
        for name, m in lesson.divided_matrices(example).items()
    ]
    equation(lines, "divided", parameters, tools=True, abreast=parameters.columns)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
    st.markdown(lesson.why_the_root_text(parameters, example))
    charts.nudge(*lesson.weight_curves(example), key="nudge")


def all_tokens(parameters: Scaling, example):
    """Draw the example with each divisor: its weights, its output, and the matrices that can be edited."""
    m = attention_matrices(example, lesson.traces_of(example)["root"])
    own = {lesson.label(parameters, example, name): each for name, each in lesson.divided_matrices(example).items()}
    scores = (m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"])
    equation([Line(scores, parameters.say(TEXTS, "line_of_scores"))], "meet", parameters, tools=True)
    lines = [Line((each["scaled"], SOFTMAX, each["weights"]), label) for label, each in own.items()]
    equation(lines, "divided", parameters)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
    st.markdown(lesson.how_sharp_text(parameters, example))
    values = Line((m["v"],), parameters.say(TEXTS, "line_of_values"))
    outputs = [Line((each["output"],), label) for label, each in own.items()]
    given = tuple(m[name] for name in MAKE_SCORES if name in m and m[name].editable)
    to_change = [Line(given, parameters.say(TEXTS, "line_to_change"))] if given else []
    equation([values, *outputs, *to_change], "taken", parameters, abreast=True)


def draws(parameters: Scaling, example):
    lines = lesson.random_row_lines(parameters)
    st.markdown(lesson.random_row_text(parameters, lines))
    equation(list(lines.values()), "random", parameters)
    _how_numbers_are_drawn(parameters)
    selected_cell.hint_and_arithmetic((TEXTS.fill("random_query"),), lesson.drawn_keys(), parameters)
    st.markdown(parameters.say(TEXTS, "random_scores"))
    lab = lesson.laboratory(parameters)
    charts.spread(lab.histogram, lab.spread.predicted, key="spread")
    st.markdown(lesson.measurements_text(parameters, lab))


def _how_numbers_are_drawn(parameters):
    correlation = ["correlation"] * (parameters.distribution == "correlated")
    again, label = (parameters.seed + 1) % MOST_SEEDS, parameters.say(TEXTS, "draw_again")
    draw_again = panel.button(parameters, label, {"seed": again}, icon="casino")
    panel.draw(parameters, "draws", "distribution", "d_k", "draws", *correlation, draw_again)


def learning(parameters: Scaling, example):
    lab = lesson.laboratory(parameters)
    st.markdown(lesson.learning_text(parameters, lab))
    charts.saturations({lesson.DIVISORS[name]: s for name, s in lab.saturations.items()}, WIDTHS, key="saturations")
    _how_numbers_are_drawn(parameters)
    st.markdown(lesson.learning_table(parameters, lab))
    large_scores = {"times": "10", "look": "jacobian"}
    link("training_step", parameters.say(TEXTS, "link_to_training"), large_scores, icon="trending_down")


def beliefs(parameters: Scaling, example):
    st.markdown(lesson.beliefs_text(parameters, example))


def mistakes(parameters: Scaling, example):
    mistake_switch.show(parameters, example, example.attention())


PAGE = Page(
    module=__name__,
    texts=TEXTS,
    parts=(
        reason,
        views.part_with_views(
            {"divided": one_token, "tokens": all_tokens, "draws": draws, "weights": learning, "beliefs": beliefs}
        ),
    ),
    below=(mistakes, try_it),
    to_check=lambda parameters, example: {"asked": "scaled"},
    parameters=Scaling,
    code=code,
)
