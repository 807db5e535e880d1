"""The errors for a text that is not a matrix: what is wrong, where, and what the text may mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

MOST_READINGS = 8  # each may be as long as the text
MOST_STACKED = 64  # matrices that lie over each other: each is a part of the text


class MatrixTextError(ValueError):
    """Raised if a text is not a matrix: it says what is wrong and at which line and column, counted from 1."""

    def __init__(self, text: str, offset: int, problem: str) -> None:
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - text.rfind("\n", 0, offset)
        self.problem = problem
        super().__init__(f"Line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True, slots=True)
class Reading:
    """One possible reading of a text."""

    said: str  # in a few words
    text: str  # that can be meant in this way alone
    place: tuple[int, ...] = ()  # of a matrix in a batch: which batch and which head, or which matrix, from 1


class AmbiguousTextError(MatrixTextError):
    """Raised if a text has several possible readings. It holds the readings, at most the first few."""

    def __init__(self, text: str, offset: int, problem: str, readings: Iterable[Reading]) -> None:
        super().__init__(text, offset, problem)
        held = tuple(islice(readings, MOST_STACKED))
        self.readings = held if all(reading.place for reading in held) else held[:MOST_READINGS]


def several_matrices_error(text: str, offset: int, matrices: Iterable[str], problem: str = "") -> AmbiguousTextError:
    """Return the error for a text with several matrices, any of which the visitor may mean."""
    readings = (Reading(f"Matrix {number}", each) for number, each in enumerate(matrices, start=1))
    return AmbiguousTextError(text, offset, problem or f"{ONE}; got a second one: paste only the first.", readings)


ONE = "one matrix at a time"


def stacked_matrices_error(
    text: str, offset: int, matrices: Iterable[tuple[tuple[int, ...], str]]
) -> AmbiguousTextError:
    """Return the error for an array with more than two axes. It offers each matrix of the array with its indices."""
    found = [*islice(matrices, MOST_STACKED)]
    most = [max(places) for places in zip(*(place for place, _ in found), strict=False)]
    readings = (Reading(_place_in_words(place, most), each, place) for place, each in found)
    return AmbiguousTextError(text, offset, "a matrix has two axes; got a third: paste one matrix of it.", readings)


def _place_in_words(place: tuple[int, ...], most: list[int]) -> str:
    """Name a matrix of an array in words, such as “batch 1, head 2”."""
    if len(place) == 2:
        return f"Batch {place[0]} of {most[0]}, head {place[1]} of {most[1]}"
    return f"Matrix {', '.join(map(str, place))} of {', '.join(map(str, most))}"
