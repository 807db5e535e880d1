"""The steps of a task: own steps, words, forward and backward."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.arithmetic import CellCalculations
from attention_core.arithmetic.formulas import Choice, Fixed, Formula, Grid, Known, Share, apply, letters, total
from attention_core.arithmetic.training_rules import forward_backward_rules
from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.gradients.attention import SelfAttentionGradient, self_attention_gradient
from attention_core.gradients.optimizers import sgd_step
from attention_core.mistakes.backward import WRONG_GRADIENTS, WrongGradient
from attention_core.mistakes.toml_files import read_entries
from attention_core.next_word import SampleTrace, sample, unembed
from attention_core.softmax import softmax


class TaskComputation:
    """The base class for a computation of a task that is not a trace: matrices, their calculations, and mistakes."""

    __slots__ = ()

    @abstractmethod
    def matrix(self, name: str) -> Array:
        """Return the matrix of the computation with this name."""

    @property
    def is_clear(self) -> bool:
        """Whether the numbers leave no doubt about the correct answer."""
        return True

    @property
    @abstractmethod
    def worked(self) -> CellCalculations:
        """The calculation of each cell of each matrix that a task may ask for."""

    @abstractmethod
    def mistakes(self, names: Iterable[str]) -> tuple[Any, ...]:
        """Return the mistakes with these names, in the order of the catalogue."""


APART = 0.05  # the least difference between the logits of a kept word and of a word that is left out


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordSteps(TaskComputation):
    """The computation of the probabilities of the next word from rows and a vocabulary."""

    summed: Array  # (n, d_model)
    vocabulary: Array  # (n_words, d_model)
    asked: str  # the matrix that the task asks for: "logits", "chances" or "kept"
    temperature: float = 1.0
    top_k: int | None = None
    wrong: Array | None = None  # the matrix asked for with a mistake, if there is one

    @property
    def logits(self) -> Array:
        """The logit of each word of the vocabulary as the next word, for each row."""
        return unembed(self.summed, self.vocabulary)

    @property
    def trace(self) -> SampleTrace:
        """The probabilities of the words, with every step of their computation."""
        return sample(self.logits, temperature=self.temperature, top_k=self.top_k)

    @property
    def x(self) -> Array:
        """The rows from which the logits are computed."""
        return self.summed

    @property
    def context(self) -> Array:
        """The rows of the vocabulary, one row for each word."""
        return self.vocabulary

    @property
    def is_clear(self) -> bool:
        """Whether it is clear which words are kept: their logits are clearly greater than all others."""
        falling = -np.sort(-self.logits, axis=-1)
        return self.top_k is None or bool((falling[:, self.top_k - 1] - falling[:, self.top_k] > APART).all())

    @property
    def worked(self) -> CellCalculations:
        """The calculation of each cell of each matrix that a task may ask for."""
        shares = self.trace.probabilities
        of_shares = dict.fromkeys(("chances", "kept"), (shares, self._chance()))
        return CellCalculations({"logits": (self.logits, self._logit()), **of_shares})

    def matrix(self, name: str) -> Array:
        """Return the matrix with this name: a given matrix, or the matrix that the task asks for."""
        if name == self.asked and self.wrong is not None:
            return self.wrong
        return self.trace.probabilities if name in ("chances", "kept") else getattr(self, name)

    def mistakes(self, names: Iterable[str]) -> tuple[WordMistake, ...]:
        """Return the mistakes with these names, in the order of `WORD_MISTAKES`."""
        wanted = {*names}
        return tuple(mistake for mistake in WORD_MISTAKES if mistake.name in wanted)

    def _logit(self) -> Formula:
        i, j, n = letters("i j n")
        products = Grid("summed", self.summed)[i, n] * Grid("vocabulary", self.vocabulary)[j, n]
        return Formula((i, j), total(n, self.summed.shape[-1], products))

    def _chance(self) -> Formula:
        i, j, n = letters("i j n")
        logits, kept = Grid("logits", self.logits), self.trace.kept
        temperature = Fixed(self.temperature, "temperature")
        own, each = (apply("exp", logits[i, at] / temperature) for at in (j, n))
        share = Share((own, total(n, kept.shape[-1], each, present=Known(kept.astype(float), (i, n)))))
        return Formula((i, j), Choice(kept, (i, j), (share, Fixed(0.0))))


@dataclass(frozen=True, slots=True)
class WordMistake:
    """A mistake in the computation of the next word that somebody may make in a task."""

    name: str
    title: str
    why: str
    answer: Callable[[WordSteps], Array]  # computes the matrix asked for with this mistake

    def apply(self, correct: WordSteps) -> WordSteps:
        """Return a copy of `correct`, the correct computation, whose answer has this mistake."""
        return replace(correct, wrong=self.answer(correct))


@dataclass(frozen=True, slots=True)
class MistakeWords:
    """The words of a mistake on paper, as `mistakes.toml` has them."""

    name: str
    title: str
    why: str


ON_PAPER = {words.name: words for words in read_entries(Path(__file__).with_name("mistakes.toml"), MistakeWords)}
_ANSWERS: Mapping[str, Callable[[WordSteps], Array]] = {
    "vocabulary_not_turned": lambda t: t.summed @ t.vocabulary,
    "temperature_multiplied": lambda t: softmax(t.logits * t.temperature),
    "temperature_forgotten": lambda t: sample(t.logits, top_k=t.top_k).probabilities,
    "not_shared_out": lambda t: np.where(t.trace.kept, t.trace.before, 0.0),
    "nothing_left_out": lambda t: t.trace.before,
}
WORD_MISTAKES = tuple(
    WordMistake(name, ON_PAPER[name].title, ON_PAPER[name].why, answer) for name, answer in _ANSWERS.items()
)


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
            {**forward_backward_rules(self.forward, self.back), LEARNED: (self.w_v_learned, self._step())}
        )

    def _step(self) -> Formula:
        i, j = letters("i j")
        step = Fixed(self.rate) * Grid("grad_w_v", self.back.grad_w_v)[i, j]
        return Formula((i, j), Grid("w_v", self.forward.w_v)[i, j] - step)


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
