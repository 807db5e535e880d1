"""“Try it”: a task in words, and everything around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from attention_core.arithmetic import explain as explained
from attention_core.diagnosis.diagnose import Diagnosis, Finding
from attention_core.mistakes import Mistake
from attention_core.tasks.seeded import Task
from attention_core.tasks.task import Misreading, misreadings
from pages.shared.equation import equation, selected_cell
from pages.shared.notation.prose import typeset
from pages.shared.notation.symbols import matrix_id_of_stage
from pages.shared.rooms.own_room import Reference, offer_to_ask
from pages.shared.state import session, widgets
from pages.shared.task_block import answering, task_equation
from pages.shared.task_block.answering import Practice, Sheet, TaskParameters, blank_id, numbers_of, practice
from pages.shared.task_block.task_equation import lines, tokens_of

MOST_NAMED = 2  # mistakes that are named for one answer
SIZES = " There are {n} tokens. A token’s row has {d_model} numbers; each query and key has {d_k}."
WEIGHTS = "Compute the attention weights from the scores. Use a calculator for the powers of e."
TO_SIZE = f"Divide the scores by the right number.{SIZES}"
TOGETHER = "The outputs of two heads are given. What is the output of both heads together?"
ENCODE = "Compute the sinusoidal encoding of these positions: a sine, a cosine, a sine, and so on."
ACROSS = "Two tokens ask, and three tokens answer. Each query and key has {d_k} numbers."

# By concept and difficulty.
ASKS: Mapping[str, tuple[str, str, str]] = {
    "softmax_axes": (
        "Compute the attention weights from the scores, with powers of 2 instead of powers of e.",
        WEIGHTS,
        WEIGHTS,
    ),
    "queries_keys_values": (
        "Compute the queries.",
        "Compute the scores: how well does each query fit each key?",
        "The weights are given. What is the output of each token?",
    ),
    "scaling": (TO_SIZE, TO_SIZE, f"Divide the scores by the right number, and compute the weights.{SIZES}"),
    "attention": (
        "The weights are given. What is the output of each token?",
        "No token may attend to a later token. What are the weights?",
        "No token may attend to a later token. What is the output of each token?",
    ),
    "multi_head": (
        TOGETHER,
        TOGETHER,
        "There are two heads, each with its own values. What are their outputs, side by side?",
    ),
    "positional_encoding": (
        ENCODE,
        ENCODE,
        "The rows of the tokens plus the encodings of their positions go into the first layer. What are these sums?",
    ),
    "cross_attention": (
        "Two tokens ask, and three tokens answer. The weights are given. What is the output of each token that asks?",
        f"{ACROSS} What are the weights of each token that asks?",
        f"{ACROSS} What is the output of each token that asks?",
    ),
    "training_step": (
        "The weights of one token come from a softmax. What is the gradient of its scaled scores?",
        "The scores were divided by √d_k. Each query and key has {d_k} numbers. What is the gradient of the keys?",
        "The outputs are averages of the values, and $W^V$ makes the values from the tokens. What is $W^V$ "
        "after one training step with a learning rate of {rate:g}?",
    ),
    "next_word": (
        "Attention has added to these rows. Compute the logits: how well does each word fit as the next word?",
        "The next word is drawn with a temperature of 2. What is the probability of each word, for each row?",
        "The temperature is 2, and the 3 likeliest words are kept. What is the probability of each of the 4 words?",
    ),
}


def question_text(task: Task) -> str:
    """Return the sentence that says what the learner has to compute."""
    d_model, d_k = task.trace.x.shape[-1], getattr(task.trace, "k", task.correct_answer).shape[-1]
    sizes = {"n": len(task.trace.x), "d_model": d_model, "d_k": d_k, "rate": getattr(task.trace, "rate", 0)}
    return ASKS[task.concept][task.difficulty - 1].format(**sizes)


def verdict_text(task: Task, sheet: Sheet) -> str:
    """Return the verdict on an answer: how many cells are correct."""
    numbers = numbers_of(sheet.checked) if sheet.checked and not sheet.done else sheet.numbers
    marks = task.correct_cells(numbers)
    if marks.all():
        return "**All right.** Every cell is right, apart from the rounding of your steps."
    count = f"{int(marks.sum())} of {marks.size} cells are right."
    if sheet.missing:
        return (
            f"**This is the answer.** In yours, {int(marks.sum())} of {marks.size} cells were right, and "
            f"{_empty_cells(sheet)} empty."
        )
    again = "" if sheet.done else " Correct the cells with ✗, and press Commit again."
    return f"{_misread(task, numbers) or _finding_title(task.diagnose(numbers))} {count}{again}"


def misreading_of(task: Task, numbers: np.ndarray) -> Misreading | None:
    """Return the known misreading of the task that gives these numbers, or None."""
    return next((each for each in misreadings(task) if task.fits(each.answer, numbers)), None)


def _misread(task: Task, numbers: np.ndarray) -> str:
    found = misreading_of(task, numbers)
    return f"**Your numbers are those of a known mistake.** *{found.title}.* {typeset(found.why)}" if found else ""


def missing_cells_text(sheet: Sheet) -> str:
    """Return a sentence that says how many cells are still empty. A task with empty cells is not marked."""
    empty = _empty_cells(sheet, now=True)
    return f":material/info: {empty} still empty. Fill in every cell, then press Commit. A hint shows the first one."


def _empty_cells(sheet: Sheet, *, now: bool = False) -> str:
    one, several = ("is", "are") if now else ("was", "were")
    return f"1 cell {one}" if sheet.missing == 1 else f"{sheet.missing} cells {several}"


def score_text(practice: Practice) -> str:
    """Return a text that says how many of the tasks on this visit were solved, and how many in a row."""
    streak = f", {practice.streak} in a row" if practice.streak > 1 else ""
    return f"This visit: **{practice.right} of {practice.done}** right{streak}."


def _finding_title(found: Diagnosis) -> str:
    mistakes = [finding for finding in found.findings if finding.mistakes]
    if len(mistakes) > 1:
        each = "\n".join(f"- {_finding_text(finding)}" for finding in mistakes[:MOST_NAMED])
        return f"**These numbers fit several mistakes.** This task cannot show which one you made.\n\n{each}\n\n"
    if mistakes:
        return f"**Your numbers are those of a known mistake.** {_finding_text(mistakes[0])}"
    if any(finding.kind == "transposed" for finding in found.findings):
        return "**The numbers are right, but transposed.** Each row should be a column."
    for finding in found.findings:
        if finding.kind == "reordered":
            places = ", ".join(str(place + 1) for place in finding.order)
            return f"**The rows are right, but in another order.** From the top, you have rows {places} of the answer."
    return "**No usual mistake gives these numbers**, and no two of them together. Check the first wrong cell."


def _finding_text(finding: Finding) -> str:
    if len(finding.mistakes) == 1:
        return _mistake(finding.mistakes[0])
    return "Two mistakes together: " + " And: ".join(_mistake(mistake) for mistake in finding.mistakes)


def _mistake(mistake: Mistake) -> str:
    return f"*{typeset(mistake.title)}.* {typeset(mistake.why)}"


TWO_DECIMALS = "Two decimals are enough, also for the steps before the result. Fractions are allowed too."
INVITATION = "Try it: a task with new numbers, and the name of your mistake if you make one"


def try_it(parameters: TaskParameters, example: Any) -> None:
    """Draw the block “Try it”: a button that opens a task or, if one is open, this task with its blank matrix.

    `example` is not used, because every task has its own numbers.
    """
    answering.mark()
    task = answering.current_task()
    if task is None:
        st.button(INVITATION, icon=":material/edit_note:", key="practice.open", on_click=answering.open_task)
        return
    sheet = answering.sheet_of(task)
    number = f":gray[Task {task.seed}, difficulty {task.difficulty}.]"
    st.markdown(parameters.in_layout(f"## Try it\n\n**{question_text(task)}** {TWO_DECIMALS} {number}"))
    equation(lines(task, sheet), f"task.{task.seed}.{task.difficulty}", parameters, blank=answering)
    _draw_result(task, sheet, parameters)
    _buttons(task, sheet, parameters)


def _draw_result(task: Task, sheet: Sheet, parameters: TaskParameters) -> None:
    """Draw what follows the equation of a task: the verdict on the answer, a hint, and the calculation of a cell."""
    if sheet.done or sheet.checked:
        st.markdown(parameters.in_layout(verdict_text(task, sheet)))
    if sheet.hinted and not sheet.done and sheet.stage < task_equation.STAGES:
        st.markdown(f":material/lightbulb: {task_equation.hint_text(task, sheet.hinted, sheet.stage, parameters)}")
    if practice().refused == answering.key_of(task) and sheet.missing:
        st.markdown(missing_cells_text(sheet))
    place = _worked_place(task, sheet)
    if place:
        tokens, keys = tokens_of(task)
        selected_cell.card(
            selected_cell.arithmetic_text(
                explained(task.worked, matrix_id_of_stage(task.asked), place), tokens, keys, parameters
            )
        )


def _worked_place(task: Task, sheet: Sheet) -> tuple[int, int] | None:
    """Return the row and column of the cell whose calculation is shown, or None."""
    if not sheet.done:
        return sheet.hinted if sheet.stage == task_equation.STAGES else None
    chosen = session.visit().cell
    if chosen is None or chosen[0] != blank_id(task):
        return None
    rows, columns = task.correct_answer.shape
    return chosen[1:] if chosen[1] < rows and chosen[2] < columns else None


def _buttons(task: Task, sheet: Sheet, parameters: TaskParameters) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="practice"):
        if sheet.done:
            st.button("Show worked cell", icon=":material/calculate:", on_click=answering.show_calculation)
        else:
            st.button("Commit", icon=":material/task_alt:", type="primary", on_click=answering.commit)
            st.button("Hint", icon=":material/lightbulb:", on_click=task_equation.hint)
            st.button("Show the answer", icon=":material/visibility:", on_click=answering.show_answer)
        st.button("New task", icon=":material/refresh:", on_click=answering.open_task)
        widgets.draw(parameters, "difficulty")
        refusal = offer_to_ask("Ask the class", Reference("task", task.concept, task.seed, task.difficulty))
        st.button("Close", icon=":material/close:", type="tertiary", on_click=answering.close)
    if refusal:
        st.warning(refusal)
    if practice().done:
        st.caption(score_text(practice()))


__all__ = [
    "TaskParameters",
    "try_it",
]
