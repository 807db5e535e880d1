"""The errors for a text that is no matrix: what is wrong, where, and what the text may mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

MOST_READINGS = 8  # each may be as long as the text
MOST_STACKED = 64  # matrices that lie over each other: each is a part of the text


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
    place: tuple[int, ...] = ()  # of a matrix in a batch: which batch and which head, or which matrix, from 1


class AmbiguousTextError(MatrixTextError):
    """A text that may be meant in several ways. Of very many, it has the first."""

    def __init__(self, text: str, offset: int, problem: str, readings: Iterable[Reading]) -> None:
        super().__init__(text, offset, problem)
        held = tuple(islice(readings, MOST_STACKED))
        self.readings = held if all(reading.place for reading in held) else held[:MOST_READINGS]


def several_matrices_error(text: str, offset: int, matrices: Iterable[str], problem: str = "") -> AmbiguousTextError:
    """Return the error of a text that holds several matrices, each of which may be meant."""
    readings = (Reading(f"Matrix {number}", each) for number, each in enumerate(matrices, start=1))
    return AmbiguousTextError(text, offset, problem or f"{ONE}; got a second one: paste only the first.", readings)


ONE = "one matrix at a time"


def stacked_matrices_error(
    text: str, offset: int, matrices: Iterable[tuple[tuple[int, ...], str]]
) -> AmbiguousTextError:
    """Return the error of an array with more than two axes. Of its matrices, each with its place, one may be meant."""
    found = [*islice(matrices, MOST_STACKED)]
    most = [max(places) for places in zip(*(place for place, _ in found), strict=False)]
    readings = (Reading(_said(place, most), each, place) for place, each in found)
    return AmbiguousTextError(text, offset, "a matrix has two axes; got a third: paste one matrix of it.", readings)


def _said(place: tuple[int, ...], most: list[int]) -> str:
    """Say which matrix of an array this is."""
    if len(place) == 2:
        return f"Batch {place[0]} of {most[0]}, head {place[1]} of {most[1]}"
    return f"Matrix {', '.join(map(str, place))} of {', '.join(map(str, most))}"
