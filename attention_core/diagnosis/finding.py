"""What a diagnosis says: explanations of an answer, and how each given step follows from the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from attention_core.slips import Slip

Kind = Literal[
    "right", "rounded", "on_the_way", "coarse", "near", "transposed", "reordered", "slips", "one_number",
    "follow_through",
]  # fmt: skip
RIGHT: tuple[Kind, ...] = ("right", "rounded", "on_the_way")


@dataclass(frozen=True, slots=True)
class OneNumber:
    """A single number that was changed, and after which all else was computed rightly."""

    stage: str
    place: tuple[int, ...]  # head, row, column; or row, column
    value: float  # what stands there now
    instead: float  # of this


@dataclass(frozen=True, slots=True)
class Finding:
    """One explanation of an answer."""

    kind: Kind
    slips: tuple[Slip[Any], ...] = ()  # what went wrong, in the order of the stages
    decimals: int | None = None  # to which it was rounded; None: given in full
    order: tuple[int, ...] = ()  # where rows were reordered: the right row that stands in each place
    rows: tuple[int, ...] = ()  # where only a part was given: which rows of the matrix it explains
    since: str = ""  # the first given matrix that was wrong, and from which all went on rightly
    rounded: tuple[str, ...] = ()  # the steps that were rounded on the way
    changed: OneNumber | None = None


@dataclass(frozen=True, slots=True)
class StepFound:
    """One step of somebody's own, held against the steps before it."""

    stage: str
    kind: Literal["right", "follows", "wrong"]
    place: tuple[int, ...] = ()  # of the first number that does not follow
    value: float = 0.0  # what stands there
    instead: float = 0.0  # what follows from the steps before
    n_wrong: int = 0  # how many numbers do not follow


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The explanations of an answer. Those that the numbers cannot tell apart stand side by side."""

    findings: tuple[Finding, ...] = ()  # none: unknown
    departs: tuple[str, int, int] | None = None  # the first cell that is not right, of what was given and the answer
    steps: tuple[StepFound, ...] = ()  # what was given, in order, and last the answer

    @property
    def right(self) -> bool:
        """Whether the answer is right, if perhaps rounded."""
        return any(finding.kind in RIGHT for finding in self.findings)
