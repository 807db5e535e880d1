"""A table of all gradients of the core, so that one test can check every gradient, and finite differences.

Finite differences measure a gradient without the core's formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st

from attention_core import (
    attend,
    attention_gradient,
    causal_mask,
    cross_entropy,
    cross_entropy_gradient,
    project_steps,
    projection_gradient,
    self_attention,
    self_attention_gradient,
    softmax_gradient,
    softmax_steps,
)
from strategies import random_numbers

Inputs = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class GradientCase:
    """A function of the core to test, the function that computes its gradient, and the axes of its inputs.

    `inputs` names the inputs and their axes, as in "x …nd, w de": each letter is an axis, and the sign … stands for the
    axes of a batch.
    """

    inputs: str  # "x …nd, w de"
    forward: Callable[..., Any]
    gradient: Callable[[Any, Any], Any]
    result: str = "output"  # the field of the trace that `upstream` is the gradient of

    @property
    def letters(self) -> dict[str, str]:
        """The letters of the axes of each input, by the name of the input."""
        return {name: axes for name, axes in (part.split() for part in self.inputs.split(", "))}

    def output(self, inputs: Inputs) -> np.ndarray:
        """Run the forward computation, and return the result whose gradient is tested."""
        return getattr(self.forward(**inputs), self.result)

    def back(self, inputs: Inputs, upstream: Any) -> Any:
        """Run the core's forward and backward computation, and return the gradients as one object of the core.

        `upstream` is the gradient of the result.
        """
        return self.gradient(self.forward(**inputs), upstream)

    def gradients_by_name(self, inputs: Inputs, upstream: Any) -> dict[str, np.ndarray]:
        """Return the gradient of each input, by the name of the input. `upstream` is the gradient of the result."""
        gradient = self.back(inputs, upstream)
        return {name: getattr(gradient, f"grad_{name}") for name in inputs}


def causal_attention(q, k, v):
    """Return the attention of these queries, keys and values under a causal mask."""
    return attend(q, k, v, mask=causal_mask(q.shape[-2], k.shape[-2]))


def next_word(logits):
    """Return the cross-entropy of logits, whose last axis holds the classes.

    The correct classes of the rows are 0, 1, 2, …, and after the last class again 0, 1, 2, …. Every third row is left
    out of the loss.
    """
    rows = np.arange(logits[..., 0].size).reshape(logits.shape[:-1])
    return cross_entropy(logits, rows % logits.shape[-1], rows % 3 != 2)


PROJECTIONS = "w_q dk, w_k dk, w_v de, b_q k, b_k k, b_v e"
OF_CONTEXT = "w_q dk, w_k ck, w_v ce, b_q k, b_k k, b_v e"

GRADIENT_CASES = {
    "softmax": GradientCase("x …nd", softmax_steps, softmax_gradient, "weights"),
    "softmax of columns": GradientCase(
        "x …nd", partial(softmax_steps, axis=-2, temperature=0.7, base=2), softmax_gradient, "weights"
    ),
    "projection": GradientCase("x …nd, w de, b e", project_steps, projection_gradient),
    "projection without bias": GradientCase("x …nd, w de", project_steps, projection_gradient),
    "attention": GradientCase("q …nk, k …mk, v …me", attend, attention_gradient),
    "causal attention": GradientCase("q …nk, k …mk, v …me", causal_attention, attention_gradient),
    "attention with an added mask": GradientCase("q …nk, k …mk, v …me, mask nm", attend, attention_gradient),
    "attention with added penalties": GradientCase("q …nk, k …mk, v …me, mask m", attend, attention_gradient),
    "self-attention": GradientCase(f"x …nd, {PROJECTIONS}", self_attention, self_attention_gradient),
    "cross-attention": GradientCase(f"x …nd, context …mc, {OF_CONTEXT}", self_attention, self_attention_gradient),
    "cross-entropy": GradientCase("logits …nd", next_word, cross_entropy_gradient, "loss"),
}


@st.composite
def sizes(draw):
    """Draw a length from 1 to 4 for each letter that stands for an axis. Return the lengths by letter."""
    return {letter: draw(st.integers(1, 4)) for letter in "nmdekc"}


def drawn_inputs(case: GradientCase, lengths: Mapping[str, int], seed: int, batch: tuple[int, ...] = ()) -> Inputs:
    """Return normal random numbers for every input of a case, by the name of the input.

    `lengths` holds the length of each axis by its letter, and `batch` the lengths of the axes of a batch.
    """
    return {
        name: random_numbers(*(batch if "…" in axes else ()), *(lengths[a] for a in axes if a != "…"), seed=seed + i)
        for i, (name, axes) in enumerate(case.letters.items())
    }


def drawn_upstream(case: GradientCase, inputs: Inputs, seed: int) -> np.ndarray:
    """Return normal random numbers in the shape of the result of a case."""
    return random_numbers(*case.output(inputs).shape, seed=seed + 100)


def finite_differences(
    case: GradientCase, inputs: Inputs, upstream: np.ndarray, name: str, step: float = 1e-5
) -> np.ndarray:
    """Return the gradient of Σ upstream · output for the input `name`, measured by finite differences.

    Each number of the input is increased and decreased by `step`.
    """

    def total(moved):
        return float((upstream * case.output({**inputs, name: moved})).sum())

    differences = np.zeros(inputs[name].shape)
    for index in np.ndindex(differences.shape):
        nudge = np.zeros(differences.shape)
        nudge[index] = step
        differences[index] = (total(inputs[name] + nudge) - total(inputs[name] - nudge)) / (2 * step)
    return differences


def check_present(gradient: np.ndarray | None) -> np.ndarray:
    """Check that a gradient is not None, and return it."""
    assert gradient is not None
    return gradient


def arrays_in(trace: Any):
    """Yield every array in a trace (the matrices of a computation), including the arrays of traces inside the trace."""
    for field in fields(trace):
        value = getattr(trace, field.name)
        if is_dataclass(value):
            yield from arrays_in(value)
        elif isinstance(value, np.ndarray):
            yield value
