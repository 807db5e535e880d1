"""The result of a diagnosis: explanations of an answer, and whether each given step follows from the step before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from attention_core.mistakes import Mistake

Kind = Literal[
    "right", "rounded", "on_the_way", "coarse", "near", "transposed", "reordered", "other_step", "mistakes",
    "one_number", "one_free", "hidden_keys", "dropped_out", "all_equal", "other_end", "other_scale", "follow_through",
    "rounded_inputs", "few_numbers", "no_numbers", "copied_row", "one_factor",
]  # fmt: skip
RIGHT_KINDS: tuple[Kind, ...] = ("right", "rounded", "on_the_way")


@dataclass(frozen=True, slots=True)
class OneNumber:
    """A single wrong number. All steps after it were computed correctly from it."""

    stage: str
    place: tuple[int, ...]  # head, row, column; or row, column
    value: float  # the changed number
    correct_value: float  # the correct number


@dataclass(frozen=True, slots=True)
class HiddenKeys:
    """The keys that each row of a wrong answer used. The mask of the task allows other keys."""

    rows: tuple[tuple[int, ...], ...]  # for each query, the keys that it used
    mask_clause: str = ""  # a clause that describes all rows: "each token attends only to itself"; or ""
    empty: tuple[int, ...] = ()  # the rows that used no key: their weights are all 0, all NaN, or all equal


@dataclass(frozen=True, slots=True)
class Finding:
    """One explanation of an answer. The kind says which of the other fields have a meaning."""

    kind: Kind
    mistakes: tuple[Mistake[Any], ...] = ()  # the mistakes that were made, in the order of the stages
    decimals: int | None = None  # the decimals that were rounded to; None if nothing was rounded
    order: tuple[int, ...] = ()  # if rows were reordered: the index of the correct row for each row
    stages: tuple[str, ...] = ()  # if rows were copied or reordered: in which matrices
    rows: tuple[int, ...] = ()  # if only some rows were given: the indices of these rows
    columns: tuple[int, ...] = ()  # if only some columns were given: the indices of these columns
    wrong_from: str = ""  # the first wrong given matrix, from which later steps are correct
    rounded: tuple[str, ...] = ()  # the steps that were rounded
    changed: OneNumber | None = None
    step: str = ""  # the step whose correct matrix was given in place of the matrix asked for
    head: int | None = None  # the head of this matrix, or None if there are not several
    further_mistakes: tuple[Mistake[Any], ...] = ()  # further mistakes that give the same numbers
    keys: HiddenKeys | None = None  # if another mask gives these numbers: its keys
    factor: float = 1.0  # the factor of the weights that dropout kept, or of the scaled scores
    dropped: tuple[int, ...] = ()  # the place of a weight that dropout set to 0: (head,) row and column


@dataclass(frozen=True, slots=True)
class StepFound:
    """The result of comparing a given step with the matrix that follows from the steps before it."""

    stage: str
    kind: Literal["right", "near", "follows", "wrong"]
    place: tuple[int, ...] = ()  # the place of the first wrong number
    value: float = 0.0  # the wrong number
    correct_value: float = 0.0  # the correct number after the steps before
    n_wrong: int = 0  # how many numbers are wrong
    why: tuple[Finding, ...] = ()  # the explanations of a wrong step; empty if unknown


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All explanations of an answer that its numbers cannot distinguish, and the results for its given steps."""

    findings: tuple[Finding, ...] = ()  # empty if unknown
    first_wrong_cell: tuple[str, int, int] | None = None  # in the given steps or the answer
    steps: tuple[StepFound, ...] = ()  # the given steps in order, and the answer last

    @property
    def answer_is_correct(self) -> bool:
        """Whether the answer is correct, up to rounding. Steps before it may be wrong."""
        return any(finding.kind in RIGHT_KINDS for finding in self.findings)

    @property
    def all_correct(self) -> bool:
        """Whether the answer is correct, up to rounding, and no given step is wrong."""
        return self.answer_is_correct and not self.wrong_steps

    @property
    def wrong_steps(self) -> list[StepFound]:
        """The given steps that do not follow from the steps before them, in order."""
        return [step for step in self.steps if step.kind == "wrong"]
