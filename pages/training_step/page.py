"""The page “A step of training”: backward from the loss to every matrix, and what the step changes."""

import streamlit as st

from attention_core.mistakes.backward import WRONG_GRADIENTS
from pages.shared import charts, controls
from pages.shared.equation import equation, selected_cell
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container
from pages.shared.task_block.block import TaskParameters, try_it
from pages.training_step import board, comparisons, state
from pages.training_step.code import code
from pages.training_step.state import MOST_STEPS, TEXTS, training_state

MANY = 10  # how many steps one press of a button takes


@controls.declare(TEXTS)
class TrainingStep(TaskParameters):
    """The parameters of the page “A step of training”."""

    token: int = controls.word()
    target: int = controls.column(default=1)
    rate: str = controls.choice("0.01", "0.03", "0.1", "0.3", "1", default="0.3")
    taken: int = controls.slider(0, MOST_STEPS, step=1, default=0)
    learns: str = controls.choice("all", "what", "where")
    times: str = controls.choice("1", "10")
    mask: str = controls.choice("none", "causal")
    look: str = controls.choice("row", "losses", "back", "jacobian", "learned", "check")
    wrong: str = controls.switches({wrong.name: wrong.title for wrong in WRONG_GRADIENTS})


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
    for section, to, icon in (
        ("start_again", 0, "restart_alt"),
        ("one_step_back", max(taken - 1, 0), "arrow_back"),
        ("one_step", min(taken + 1, MOST_STEPS), "arrow_forward"),
        ("many_steps", min(taken + MANY, MOST_STEPS), "fast_forward"),
    ):
        label = TEXTS.fill(section, many=MANY)
        widgets.step_button(label, "taken", to, icon=f":material/{icon}:", disabled=to == taken)


def _draw_settings(parameters, *of_the_view):
    """Draw the settings of the open view, and those that the visitor has changed: they change all numbers."""
    usual = TrainingStep()
    with reserve_container("settings", beside=True):
        for name in ("learns", "times", "mask"):
            if name in of_the_view or getattr(parameters, name) != getattr(usual, name):
                widgets.draw(parameters, name)


def row_back(parameters: TrainingStep, example):
    here, m = training_state(parameters, example), _matrices(parameters, example)
    _draw_settings(parameters)
    st.markdown(board.row_text(here.trace, example, parameters))
    equation(board.row_lines(m, here.trace, example, parameters), "row", parameters)


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
    st.markdown(TEXTS.fill("each_score_changes_every_weight", token=token))
    equation([board.jacobian_line(m, aim.token)], "jacobian", parameters)
    found = comparisons.sharpness(here.example, aim)
    st.markdown(f"{comparisons.large_scores_text(found, token)}\n\n{comparisons.sharpness_table(found)}")


def what_learns(parameters: TrainingStep, example):
    _draw_settings(parameters, "learns")
    here = training_state(parameters, example)
    found = comparisons.changes_by_learned_matrices(here.example, here.trace.aim, float(parameters.rate))
    st.markdown(comparisons.learned_text(found))


def check(parameters: TrainingStep, example):
    _draw_settings(parameters)
    here = training_state(parameters, example)
    found = comparisons.nudge_each_matrix(here, comparisons.chosen_weight(parameters.cell, here))
    st.markdown(comparisons.checked_text(found, parameters.columns))
    m = _matrices(parameters, example)
    equation([board.learned_line(m)], "projections", parameters)
    st.markdown(state.errors_text(here.trace))


def mistakes(parameters: TrainingStep, example):
    st.markdown(TEXTS.fill("what_goes_wrong"))
    widgets.draw(parameters, "wrong")
    here, wrong = training_state(parameters, example), state.chosen_mistake(parameters.wrong)
    state.show(parameters, here, _matrices(parameters, example), float(parameters.rate), wrong)


def _matrices(parameters, example):
    here = training_state(parameters, example)
    m = board.training_matrices(here.example, here.trace)
    return board.without_editing(m, board.learned_names(parameters.learns, parameters.taken))


def _columns(example):
    return controls.controls_of(TrainingStep)["target"].names(example)


PAGE = Page(
    module=__name__,
    texts=TEXTS,
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
            },
            last=False,
        ),
        mistakes,
        try_it,
    ),
    parameters=TrainingStep,
    code=code,
)
