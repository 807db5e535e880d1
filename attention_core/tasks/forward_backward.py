"""Attention with its backward pass, as the computation of a task, and the mistakes of the backward pass."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from attention_core.arithmetic import CellCalculations, Number, Operation, Term
from attention_core.arithmetic.building import cell_of
from attention_core.arithmetic.training_rules import forward_backward_rules
from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.gradients.optimizers import sgd_step
from attention_core.gradients.self_attention import SelfAttentionGradient, self_attention_gradient
from attention_core.mistakes.backward import WRONG_GRADIENTS, WrongGradient
from attention_core.tasks.own_steps import TaskComputation

RATE = 0.5  # the learning rate
LEARNED = "w_v_learned"  # the name of W^V after a step
BACK = "grad_"  # the name of a gradient begins with this, because `d_k` is already the name of a width


@dataclass(frozen=True, slots=True, eq=False)
class ForwardBackward(TaskComputation):
    """Attention with its backward pass, as the computation of a task."""

    forward: SelfAttentionTrace
    back: SelfAttentionGradient
    rate: float = RATE  # the learning rate

    @property
    def w_v_learned(self) -> Array:
        """W^V after one step of training."""
        return np.asarray(sgd_step(self.forward.w_v, self.back.grad_w_v, self.rate))

    @property
    def x(self) -> Array:
        """The tokens of the queries."""
        return self.forward.x

    @property
    def context(self) -> Array:
        """The tokens of the keys and values."""
        return self.forward.context

    @property
    def k(self) -> Array:
        """The keys."""
        return self.forward.k

    def matrix(self, name: str) -> Array:
        """Return the matrix with this name, such as "k" (the keys), "grad_k" (their gradient) or "w_v_learned"."""
        if name == LEARNED:
            return self.w_v_learned
        if name.startswith(BACK):
            return np.asarray(getattr(self.back, f"grad_{name[len(BACK) :]}"))
        return np.asarray(getattr(self.forward, name))

    def mistakes(self, names: Iterable[str]) -> tuple[GradientMistake, ...]:
        """Return the mistakes of the backward pass with these names, in the order of `WRONG_GRADIENTS`."""
        return gradient_mistakes(names)

    @property
    def worked(self) -> CellCalculations:
        """The calculation of each cell of each matrix and each gradient."""
        return CellCalculations(
            {**forward_backward_rules(self.forward, self.back), LEARNED: (self.w_v_learned, self._step)}
        )

    def _step(self, i: int, j: int) -> Term:
        gradient = cell_of("grad_w_v", self.back.grad_w_v, i, j)
        step = Operation("product", (Number(self.rate), gradient))
        return Operation("difference", (cell_of("w_v", self.forward.w_v, i, j), step))


@dataclass(frozen=True, slots=True)
class GradientMistake:
    """A mistake of the backward pass that somebody may make in a task."""

    wrong: WrongGradient

    @property
    def name(self) -> str:
        """The name of the mistake in snake case."""
        return self.wrong.name

    @property
    def title(self) -> str:
        """The title of the mistake."""
        return self.wrong.title

    @property
    def why(self) -> str:
        """Why the mistake is wrong, in a sentence."""
        return self.wrong.why

    def apply(self, correct: ForwardBackward) -> ForwardBackward:
        """Return a copy of `correct`, the correct computation, whose backward pass has this mistake.

        Raises: ValueError if the shapes do not allow the mistake.
        """
        return replace(correct, back=self.wrong.gradient(correct.forward, correct.back.grad_output))


def forward_backward(forward: SelfAttentionTrace, upstream: Array) -> ForwardBackward:
    """Compute the backward pass of attention, and return it together with `forward`, the forward pass.

    `upstream` is the gradient of the output of attention.

    Shapes: upstream has the shape of the output.
    Raises: ValueError for the same reasons as `self_attention_gradient`.
    """
    return ForwardBackward(forward, self_attention_gradient(forward, upstream))


def gradient_mistakes(names: Iterable[str]) -> tuple[GradientMistake, ...]:
    """Return the mistakes of the backward pass with these names, in the order of `WRONG_GRADIENTS`."""
    wanted = {*names}
    return tuple(GradientMistake(wrong) for wrong in WRONG_GRADIENTS if wrong.name in wanted)
