"""The errors for a text that is not a matrix: what is wrong, where it is, and what the text may mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

MOST_READINGS = 8  # a bound on memory, because each reading may be as long as the text
MOST_STACKED = 64  # the bound for the matrices of an array with more axes, which are parts of the text


class MatrixTextError(ValueError):
    """The error for a text that is not a matrix: what is wrong, and at which line and column, counted from 1."""

    def __init__(self, text: str, offset: int, problem: str) -> None:
        self.line = text.count("\n", 0, offset) + 1
        self.column = offset - text.rfind("\n", 0, offset)
        self.problem = problem
        super().__init__(f"Line {self.line}, column {self.column}: {problem}")


@dataclass(frozen=True, slots=True)
class Reading:
    """One possible meaning of a text that is not clear. A visitor can choose it."""

    label: str  # the name of this meaning for the visitor, in a few words
    text: str  # a text that has only this meaning
    place: tuple[int, ...] = ()  # for a matrix of an array with more axes: its indices from 1, such as batch and head


class AmbiguousTextError(MatrixTextError):
    """The error for a text with several possible meanings. `readings` has the first few of these meanings."""

    def __init__(self, text: str, offset: int, problem: str, readings: Iterable[Reading]) -> None:
        super().__init__(text, offset, problem)
        held = tuple(islice(readings, MOST_STACKED))
        self.readings = held if all(reading.place for reading in held) else held[:MOST_READINGS]


def several_matrices_error(text: str, offset: int, matrices: Iterable[str], problem: str = "") -> AmbiguousTextError:
    """Return the error for a text with several matrices. It offers each matrix, so that the visitor can choose one."""
    readings = (Reading(f"Matrix {number}", each) for number, each in enumerate(matrices, start=1))
    return AmbiguousTextError(
        text, offset, problem or f"{ONE}, but here a second one begins. Paste only one of them.", readings
    )


ONE = "Only one matrix can be read at a time"


def stacked_matrices_error(
    text: str, offset: int, matrices: Iterable[tuple[tuple[int, ...], str]]
) -> AmbiguousTextError:
    """Return the error for an array with more than two axes, where one matrix is expected.

    `matrices` has the indices and the text of each matrix in the array. The error offers these matrices, so that the
    visitor can choose one. `offset` is the place of the error in `text`.
    """
    found = [*islice(matrices, MOST_STACKED)]
    most = [max(places) for places in zip(*(place for place, _ in found), strict=False)]
    readings = (Reading(_place_in_words(place, most), each, place) for place, each in found)
    return AmbiguousTextError(
        text, offset, "A matrix has two axes, but this array has more. Paste one matrix of it.", readings
    )


def _place_in_words(place: tuple[int, ...], most: list[int]) -> str:
    """Return a text with the indices of a matrix in an array, such as “Batch 1 of 2, head 2 of 4”.

    `most` has the greatest index along each axis.
    """
    if len(place) == 2:
        return f"Batch {place[0]} of {most[0]}, head {place[1]} of {most[1]}"
    return f"Matrix {', '.join(map(str, place))} of {', '.join(map(str, most))}"
