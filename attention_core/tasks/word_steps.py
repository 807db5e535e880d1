"""Word steps: from rows to logits and to the chances of the next word, for tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from attention_core.arithmetic import Number, Operation, Term, Worked
from attention_core.arithmetic.building import dot, row_of, share_of
from attention_core.checks import Array
from attention_core.sampling import SampleTrace, sample
from attention_core.softmax import softmax
from attention_core.tasks.own_steps import OwnSteps
from attention_core.unembedding import unembed

APART = 0.05  # the logits of words that are kept and of words that are left out differ at least by this


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class WordSteps(OwnSteps):
    """Rows, a vocabulary, and how the chances are computed from their logits."""

    summed: Array  # (n, d_model)
    vocabulary: Array  # (n_words, d_model)
    asked: str  # "logits", "chances" or "kept"
    temperature: float = 1.0
    top_k: int | None = None
    wrong: Array | None = None  # the matrix asked for with a mistake, if there is one

    @property
    def logits(self) -> Array:
        """The score of each word as the next one."""
        return unembed(self.summed, self.vocabulary)

    @property
    def trace(self) -> SampleTrace:
        """The chances, with every step."""
        return sample(self.logits, temperature=self.temperature, top_k=self.top_k)

    @property
    def x(self) -> Array:
        """The rows."""
        return self.summed

    @property
    def context(self) -> Array:
        """The rows of the words."""
        return self.vocabulary

    @property
    def is_clear(self) -> bool:
        """Whether it is clear which words are kept, because their logits differ enough from the others."""
        falling = -np.sort(-self.logits, axis=-1)
        return self.top_k is None or bool((falling[:, self.top_k - 1] - falling[:, self.top_k] > APART).all())

    @property
    def worked(self) -> Worked:
        """The calculation of each cell of each matrix that may be asked for."""
        shares = self.trace.probabilities
        of_shares = dict.fromkeys(("chances", "kept"), (shares, self._chance))
        return Worked({"logits": (self.logits, self._logit), **of_shares})

    def matrix(self, name: str) -> Array:
        """Return a matrix that is given or asked for."""
        if name == self.asked and self.wrong is not None:
            return self.wrong
        return self.trace.probabilities if name in ("chances", "kept") else getattr(self, name)

    def mistakes(self, names: Iterable[str]) -> tuple[WordMistake, ...]:
        """Return the mistakes with these names."""
        wanted = {*names}
        return tuple(mistake for mistake in WORD_MISTAKES if mistake.name in wanted)

    def _logit(self, i: int, j: int) -> Term:
        return dot(row_of("summed", self.summed, i), row_of("vocabulary", self.vocabulary, j))

    def _chance(self, i: int, j: int) -> Term:
        kept = np.flatnonzero(self.trace.kept[i]).tolist()
        if j not in kept:
            return Number(0.0)
        row, temperature = row_of("logits", self.logits, i), Number(self.temperature, "temperature")
        powers = [Operation("exp", (Operation("quotient", (row[place], temperature)),)) for place in kept]
        return share_of(powers[kept.index(j)], Operation("sum", tuple(powers)))


@dataclass(frozen=True, slots=True)
class WordMistake:
    """A mistake of a task in the steps from rows to the next word."""

    name: str
    title: str
    why: str
    answer: Callable[[WordSteps], Array]  # the matrix asked for with this mistake

    def apply(self, right: WordSteps) -> WordSteps:
        """Return the steps with this mistake in them."""
        return replace(right, wrong=self.answer(right))


WORD_MISTAKES = (
    WordMistake(
        "vocabulary_not_turned",
        "The vocabulary not turned round",
        "A row of the vocabulary is a word. Each row is multiplied by the row of each word, not by its column.",
        lambda t: t.summed @ t.vocabulary,
    ),
    WordMistake(
        "temperature_multiplied",
        "Multiplied by the temperature",
        "The logits are divided by the temperature. Then a temperature above 1 evens out the probabilities.",
        lambda t: softmax(t.logits * t.temperature),
    ),
    WordMistake(
        "temperature_forgotten",
        "The temperature forgotten",
        "The logits are divided by the temperature before softmax.",
        lambda t: sample(t.logits, top_k=t.top_k).probabilities,
    ),
    WordMistake(
        "not_shared_out",
        "What is kept not divided by its sum",
        "The probabilities of the words that are kept must sum to 1 again.",
        lambda t: np.where(t.trace.kept, t.trace.before, 0.0),
    ),
    WordMistake(
        "nothing_left_out",
        "No word left out",
        "Only the likeliest words are kept. The others have a probability of 0.",
        lambda t: t.trace.before,
    ),
)
