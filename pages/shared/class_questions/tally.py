"""Count how often each outcome occurred in a round, and find the most frequent wrong answer. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from pages.shared.class_questions.outcome import UNKNOWN, Outcome
from pages.shared.class_questions.questions import Question


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcomes of a round with their counts, and the most frequent wrong answer."""

    counts: tuple[tuple[Outcome, int], ...]
    commonest_wrong: str = ""  # the answer as a student sent it, or "" if none is wrong

    @property
    def n_answers(self) -> int:
        """How many answers there are."""
        return sum(count for _, count in self.counts)

    def count_of(self, outcome: Outcome) -> int:
        """Return how many answers have this outcome."""
        return dict(self.counts).get(outcome, 0)


def tally(question: Question, answers: Iterable[str]) -> Tally:
    """Count the outcomes of all answers to a question, and find the most frequent wrong answer.

    First find the most frequent wrong outcome. A known mistake is preferred to the outcome without a known mistake.
    Then take the most frequent answer with this outcome.
    """
    by_answer = Counter(answers)
    outcomes = {answer: question.outcome(answer) for answer in by_answer}
    counted = Counter({outcome: 0 for outcome in question.expected_outcomes})
    for answer, count in by_answer.items():
        counted[outcomes[answer]] += count
    ordered = in_order(question, counted)
    wrong = [outcome for outcome, count in ordered if outcome.right is False and count]
    worst = max(wrong, key=lambda outcome: (outcome != UNKNOWN, counted[outcome]), default=None)
    given = [answer for answer, _ in by_answer.most_common() if outcomes[answer] == worst]
    return Tally(tuple(ordered), given[0] if given else "")


def in_order(question: Question, counts: Counter[Outcome]) -> list[tuple[Outcome, int]]:
    """Return the outcomes with their counts (`counts`) in the order of their bars.

    First come the outcomes that the question expects, and then the most frequent others. The outcome without a known
    mistake is the last.
    """
    first = [(outcome, counts[outcome]) for outcome in question.expected_outcomes]
    others = [(outcome, count) for outcome, count in counts.most_common() if outcome not in question.expected_outcomes]
    return [*first, *sorted(others, key=lambda each: each[0] == UNKNOWN)]
