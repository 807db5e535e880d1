"""The page “A step of training”: backward from the loss to every matrix, and what the step changes."""

from dataclasses import replace

import streamlit as st

from attention_core.mistakes.backward import WRONG_GRADIENTS
from pages.shared import charts, controls, panel
from pages.shared.equation import equation, matrices_of, selected_cell
from pages.shared.frame import views
from pages.shared.site.page import Page
from pages.shared.state import widgets
from pages.shared.task_block.block import TaskParameters, try_it
from pages.training_step import board, comparisons, state
from pages.training_step.code import code
from pages.training_step.state import MOST_STEPS, TEXTS, training_state

WAYS = ("row", "back")  # the views that show the steps of the way back
SETTINGS = ("token", "target", "rate", "learns", "times", "mask")
MANY = 10  # how many steps one press of a button takes


@controls.declare(TEXTS)
class TrainingStep(TaskParameters):
    """The parameters of the page “A step of training”."""

    token: int = controls.word()
    target: int = controls.column(default=1)
    rate: float = controls.live_slider(0.01, 3.0, step=0.01, default=0.3, setting="rate")
    taken: int = controls.slider(0, MOST_STEPS, step=1, default=0)
    learns: str = controls.choice("all", "what", "where")
    times: str = controls.choice("1", "10")
    mask: str = controls.choice("none", "causal")
    look: str = controls.choice("row", "losses", "back", "jacobian", "learned", "check")
    step: str = controls.choice(*board.STEPS)
    wrong: str = controls.switches({wrong.name: wrong.title for wrong in WRONG_GRADIENTS})


def way_back(parameters: TrainingStep, example):
    """Draw one step of the way back from the loss: the gradients of one row, or of all rows."""
    shown = board.step_shown(parameters)
    panel.draw(replace(parameters, step=shown), "way", "step")
    here, m = training_state(parameters, example), _matrices(parameters, example)
    key, lines = board.lines_of_step(shown, m, here.trace, example, parameters)
    equation(lines, key, parameters, place="way", aligned=key != "row", tools=_can_be_changed(lines))
    st.markdown(_text_of_step(shown, key, parameters, here, example))


def _text_of_step(step, key, parameters, here, example):
    if step == board.FIRST:
        return state.why(here, example.tokens[parameters.token], _columns(example)[parameters.target])
    if key == "row":
        return board.row_text(step, here.trace, example, parameters)
    return state.step_text(step, here.trace, parameters)


def _can_be_changed(lines):
    return any(matrix.editable for matrix in matrices_of(lines))


def training(parameters: TrainingStep, example):
    panel.draw(parameters, "training", *_step_buttons(parameters), "taken")
    begins = parameters.look in WAYS and board.step_shown(parameters) == board.FIRST  # its text says what a step does
    does = "" if begins else TEXTS.fill("what_a_step_does")
    st.markdown(f"{does} {state.progress_text(training_state(parameters, example))}")
    selected_cell.hint_and_arithmetic(example.tokens, example.key_tokens, parameters)


def _step_buttons(parameters):
    """Return four buttons: back to the beginning, one step back, one step on, and several steps on."""
    taken = parameters.taken
    ways = (
        ("start_again", 0, "restart_alt"),
        ("one_step_back", max(taken - 1, 0), "arrow_back"),
        ("one_step", min(taken + 1, MOST_STEPS), "arrow_forward"),
        ("many_steps", min(taken + MANY, MOST_STEPS), "fast_forward"),
    )
    return [
        panel.button(parameters, TEXTS.fill(section, many=MANY), {"taken": to}, icon=icon, disabled=to == taken)
        for section, to, icon in ways
    ]


def settings(parameters: TrainingStep, example):
    """Draw the settings of the training in a fold, which says what the visitor has changed there."""
    usual = TrainingStep()
    changed = sum(getattr(parameters, name) != getattr(usual, name) for name in SETTINGS)
    label = TEXTS.fill("settings_changed" if changed else "settings", changed=changed)
    fold = st.expander(label, icon=":material/tune:", key="training_settings", on_change="rerun")
    if not fold.open:
        return
    with fold:
        token = panel.token(parameters, "token", example.tokens)
        target = panel.token(parameters, "target", _columns(example))
        rate = ["rate"] * (parameters.look != "losses")  # this view has it above its equation
        panel.draw(parameters, "settings", token, target, *rate, "learns", "times", "mask")


def losses(parameters: TrainingStep, example):
    here, m = training_state(parameters, example), _matrices(parameters, example)
    after = board.matrices_after_step(here.example, here.trace, parameters.rate)
    st.markdown(state.one_step_further_text(parameters, here, after["loss"]))
    equation(board.next_step_lines(m, after), "further", parameters, aligned=True)
    charts.losses(here.losses, parameters.taken, key="losses")


def through_softmax(parameters: TrainingStep, example):
    here, m = training_state(parameters, example), _matrices(parameters, example)
    aim, token = here.trace.aim, example.tokens[here.trace.aim.token]
    st.markdown(TEXTS.fill("each_score_changes_every_weight", token=token))
    equation([board.jacobian_line(m, aim.token)], "jacobian", parameters)
    found = comparisons.sharpness(here.example, aim)
    st.markdown(f"{comparisons.large_scores_text(found, token)}\n\n{comparisons.sharpness_table(found)}")


def what_learns(parameters: TrainingStep, example):
    here = training_state(parameters, example)
    found = comparisons.changes_by_learned_matrices(here.example, here.trace.aim, parameters.rate)
    st.markdown(comparisons.learned_text(found))


def check(parameters: TrainingStep, example):
    here = training_state(parameters, example)
    found = comparisons.nudge_each_matrix(here, comparisons.chosen_weight(parameters.cell, here))
    st.markdown(comparisons.checked_text(found, parameters.columns))
    m = _matrices(parameters, example)
    equation([board.learned_line(m)], "projections", parameters, tools=True)
    st.markdown(state.errors_text(here.trace))


def mistakes(parameters: TrainingStep, example):
    st.markdown(TEXTS.fill("what_goes_wrong"))
    widgets.draw(parameters, "wrong")
    here, wrong = training_state(parameters, example), state.chosen_mistake(parameters.wrong)
    state.show(parameters, here, _matrices(parameters, example), parameters.rate, wrong)


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
        views.part_with_views(
            {
                "row": way_back,
                "losses": losses,
                "back": way_back,
                "jacobian": through_softmax,
                "learned": what_learns,
                "check": check,
            },
            of_views={"losses": lambda parameters, example: ("rate",)},
            last=False,
        ),
        training,
        settings,
        mistakes,
        try_it,
    ),
    parameters=TrainingStep,
    code=code,
)
