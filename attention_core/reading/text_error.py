"""The errors for a text that is no matrix: what is wrong, where, and what the text may mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

MOST_READINGS = 8  # each may be as long as the text


class MatrixTextError(ValueError):
    """A text that is no matrix: what is wrong, and where, as line and column counted from 1."""

    def __init__(self, text: str, offset: int, problem: str) -> None:
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - text.rfind("\n", 0, offset)
        self.problem = problem
        super().__init__(f"Line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True, slots=True)
class Reading:
    """One way in which a text may be meant."""

    said: str  # in a few words
    text: str  # that can be meant in this way alone


class AmbiguousTextError(MatrixTextError):
    """A text that may be meant in several ways. Of very many, it has the first."""

    def __init__(self, text: str, offset: int, problem: str, readings: Iterable[Reading]) -> None:
        super().__init__(text, offset, problem)
        self.readings = tuple(islice(readings, MOST_READINGS))


def several_matrices_error(text: str, offset: int, matrices: Iterable[str], problem: str = "") -> AmbiguousTextError:
    """Return the error of a text that holds several matrices, each of which may be meant."""
    readings = (Reading(f"Matrix {number}", each) for number, each in enumerate(matrices, start=1))
    return AmbiguousTextError(text, offset, problem or f"{ONE}; got a second one: paste only the first.", readings)


ONE = "one matrix at a time"
