"""The state of a step of training, what the page says about it, and wrong gradients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from attention_core.caching import cache_recent, cache_up_to
from attention_core.examples import Example
from attention_core.experiments.training import (
    Aim,
    TrainedExample,
    TrainingTrace,
    train,
    train_at_the_end,
    training_trace,
)
from attention_core.gradients.attention import SelfAttentionGradient
from attention_core.mistakes.backward import WRONG_GRADIENTS, WrongGradient
from attention_core.turns import in_turn
from pages.shared.controls import Parameters
from pages.shared.equation import Line, Matrix, equation, selected_cell
from pages.shared.mistake_switch import ROUNDING, source_of
from pages.shared.notation.numbers import significant
from pages.shared.notation.prose import typeset
from pages.shared.notation.texts import texts_beside
from pages.shared.state.widgets import reserve_container

TEXTS = texts_beside(__file__)

MOST_STEPS = 200
KEPT_EVERY = 5  # steps: a later training continues from the last state that was kept
MOST_KEPT = 128
SMALL = 1000  # numbers in a matrix: many states of a larger one would take too much memory
MOST_COMPARED = 50  # a comparison shows the loss after so many more steps, and a mistake in large matrices after fewer
MOST_CHANGED = 2_000_000  # how many numbers of W^Q a comparison with a mistake may change in all its steps together


@dataclass(frozen=True, slots=True, eq=False)
class TrainingState:
    """The model, its results and its losses after the steps of training so far."""

    example: Example  # with the matrices as learned so far
    trace: TrainingTrace  # the trace with these matrices
    losses: np.ndarray  # before the first step, and after each step


def aim_of(parameters, example: Example) -> Aim:
    """Return the aim of the training, with the visitor's settings: the token, its target, and how the model learns."""
    return Aim(
        token=parameters.token % len(example.tokens),  # −1 stands for the last
        target=parameters.target,
        mask=parameters.mask,
        times=float(parameters.times),
        learns=parameters.learns,
    )


def training_state(parameters, example: Example) -> TrainingState:
    """Return the state of the training of an example after the steps that the visitor has taken so far."""
    return _state_after(example, aim_of(parameters, example), parameters.rate, parameters.taken)


@cache_recent
def _state_after(example: Example, aim: Aim, rate: float, taken: int) -> TrainingState:
    trained = _trained_example(example, aim, rate, taken)
    trace = training_trace(trained.example, aim) if taken else first_trace(example, aim)
    return TrainingState(trained.example, trace, trained.losses)


@cache_recent
def first_trace(example: Example, aim: Aim) -> TrainingTrace:
    """Return the trace of an example before its training."""
    return training_trace(example, aim)


