"""The page “Scaling”: why scores are divided by the root of d_k, and by no other number."""

import streamlit as st

from attention_core.experiments.saturation import saturation, swapped_pairs
from attention_core.experiments.scores import WIDTHS
from pages.scaling import lesson
from pages.scaling.code import code
from pages.shared import charts, controls, mistake_switch
from pages.shared.equation import Line, Sign, equation, selected_cell
from pages.shared.equation.matrices import attention_matrices
from pages.shared.frame import views
from pages.shared.notation.glossary import define
from pages.shared.site.menu import link
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.task_block.block import TaskParameters, try_it

DRAWS = (100, 300, 1000, 3000, 10_000, 30_000, 100_000)
MOST_SEEDS = 10_000
SOFTMAX = Sign("softmax", arrow=True)
MAKE_SCORES = ("x", "context", "w_q", "w_k", "b_q", "b_k")


@controls.declare
class Scaling(TaskParameters):
    """The parameters of the page “Scaling”."""

    look: str = controls.choice(
        "What to look at",
        {
            "divided": "One token",
            "tokens": "All tokens",
            "draws": "Thousands of random scores",
            "weights": "What it does to learning",
            "beliefs": "Two wrong beliefs",
        },
    )
    distribution: str = controls.choice(
        "Features drawn",
        {"normal": "Standard normal", "uniform": "Uniform, 0 to 1", "correlated": "Correlated q and k"},
    )
    d_k: int = controls.steps("Width of a key, d_k", WIDTHS, default=64)
    draws: int = controls.steps("Draws of q · k", DRAWS, default=10_000)
    correlation: float = controls.slider("Correlation of q and k", 0.0, 1.0, step=0.1, default=0.5)
    seed: int = controls.slider("Seed", 0, MOST_SEEDS - 1, step=1, default=0)
    mistake: str = mistake_switch.switches_of("scaling")


def reason(parameters: Scaling, example):
    st.markdown(lesson.why_divide(example, parameters.decimals))


def one_token(parameters: Scaling, example):
    """Draw the scores and the weights of one token for each divisor, and a chart of one of these weights.

    This is the token with the sharpest weights. The chart shows how its greatest weight changes with the score.
    """
    token = lesson.nudge_of_example(example).token
    lines = [
        Line((m["scaled"].row(token, "s'"), SOFTMAX, m["weights"].row(token, "a")), lesson.label(name, example))
        for name, m in lesson.divided_matrices(example).items()
    ]
    equation(lines, "divided", parameters, tools=True, abreast=parameters.columns)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters, editable=False)
    st.markdown(parameters.in_layout(f"{lesson.why_the_root()}\n\n{lesson.why_not_more(example, parameters.decimals)}"))
    charts.nudge(*lesson.weight_curves(example), key="nudge")


def all_tokens(parameters: Scaling, example):
    """Draw the example with each divisor: its weights, its output, and the matrices that can be edited."""
    traces = lesson.traces_of(example)
    m = attention_matrices(example, traces["root"])
    own = lesson.divided_matrices(example)
    meet = Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"]), "Every query times every key")
    equation([meet], "meet", parameters, tools=True)
    lines = [Line((o["scaled"], SOFTMAX, o["weights"]), lesson.label(name, example)) for name, o in own.items()]
    equation(lines, "divided", parameters)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)
    _say_how_sharp(parameters, traces)
    outputs = [Line((o["output"],), lesson.label(name, example)) for name, o in own.items()]
    given = tuple(m[name] for name in MAKE_SCORES if name in m and m[name].editable)
    to_change = [Line(given, "Change these")] if given else []
    equation([Line((m["v"],), "The values"), *outputs, *to_change], "taken", parameters, abreast=True)


def _say_how_sharp(parameters, traces):
    means = {name: f"{saturation(trace.scores, trace.scale).largest:.2f}" for name, trace in traces.items()}
    even = f"{saturation(traces['one'].scores, 0).largest:.2f}"
    st.markdown(
        parameters.in_layout(
            f"The largest weight of a row is **{means['one']}** on average after $\\div 1$, **{means['root']}** after "
            f"$\\div\\sqrt{{d_k}}$ and **{means['dk']}** after $\\div d_k$. If all weights were equal, it would be "
            f"{even}. The outputs follow below."
        )
    )


