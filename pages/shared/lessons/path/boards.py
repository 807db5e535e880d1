"""Draw the picture of a screen of the path, before the guess and after it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from attention_core.examples import Example
from pages.shared.equation import Line, Matrix, equation, matrices_of
from pages.shared.lessons.path.block import block_bars_html, block_flow_html, block_table
from pages.shared.lessons.path.boxes import box_lines, draw_boxes
from pages.shared.lessons.path.later_boards import LATER_BOARDS
from pages.shared.lessons.path.next_word import (
    added_output_lines,
    loss_table,
    next_lines,
    nudge_table,
    probabilities_html,
    query_matrix_lines,
    step_formula,
)
from pages.shared.lessons.path.story_boards import STORY_BOARDS, TRIALS, Board
from pages.shared.lessons.path.tables import (
    experiment_bars,
    experiment_table,
    hidden_word_table,
    mistakes_code,
    mistakes_table,
)
from pages.shared.notation.prose import code_html
from pages.shared.scene_files.screens import Screen
from pages.shared.state.places import reserve_container
from pages.shared.words import words

BOARDS: dict[str, Board] = {**STORY_BOARDS, **LATER_BOARDS, "next": next_lines, "brings": added_output_lines}
LOSS_DECIMALS = 3  # fewer would hide what one step of training changes
FIT_A_PHONE = 7  # columns of two decimals; a phone does not show further columns
KEY = "board"  # the key of the only equation on a screen
ONE_ROW = ("softmax", "random", "loss", "step", "experiment")  # boards that are one row before the guess


def draw_board(screen: Screen, parameters: Any, example: Example, *, revealed: bool) -> None:
    """Draw the picture of a screen. `revealed` says whether the visitor has made a guess.

    Before the guess, nothing in the picture can be changed.
    """
    if screen.board in OTHERS:
        OTHERS[screen.board](parameters, example, revealed)
    elif lines := lines_of(screen, example, revealed=revealed, tries=parameters.tries):
        equation(lines, KEY, parameters, tools=can_be_changed(lines))
        if any(matrix.values.shape[1] > FIT_A_PHONE for matrix in matrices_of(lines)):
            st.html('<p class="swipe">Swipe the matrix sideways to see its last columns.</p>')


def is_above_question(screen: Screen, *, revealed: bool) -> bool:
    """Return whether the picture of a screen is drawn above its question.

    This is so if the picture has only one row of numbers and the answer is not yet shown (`revealed`).
    """
    return screen.board in ONE_ROW and not revealed


def draw_further_equations(screen: Screen, parameters: Any, example: Example) -> None:
    """Draw further equations that the visitor can change, if the screen has some.

    They are for screens whose own picture cannot be changed.
    """
    if screen.board in TRIALS:
        equation(TRIALS[screen.board](example), "trial", parameters, tools=True)


def can_be_changed(lines: Sequence[Line]) -> bool:
    """Say whether a visitor can change at least one number of the equations `lines`."""
    return any(matrix.editable for matrix in matrices_of(lines))


def lines_of(screen: Screen, example: Example, *, revealed: bool, tries: int) -> Sequence[Line]:
    """Return the equations of a screen's picture. Before the guess (if not `revealed`), they cannot be changed.

    `tries` says how often the visitor has pressed the button of “Try it”.
    """
    lines = BOARDS[screen.board](example, revealed, tries)
    return lines if revealed else [_without_editing(line) for line in lines]


def _without_editing(line: Line) -> Line:
    return replace(line, items=tuple(item.read_only() if isinstance(item, Matrix) else item for item in line.items))


def _draw_sentence(parameters: Any, example: Example, revealed: bool) -> None:
    """Draw the sentence of the example.

    Before the guess, the visitor cannot change “thirsty” to “sour”, because this change would show the answer.
    """
    shown = example if revealed else replace(example, sentence=example.sentence.replace("{thirsty|sour}", "thirsty"))
    words(shown, example.attention().weights, "sentence", parameters)


def _draw_boxes(parameters: Any, example: Example, revealed: bool) -> None:
    """Draw all steps of attention as boxes. After the guess, also draw the matrix of the chosen box."""
    draw_boxes(example, parameters.box, revealed=revealed)
    with reserve_container("numbers"):
        if revealed:
            lines = box_lines(example, parameters.box)
            equation(lines, KEY, parameters, tools=True)


def _draw_mistakes(parameters: Any, example: Example, revealed: bool) -> None:
    st.html(code_html(mistakes_code()))
    if revealed:
        hidden = hidden_word_table(parameters.decimals) if parameters.tries % 2 else ""
        st.markdown(f"{mistakes_table(parameters.decimals)}\n\n{hidden}")


def _draw_experiment(parameters: Any, example: Example, revealed: bool) -> None:
    cut = revealed and bool(parameters.tries % 2)
    st.html(experiment_bars(parameters.decimals, revealed=revealed, cut=cut))
    if revealed:
        st.markdown(experiment_table(parameters.decimals, cut=cut))


def _draw_block(parameters: Any, example: Example, revealed: bool) -> None:
    whole = revealed and bool(parameters.tries % 2)
    st.html(block_bars_html(whole=whole) if revealed else block_flow_html())
    st.markdown(block_table(revealed=revealed, whole=whole))


def _draw_loss(parameters: Any, example: Example, revealed: bool) -> None:
    decimals = max(parameters.decimals, LOSS_DECIMALS)
    st.markdown(loss_table(decimals, revealed=revealed, tries=parameters.tries))


def _draw_step(parameters: Any, example: Example, revealed: bool) -> None:
    decimals = max(parameters.decimals, LOSS_DECIMALS)
    st.markdown(nudge_table(decimals))
    if revealed:
        equation(query_matrix_lines(), KEY, parameters)
        st.markdown(f"One step: old number − rate · gradient = new number, {step_formula(decimals)}")
        st.html(probabilities_html(parameters.tries, decimals))


# The functions that draw pictures with no equation, or with several.
OTHERS: Mapping[str, Callable[[Any, Example, bool], None]] = {
    "sentence": _draw_sentence,
    "boxes": _draw_boxes,
    "block": _draw_block,
    "loss": _draw_loss,
    "step": _draw_step,
    "mistakes": _draw_mistakes,
    "experiment": _draw_experiment,
}
