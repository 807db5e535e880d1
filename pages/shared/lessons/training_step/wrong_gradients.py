"""The mistakes of the backward pass: their switches, the wrong gradients beside the correct ones, and their effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.training import Aim, TrainingTrace, train
from attention_core.gradients.self_attention import SelfAttentionGradient
from attention_core.mistakes.backward import WRONG_GRADIENTS, WrongGradient
from pages.shared.controls import Parameters, switches
from pages.shared.equation import Line, Matrix, equation, selected_cell
from pages.shared.lessons.training_step.reasons import greatest
from pages.shared.lessons.training_step.state import MOST_COMPARED, TrainingState
from pages.shared.mistake_switch import source_of
from pages.shared.mistake_switch.switch import ROUNDING
from pages.shared.notation.latex import symbol_of
from pages.shared.notation.numbers import small
from pages.shared.notation.prose import typeset
from pages.shared.notation.tables import markdown_table
from pages.shared.state.places import reserve_container

GRADIENTS = ("w_q", "w_k", "w_v")


def wrong_gradient_switches() -> Any:
    """Declare the control that switches on a mistake of the backward pass."""
    return switches("Switch a mistake on", {wrong.name: wrong.title for wrong in WRONG_GRADIENTS})


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
    """Draw the explanation of a mistake, its gradients beside the correct ones, and how it changes the loss.

    If `wrong` is None, draw nothing. `m` holds the matrices by name, and `rate` is the learning rate.
    """
    with reserve_container("mistake"):
        if wrong is None:
            return
        said = f"**{wrong.title}.** {typeset(wrong.why)}"
        st.markdown(f"{parameters.in_layout(said)}\n\n{parameters.display(wrong.formula)}")
        try:
            found = wrong_gradients(wrong, training.trace)
        except ValueError as error:
            st.warning(f"This mistake cannot be computed here. {error}", icon=":material/block:")
            return
        _draw_comparison(parameters, training, m, found)
        st.markdown(_verdict_text(wrong, training, found, rate))
        if wrong.sources:
            st.caption("Seen in: " + ", ".join(map(source_of, wrong.sources)))


@cache_recent
def overview_table(trace: TrainingTrace) -> str:
    """Return a Markdown table of how much each mistake would change the gradient of each learned matrix."""
    head = ("off by up to", *(f"in ${symbol_of(f'grad_{name}')}$" for name in GRADIENTS))
    return markdown_table(head, [(wrong.title, *_change_texts(wrong, trace)) for wrong in WRONG_GRADIENTS])


def _change_texts(wrong: WrongGradient, trace: TrainingTrace) -> list[str]:
    try:
        found = wrong_gradients(wrong, trace)
    except ValueError:
        return ["cannot run" for _ in GRADIENTS]
    return [small(0 if change < ROUNDING else change) for change in _greatest_errors(found, trace)]


def _greatest_errors(found: SelfAttentionGradient, trace: TrainingTrace) -> list[float]:
    """Return the greatest error of the gradients `found`, one for each learned matrix."""
    return [greatest(getattr(found, f"grad_{name}") - getattr(trace.back, f"grad_{name}")) for name in GRADIENTS]


def _draw_comparison(
    parameters: Parameters, training: TrainingState, m: Mapping[str, Matrix], found: SelfAttentionGradient
) -> None:
    ids = {f"grad_{name}" for name in GRADIENTS}
    right = [m[f"grad_{name}"].with_suffix(selected_cell.RIGHT_SUFFIX, ids) for name in GRADIENTS]
    with_mistake = [_with_mistake(m[f"grad_{name}"], getattr(found, f"grad_{name}"), ids) for name in GRADIENTS]
    label = "With the mistake: what it changes is underlined; point there for the right one"
    lines = [Line(tuple(map(Matrix.paired_with, with_mistake, right)), label), Line(tuple(right), "Right")]
    equation(lines, "wrong", parameters, aligned=True)
    selected_cell.arithmetic_of_a_mistake(training.example.tokens, training.example.key_tokens, parameters)


def _with_mistake(matrix: Matrix, values: np.ndarray, ids: set[str]) -> Matrix:
    return replace(matrix, values=values, right=matrix.values).with_suffix(selected_cell.MISTAKE_SUFFIX, ids)


def _verdict_text(wrong: WrongGradient, training: TrainingState, found: SelfAttentionGradient, rate: float) -> str:
    """Return a text that says how wrong the gradients are, and how the mistake changes the loss after 50 steps."""
    off = max(_greatest_errors(found, training.trace))
    if off < ROUNDING:
        return f"Here it changes **nothing**. {wrong.needs}".rstrip()
    right, with_mistake = (_loss_after(training.example, training.trace.aim, rate, each) for each in (None, wrong))
    return (
        f"The gradients are off by up to {small(off)}. After {MOST_COMPARED} more steps the loss is "
        f"**{small(with_mistake)}** with the mistake, and {small(right)} without."
    )


@cache_recent
def _loss_after(example: Example, aim: Aim, rate: float, wrong: WrongGradient | None) -> float:
    backward_pass = {"backward_pass": wrong.gradient} if wrong else {}
    return float(train(example, aim, lr=rate, steps=MOST_COMPARED, **backward_pass).losses[-1])
