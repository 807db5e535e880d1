"""A cache of the latest answers, up to a size, shared by all visitors who ask the same question."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from attention_core.language_model.answer import Answer, Question

MOST_BYTES = 32_000_000


@dataclass(slots=True)
class AnswerCache:
    """The cached answers. When they are too many, the cache removes the least recently used answer."""

    most_bytes: int = MOST_BYTES
    _answers: OrderedDict[Question, Answer] = field(default_factory=OrderedDict[Question, Answer])
    _lock: Lock = field(default_factory=Lock)

    def get(self, question: Question) -> Answer | None:
        """Return the answer to a question, or None if it is not stored."""
        with self._lock:
            if question in self._answers:
                self._answers.move_to_end(question)
            return self._answers.get(question)

    def keep(self, question: Question, answer: Answer) -> None:
        """Store an answer, and remove old ones beyond the bound."""
        with self._lock:
            self._answers[question] = answer
            while len(self._answers) > 1 and self.bytes > self.most_bytes:
                self._answers.popitem(last=False)

    def forget(self) -> None:
        """Remove all answers."""
        with self._lock:
            self._answers.clear()

    @property
    def bytes(self) -> int:
        """How much memory all answers take."""
        return sum(answer.bytes for answer in self._answers.values())
