"""The page “A step of training”: backward from the loss to every matrix, and what the step changes."""

import streamlit as st

from pages.shared import charts, controls
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.notation.glossary import define
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container
from pages.shared.task_block.block import TaskParameters, try_it
from pages.training_step import board, comparisons, state
from pages.training_step.code import code
from pages.training_step.state import MOST_STEPS, first_trace, training_state

RATES = {rate: rate for rate in ("0.01", "0.03", "0.1", "0.3", "1")}
MANY = 10  # how many steps one press of a button takes


@controls.declare
class TrainingStep(TaskParameters):
    """The parameters of the page “A step of training”."""

    token: int = controls.word("Which token’s output counts?")
    target: int = controls.column("Which column should be greatest?", default=1)
    rate: str = controls.choice("Learning rate", RATES, default="0.3")
    taken: int = controls.slider("Steps taken", 0, MOST_STEPS, step=1, default=0)
    learns: str = controls.choice(
        "What learns", {"all": "All three matrices", "what": "The values alone", "where": "Queries and keys alone"}
    )
    times: str = controls.choice("Scores", {"1": "÷ √d_k", "10": "÷ √d_k, × 10"})
    mask: str = controls.choice("Mask", {"none": "None", "causal": "Causal"})
    look: str = controls.choice(
        "What to look at",
        {
            "row": "One row",
            "losses": "How the loss falls",
            "back": "All gradients",
            "jacobian": "Through the softmax",
            "learned": "What each matrix learns",
            "check": "Are the gradients right?",
        },
    )
    wrong: str = state.wrong_gradient_switches()


def why(parameters: TrainingStep, example):
    here = training_state(parameters, example)
    st.markdown(state.why(here, example.tokens[parameters.token], _columns(example)[parameters.target]))
    m = _matrices(parameters, example)
    equation([board.loss_line(m, here.trace.aim.token)], "loss", parameters, tools=True)
    shows_learned = parameters.look in ("back", "check")
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters, editable=shows_learned)


def training(parameters: TrainingStep, example):
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        widgets.draw_token(parameters, "token", example.tokens)
        widgets.draw_token(parameters, "target", _columns(example))
        widgets.draw(parameters, "rate")
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        _draw_step_buttons(parameters)
        widgets.draw(parameters, "taken", width=220)
    st.markdown(state.progress_text(training_state(parameters, example)))


def _draw_step_buttons(parameters):
    """Draw four buttons: back to the beginning, one step back, one step on, and several steps on."""
    taken = parameters.taken
    for label, to, icon in (
        ("Start again", 0, "restart_alt"),
        ("One step back", max(taken - 1, 0), "arrow_back"),
        ("One step", min(taken + 1, MOST_STEPS), "arrow_forward"),
        (f"{MANY} steps", min(taken + MANY, MOST_STEPS), "fast_forward"),
    ):
        widgets.step_button(label, "taken", to, icon=f":material/{icon}:", disabled=to == taken)


def _draw_settings(parameters, *of_the_view):
    """Draw the widgets of the settings that the open view uses: `of_the_view` has their names.

    A setting that the visitor has changed is drawn in every view, because it changes the numbers everywhere.
    """
    usual = TrainingStep()
    with reserve_container("settings", beside=True):
        for name in ("learns", "times", "mask"):
            if name in of_the_view or getattr(parameters, name) != getattr(usual, name):
                widgets.draw(parameters, name)


def row_back(parameters: TrainingStep, example):
    here, m = training_state(parameters, example), _matrices(parameters, example)
    _draw_settings(parameters)
    st.markdown(parameters.in_layout(board.row_text(here.trace, example)))
    equation(board.row_lines(m, here.trace, example), "row", parameters)


def losses(parameters: TrainingStep, example):
    _draw_settings(parameters, "learns", "times", "mask")
    charts.losses(training_state(parameters, example).losses, parameters.taken, key="losses")


def way_back(parameters: TrainingStep, example):
    _draw_settings(parameters, "mask")
    here, m = training_state(parameters, example), _matrices(parameters, example)
    for key, lines in board.boards(m, here.trace).items():
        st.markdown(state.step_text(key, here.trace, parameters))
        equation(lines, key, parameters, aligned=True)