def draws(parameters: Scaling, example):
    st.markdown(
        "## Thousands of random scores\n\n"
        f"Suppose that the features of queries and keys are independent, with mean 0 and a {define('variance')} of 1. "
        "Then the product of two features also has a variance of 1. A score is a sum of $d_k$ products, and the "
        "variances of independent products add up. The spread, or standard deviation, is the root of the variance. "
        "Each bar counts the scores of its size; the line is what $\\sqrt{d_k}$ predicts."
    )
    lab = _laboratory(parameters)
    charts.spread(lab.histogram, lab.spread.predicted, key="spread")
    _how_numbers_are_drawn(parameters)
    sentences = [lesson.spread_text(lab.spread, parameters.d_k), lesson.assumption_text(lab.assumption)]
    if lab.runs:
        sentences.append(lesson.positive_numbers_text(lab.runs, parameters.d_k))
    st.markdown("\n\n".join(sentences))


def _how_numbers_are_drawn(parameters):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "distribution")
        widgets.draw(parameters, "d_k", "draws", width=220)
        if parameters.distribution == "correlated":
            widgets.draw(parameters, "correlation", width=220)
        again = (parameters.seed + 1) % MOST_SEEDS
        widgets.step_button("Draw again", "seed", again, icon=":material/casino:", disabled=False)


def learning(parameters: Scaling, example):
    lab = _laboratory(parameters)
    text = f"{lesson.MEASURES}{lesson.saturation_text(lab, parameters.distribution)}"
    st.markdown(parameters.in_layout(f"## What it does to learning\n\n{text}"))
    charts.saturations({lesson.DIVISORS[name]: s for name, s in lab.saturations.items()}, WIDTHS, key="saturations")
    _how_numbers_are_drawn(parameters)
    st.markdown(lesson.table(lab, lesson.DIVISORS, parameters.d_k))
    link(
        "training_step",
        "A step of training: what does it still learn if the scores are ten times as large?",
        {"times": "10", "look": "jacobian"},
        icon="trending_down",
    )


def beliefs(parameters: Scaling, example):
    traces = lesson.traces_of(example)
    scores = traces["one"].scores
    i = max(range(len(scores)), key=lambda row: scores[row].max())
    swapped = sum(swapped_pairs(scores, trace.weights) for trace in traces.values())
    order = (
        f"**“Scaling changes the order.”** It does not. The table has the weights of “{example.tokens[i]}”, with the "
        "highest score first. With each divisor, no weight is higher than the one above it. Of all pairs of keys, for "
        f"all tokens, {swapped} change their order."
    )
    overflow = f"**“Scaling prevents overflow.”** Suppose these scores were {lesson.HUGE:,} times as large. " + (
        "A plain softmax, which does not subtract the maximum, overflows, divided or not: ∞ ÷ ∞ is not a number (NaN). "
        "A softmax that subtracts the maximum does not overflow, even without division."
        if lesson.overflows(traces, i)
        else "Even then they are too small to overflow, divided or not."
    )
    st.markdown(
        f"## Two wrong beliefs\n\n{order}\n\n{lesson.order_table(example, traces, i)}\n\n"
        f"{overflow}\n\n{lesson.overflow_table(example, traces, i)}"
    )


def mistakes(parameters: Scaling, example):
    mistake_switch.show(parameters, example, example.attention())


def _laboratory(parameters):
    correlation = parameters.correlation if parameters.distribution == "correlated" else 0.0
    return lesson.measure_seed(parameters.distribution, parameters.draws, parameters.d_k, parameters.seed, correlation)


PAGE = Page(
    module=__name__,
    parts=(
        reason,
        views.part_with_views(
            {"divided": one_token, "tokens": all_tokens, "draws": draws, "weights": learning, "beliefs": beliefs}
        ),
        mistakes,
        try_it,
    ),
    to_check=lambda parameters, example: {"asked": "scaled"},
    parameters=Scaling,
    code=code,
    concept="Scaling",
    question="Why are the scores divided by the root of d_k?",
    sources=(
        "[Vaswani et al. 2017, section 3.2.1 and its footnote 4](https://arxiv.org/abs/1706.03762)",
        "[Ahn & Fessler 2003, on the standard error "
        "of a standard deviation](https://web.eecs.umich.edu/~fessler/papers/files/tr/stderr.pdf)",
        "Course notebooks 000 and 001 (the ten steps, which divide by 1), 003 and 004 (which draw numbers from 0 to 1)",
    ),
)
