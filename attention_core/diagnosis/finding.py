"""The result of a diagnosis: explanations of an answer, and how each given step follows from the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from attention_core.slips import Slip

Kind = Literal[
    "right", "rounded", "on_the_way", "coarse", "near", "transposed", "reordered", "slips", "one_number",
    "follow_through",
]  # fmt: skip
RIGHT_KINDS: tuple[Kind, ...] = ("right", "rounded", "on_the_way")


@dataclass(frozen=True, slots=True)
class OneNumber:
    """A single number that was changed, while everything after it was computed rightly from it."""

    stage: str
    place: tuple[int, ...]  # head, row, column; or row, column
    value: float  # the changed number
    instead: float  # the right number


@dataclass(frozen=True, slots=True)
class Finding:
    """One explanation of an answer."""

    kind: Kind
    slips: tuple[Slip[Any], ...] = ()  # the mistakes that were made, in the order of the stages
    decimals: int | None = None  # how many decimals it was rounded to; None: it is given in full
    order: tuple[int, ...] = ()  # where rows were reordered: the number of the right row that stands in each row
    rows: tuple[int, ...] = ()  # where only some rows were given: which rows of the matrix they are
    wrong_from: str = ""  # the first given matrix that was wrong, and from which all went on rightly
    rounded: tuple[str, ...] = ()  # the steps that were rounded on the way
    changed: OneNumber | None = None


@dataclass(frozen=True, slots=True)
class StepFound:
    """One step of somebody's own, compared with what follows from the steps before it."""

    stage: str
    kind: Literal["right", "follows", "wrong"]
    place: tuple[int, ...] = ()  # the place of the first number that does not follow
    value: float = 0.0  # the number that stands there
    instead: float = 0.0  # the number that follows from the steps before
    n_wrong: int = 0  # how many numbers do not follow


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The explanations of an answer. Those that the numbers cannot tell apart stand side by side."""

    findings: tuple[Finding, ...] = ()  # none: unknown
    first_wrong_cell: tuple[str, int, int] | None = None  # in the given steps or the answer
    steps: tuple[StepFound, ...] = ()  # the given steps in order, and the answer last

    @property
    def right(self) -> bool:
        """Whether the answer is right, perhaps rounded."""
        return any(finding.kind in RIGHT_KINDS for finding in self.findings)