def _trained_example(example: Example, aim: Aim, rate: float, taken: int) -> TrainedExample:
    if example.w_q.size > SMALL:
        return train_at_the_end(example, aim, lr=rate, steps=taken)
    return _continued(_stored_state(example, aim, rate, taken // KEPT_EVERY), aim, rate, taken % KEPT_EVERY)


@cache_up_to(MOST_KEPT)
def _stored_state(example: Example, aim: Aim, rate: float, number: int) -> TrainedExample:
    if number == 0:
        return train(example, aim, lr=rate, steps=0)
    return _continued(_stored_state(example, aim, rate, number - 1), aim, rate, KEPT_EVERY)


def _continued(before: TrainedExample, aim: Aim, rate: float, steps: int) -> TrainedExample:
    if steps == 0:
        return before
    more = train(before.example, aim, lr=rate, steps=steps)
    return TrainedExample(example=more.example, losses=np.concatenate([before.losses[:-1], more.losses]))


def why(training: TrainingState, token: str, feature: str) -> str:
    """Return a text that says what the output of `token` should learn, how wrong it is, and what a gradient is for."""
    share = float(training.trace.loss.probabilities[0, training.trace.aim.target])
    loss = float(training.trace.loss.loss)
    return TEXTS.fill("why", token=token, feature=feature, share=significant(share), loss=significant(loss))


def progress_text(training: TrainingState) -> str:
    """Return a text that says how the steps of training so far have changed the loss."""
    taken = len(training.losses) - 1
    if not taken:
        return TEXTS.fill("no_step_taken")
    first, last = significant(float(training.losses[0])), significant(float(training.losses[-1]))
    return TEXTS.fill("after_one_step" if taken == 1 else "after_steps", taken=taken, first=first, last=last)


def one_step_further_text(parameters: Any, training: TrainingState, after: Matrix) -> str:
    """Return a text that says where one more step of training takes the loss. `after` is the loss after this step."""
    now, then = significant(float(training.losses[-1])), significant(float(after.values[0, 0]))
    return parameters.say(TEXTS, "one_step_further", rate=parameters.rate, loss=now, next=then)


def greatest(values: np.ndarray) -> float:
    """Return the greatest magnitude of the numbers in a matrix."""
    return float(np.abs(values).max())


def step_text(key: str, trace: TrainingTrace, parameters: Parameters) -> str:
    """Return the heading of the step `key` of the backward pass, its reason, and its formula."""
    formula, hidden = parameters.display(_formula(key, trace)), np.isneginf(trace.forward.masked)
    if key != "softmax" or not hidden.any():
        return parameters.say(TEXTS, key, formula=formula)
    most = significant(greatest(trace.back.grad_scaled[hidden]))
    return parameters.say(TEXTS, "softmax_with_hidden_cells", formula=formula, hidden=int(hidden.sum()), greatest=most)


def _formula(key: str, trace: TrainingTrace) -> str:
    source = "X" if trace.forward.context is trace.forward.x else "C"
    times = "" if trace.aim.times == 1 else rf"{trace.aim.times:g} \, "
    return {
        "values": r"dA = dZ V^\top, \quad dV = A^\top dZ",
        "softmax": r"dS'_{ij} = A_{ij} \Big( dA_{ij} - \sum_c A_{ic} \, dA_{ic} \Big)",
        "size": rf"dS = {times}dS' / \sqrt{{d_k}}",
        "scores": r"dQ = dS K, \quad dK = dS^\top Q",
        "w_q": r"dW^Q = X^\top dQ",
        "w_k": rf"dW^K = {source}^\top dK",
        "w_v": rf"dW^V = {source}^\top dV",
    }[key]


GRADIENTS = ("w_q", "w_k", "w_v")


def chosen_mistake(name: str) -> WrongGradient | None:
    """Return the mistake with this name, or None if the name stands for no mistake."""
    return next((wrong for wrong in WRONG_GRADIENTS if wrong.name == name), None)


def wrong_gradients(wrong: WrongGradient, trace: TrainingTrace) -> SelfAttentionGradient:
    """Return the gradients that a mistake gives.

    Raises: ValueError if the mistake cannot be made with matrices of these shapes.
    """
    return wrong.gradient(trace.forward, trace.back.grad_output)


def is_possible(wrong: WrongGradient, trace: TrainingTrace) -> bool:
    """Return whether the mistake can be made with matrices of these shapes."""
    try:
        wrong_gradients(wrong, trace)
    except ValueError:
        return False
    return True


def show(
    parameters: Parameters, training: TrainingState, m: Mapping[str, Matrix], rate: float, wrong: WrongGradient | None
) -> None:
    """Draw a mistake, if one is on: its reason, its gradients beside the correct ones, and its effect on the loss."""
    with reserve_container("mistake"):
        if wrong is None:
            return
        said = f"**{wrong.title}.** {typeset(wrong.why)}"
        st.markdown(f"{parameters.in_layout(said)}\n\n{parameters.display(wrong.formula)}")
        try:
            found = wrong_gradients(wrong, training.trace)
        except ValueError as error:
            st.warning(TEXTS.fill("mistake_cannot_be_computed", error=str(error)), icon=":material/block:")
            return
        _draw_comparison(parameters, training, m, found)
        st.markdown(_verdict_text(wrong, training, found, rate))
        if wrong.sources:
            st.caption(TEXTS.fill("seen_in", sources=", ".join(map(source_of, wrong.sources))))


@cache_recent
def errors_text(trace: TrainingTrace) -> str:
    """Return a text with a table of how much each mistake would change the gradient of each learned matrix."""
    rows = [table_row(wrong.title, *_change_texts(wrong, trace)) for wrong in WRONG_GRADIENTS]
    return TEXTS.fill("errors_of_mistakes", errors="\n".join(rows))


def table_row(*cells: str) -> str:
    """Return a row of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def _change_texts(wrong: WrongGradient, trace: TrainingTrace) -> list[str]:
    try:
        found = wrong_gradients(wrong, trace)
    except ValueError:
        return [TEXTS.fill("cannot_run")] * len(GRADIENTS)
    return [significant(0 if change < ROUNDING else change) for change in _greatest_errors(found, trace)]


def _greatest_errors(found: SelfAttentionGradient, trace: TrainingTrace) -> list[float]:
    return [greatest(getattr(found, f"grad_{name}") - getattr(trace.back, f"grad_{name}")) for name in GRADIENTS]


def _draw_comparison(
    parameters: Parameters, training: TrainingState, m: Mapping[str, Matrix], found: SelfAttentionGradient
) -> None:
    ids = {f"grad_{name}" for name in GRADIENTS}
    right = [m[f"grad_{name}"].with_suffix(selected_cell.RIGHT_SUFFIX, ids) for name in GRADIENTS]
    with_mistake = [_with_mistake(m[f"grad_{name}"], getattr(found, f"grad_{name}"), ids) for name in GRADIENTS]
    changed = Line(tuple(map(Matrix.paired_with, with_mistake, right)), TEXTS.fill("with_the_mistake"))
    lines = [changed, Line(tuple(right), TEXTS.fill("right"))]
    equation(lines, "wrong", parameters, aligned=True)
    selected_cell.arithmetic_of_a_mistake(training.example.tokens, training.example.key_tokens, parameters)


def _with_mistake(matrix: Matrix, values: np.ndarray, ids: set[str]) -> Matrix:
    return replace(matrix, values=values, right=matrix.values).with_suffix(selected_cell.MISTAKE_SUFFIX, ids)


def _verdict_text(wrong: WrongGradient, training: TrainingState, found: SelfAttentionGradient, rate: float) -> str:
    """Return a text that says how wrong the gradients are, and how the mistake changes the loss after some steps."""
    off = max(_greatest_errors(found, training.trace))
    if off < ROUNDING:
        return TEXTS.fill("changes_nothing_without" if wrong.needs else "changes_nothing", needs=wrong.needs)
    steps = compared_steps(training.example)
    right, with_mistake = _losses_after(steps, training.example, training.trace.aim, rate, wrong)
    return TEXTS.fill(
        "changes_the_loss",
        off=significant(off),
        steps=steps,
        right_loss=significant(right),
        with_mistake=significant(with_mistake),
    )


def compared_steps(example: Example) -> int:
    """Return how many steps a training with a mistake may take."""
    return min(MOST_COMPARED, MOST_CHANGED // example.w_q.size)


@cache_recent
@in_turn
def _losses_after(steps: int, example: Example, aim: Aim, rate: float, wrong: WrongGradient) -> tuple[float, float]:
    right = train_at_the_end(example, aim, lr=rate, steps=steps)
    with_mistake = train(example, aim, lr=rate, steps=steps, backward_pass=wrong.gradient)
    return float(right.losses[-1]), float(with_mistake.losses[-1])
