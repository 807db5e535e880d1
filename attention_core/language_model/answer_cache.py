"""The answers that were used last are kept, within a bound, for everybody who asks the same question."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from attention_core.language_model.answer import Answer, Question

MOST_BYTES = 32_000_000


@dataclass(slots=True)
class AnswerCache:
    """The answers to questions; the ones that nobody has asked for the longest are forgotten first."""

    most_bytes: int = MOST_BYTES
    _answers: OrderedDict[Question, Answer] = field(default_factory=OrderedDict[Question, Answer])
    _lock: Lock = field(default_factory=Lock)

    def get(self, question: Question) -> Answer | None:
        """Return the answer to a question, if it is kept."""
        with self._lock:
            if question in self._answers:
                self._answers.move_to_end(question)
            return self._answers.get(question)

    def keep(self, question: Question, answer: Answer) -> None:
        """Keep an answer, and forget old ones beyond the bound."""
        with self._lock:
            self._answers[question] = answer
            while len(self._answers) > 1 and self.bytes > self.most_bytes:
                self._answers.popitem(last=False)

    def forget(self) -> None:
        """Forget all."""
        with self._lock:
            self._answers.clear()

    @property
    def bytes(self) -> int:
        """How much memory all of them take."""
        return sum(answer.bytes for answer in self._answers.values())
