"""A step of training: from the loss back to every matrix, and what the step changes."""

import streamlit as st

from pages.shared import charts, controls
from pages.shared.codes.training_step import code
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.lessons.training_step import backward_pass, board, comparisons, reasons, wrong_gradients
from pages.shared.lessons.training_step.state import MOST_STEPS, training_state
from pages.shared.notation.glossary import define
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.task_block.block import Practised, try_it

RATES = {rate: rate for rate in ("0.01", "0.03", "0.1", "0.3", "1")}
MANY = 10  # steps at a time


@controls.declare
class TrainingStep(Practised):
    """What can be set on this page."""

    token: int = controls.word("Whose output counts?")
    target: int = controls.column("What should it say?", default=1)
    rate: str = controls.choice("Learning rate", RATES, default="0.3")
    taken: int = controls.slider("Steps taken", 0, MOST_STEPS, step=1, default=0)
    learns: str = controls.choice(
        "What learns", {"all": "All three matrices", "what": "Values alone", "where": "Queries and keys alone"}
    )
    times: str = controls.choice("Scores", {"1": "÷ √d_k", "10": "÷ √d_k, × 10"})
    mask: str = controls.choice("Mask", {"none": "None", "causal": "Causal"})
    look: str = controls.choice(
        "What to look at",
        {
            "back": "The way back",
            "jacobian": "Through the softmax",
            "learned": "What each matrix learns",
            "check": "Is it right?",
        },
    )
    wrong: str = wrong_gradients.wrong_gradient()


def why(parameters: TrainingStep, example):
    here = training_state(parameters, example)
    st.markdown(reasons.why(here, example.tokens[parameters.token], _columns(example)[parameters.target]))
    m = _matrices(parameters, example)
    equation([board.loss_line(m, here.trace.aim.token)], "loss", parameters, tools=True)
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def training(parameters: TrainingStep, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw_token(parameters, "token", example.tokens)
        widgets.draw_token(parameters, "target", _columns(example))
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        _steps(parameters)
        widgets.draw(parameters, "taken", width=220)
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw(parameters, "rate", "learns", "times", "mask")
    here = training_state(parameters, example)
    st.markdown(reasons.progress(here))
    charts.losses(here.losses, parameters.taken, key="losses")


def _steps(parameters):
    """One step on, several, one back, and to the beginning."""
    taken = parameters.taken
    for label, to, icon in (
        ("Start again", 0, "restart_alt"),
        ("One step back", max(taken - 1, 0), "arrow_back"),
        ("One step", min(taken + 1, MOST_STEPS), "arrow_forward"),
        (f"{MANY} steps", min(taken + MANY, MOST_STEPS), "fast_forward"),
    ):
        widgets.step_button(label, "taken", to, icon=f":material/{icon}:", disabled=to == taken)


def way_back(parameters: TrainingStep, example):
    here, m = training_state(parameters, example), _matrices(parameters, example)
    for key, lines in board.boards(m, here.trace).items():
        st.markdown(backward_pass.step_text(key, here.trace, parameters))
        equation(lines, key, parameters, aligned=True)


def through_softmax(parameters: TrainingStep, example):
    here, m = training_state(parameters, example), _matrices(parameters, example)
    aim, token = here.trace.aim, example.tokens[here.trace.aim.token]
    st.markdown(
        f"## Every share answers to every score\n\nRaise one score, and its share grows while all others shrink. The "
        f"{define('Jacobian')} of the row of “{token}” says by how much:\n\n"
        "$$\nJ_{ij} = a_i \\, ([i = j] - a_j)\n$$"
    )
    equation([board.jacobian_line(m, aim.token)], "jacobian", parameters)
    found = comparisons.sharpness(here.example, aim)
    st.markdown(f"{comparisons.what_large_scores_do(found, token)}\n\n{comparisons.sharpness_table(found)}")


def what_learns(parameters: TrainingStep, example):
    here = training_state(parameters, example)
    found = comparisons.changes_by_side(here.example, here.trace.aim, float(parameters.rate))
    st.markdown(
        "## $W^V$ learns what, $W^Q$ and $W^K$ learn where to look\n\nThe output is $A V$, and can change in "
        "two ways: what the tokens hand over, or who is looked at. Let one side learn alone. Where $W^V$ learns alone, "
        f"no weight of $A$ moves; where $W^Q$ and $W^K$ do, no value moves.\n\n{comparisons.learned_table(found)}"
    )


def check(parameters: TrainingStep, example):
    here = training_state(parameters, example)
    found = comparisons.nudge_each_matrix(here, comparisons.chosen_weight(parameters.cell, here))
    st.markdown(
        f"## Change one weight by {comparisons.BY}, and compare\n\nA gradient foretells what the loss does when a "
        "number moves a little. So move it, and see: that needs no formula of the way back. Of each matrix the weight "
        "with the greatest gradient is moved; select another to move that one.\n\n"
        f"{comparisons.checked_table(found, parameters.columns)}"
    )
    m = _matrices(parameters, example)
    equation([board.learned_line(m)], "projections", parameters)


def mistakes(parameters: TrainingStep, example):
    st.markdown(
        "## What goes wrong\n\nThe output is right, so nothing complains: these mistakes are in the gradients alone. "
        "*Is it right?* above is how to look for them: move a weight by a little, and compare."
    )
    widgets.draw(parameters, "wrong")
    here, wrong = training_state(parameters, example), wrong_gradients.chosen_mistake(parameters.wrong)
    wrong_gradients.show(parameters, here, _matrices(parameters, example), float(parameters.rate), wrong)


def _matrices(parameters, example):
    here = training_state(parameters, example)
    m = board.training_matrices(here.example, here.trace)
    return board.without_editing(m, board.learned_names(parameters.learns, parameters.taken))


def _columns(example):
    return controls.controls_of(TrainingStep)["target"].names(example)


PAGE = Page(
    module=__name__,
    parts=(
        why,
        training,
        views.look_at({"back": way_back, "jacobian": through_softmax, "learned": what_learns, "check": check}),
        mistakes,
        try_it,
    ),
    parameters=TrainingStep,
    code=code,
    concept="A step of training",
    question="What does a step of training change?",
    group="Learning",
    icon="trending_down",
    sources=(
        "[Rumelhart, Hinton & Williams 1986, on learning by going back](https://doi.org/10.1038/323533a0)",
        "[Dao et al. 2022, appendix B.2, the gradient of attention](https://arxiv.org/abs/2205.14135)",
    ),
)
