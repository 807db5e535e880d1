"""A cache of the latest answers of a model, up to a size. All visitors who ask the same question share its answer."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock

from attention_core.language_model.answer import Answer, Question

MOST_BYTES = 32_000_000


@dataclass(slots=True)
class AnswerCache:
    """The cached answers. If they take too much memory, the least recently used answers are removed."""

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
        """Store an answer. If all answers take more than `most_bytes`, remove the least recently used answers."""
        with self._lock:
            self._answers[question] = answer
            while len(self._answers) > 1 and self.bytes > self.most_bytes:
                self._answers.popitem(last=False)

    def forget(self) -> None:
        """Remove all answers from the cache."""
        with self._lock:
            self._answers.clear()

    @property
    def bytes(self) -> int:
        """The memory that all stored answers take, in bytes."""
        return sum(answer.bytes for answer in self._answers.values())