def through_softmax(parameters: TrainingStep, example):
    _draw_settings(parameters, "times")
    here, m = training_state(parameters, example), _matrices(parameters, example)
    aim, token = here.trace.aim, example.tokens[here.trace.aim.token]
    st.markdown(
        f"## Each score changes every weight of its row\n\nIf one score grows, its weight grows, and all other weights "
        f"of the row shrink. The {define('Jacobian')} of the weights $a$ of “{token}” says by how much:\n\n"
        "$$\nJ_{ij} = a_i \\, ([i = j] - a_j)\n$$\n\nHere $[i = j]$ is 1 if $i = j$, and 0 otherwise."
    )
    equation([board.jacobian_line(m, aim.token)], "jacobian", parameters)
    found = comparisons.sharpness(here.example, aim)
    st.markdown(f"{comparisons.large_scores_text(found, token)}\n\n{comparisons.sharpness_table(found)}")


def what_learns(parameters: TrainingStep, example):
    _draw_settings(parameters, "learns")
    here = training_state(parameters, example)
    found = comparisons.changes_by_learned_matrices(here.example, here.trace.aim, float(parameters.rate))
    st.markdown(
        "## $W^V$ learns the values, $W^Q$ and $W^K$ learn the attention weights\n\nThe output is $A V$, so it can "
        "change in two ways: through the values, or through the attention weights. If only $W^V$ learns, no number of "
        "$A$ changes. If only $W^Q$ and $W^K$ learn, no value changes.\n\n"
        f"{comparisons.learned_table(found)}"
    )


def check(parameters: TrainingStep, example):
    _draw_settings(parameters)
    here = training_state(parameters, example)
    found = comparisons.nudge_each_matrix(here, comparisons.chosen_weight(parameters.cell, here))
    st.markdown(
        f"## Change one number by {comparisons.BY}, and compare\n\nA gradient predicts how the loss changes when a "
        "number changes a little. You can test it without the backward pass: change the number, and compute the loss "
        "again. The table does this with the number of each matrix that has the greatest gradient. Select another "
        f"number below to test it.\n\n{comparisons.checked_table(found, parameters.columns)}"
    )
    m = _matrices(parameters, example)
    equation([board.learned_line(m)], "projections", parameters)
    changes = state.overview_table(here.trace)
    st.markdown(f"Each usual mistake changes the gradients by this much here:\n\n{changes}")


def mistakes(parameters: TrainingStep, example):
    st.markdown(
        "## What goes wrong\n\nThese mistakes change the gradients alone. The output stays right, so no error message "
        "appears. *Are the gradients right?* shows how to find them: change one number a little, and compare."
    )
    widgets.draw(parameters, "wrong")
    here, wrong = training_state(parameters, example), state.chosen_mistake(parameters.wrong)
    state.show(parameters, here, _matrices(parameters, example), float(parameters.rate), wrong)


def _matrices(parameters, example):
    here = training_state(parameters, example)
    m = board.training_matrices(here.example, here.trace, (example, first_trace(example, here.trace.aim)))
    return board.without_editing(m, board.learned_names(parameters.learns, parameters.taken))


def _columns(example):
    return controls.controls_of(TrainingStep)["target"].names(example)


PAGE = Page(
    module=__name__,
    parts=(
        why,
        training,
        views.part_with_views(
            {
                "row": row_back,
                "losses": losses,
                "back": way_back,
                "jacobian": through_softmax,
                "learned": what_learns,
                "check": check,
            }
        ),
        mistakes,
        try_it,
    ),
    parameters=TrainingStep,
    code=code,
    concept="A step of training",
    question="What does a step of training change?",
    sources=(
        "[Rumelhart, Hinton & Williams 1986, on learning by going back](https://doi.org/10.1038/323533a0)",
        "[Dao et al. 2022, appendix B.2, the gradient of attention](https://arxiv.org/abs/2205.14135)",
    ),
)
