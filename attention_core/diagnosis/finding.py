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
    """A single wrong number, from which every later step was computed correctly."""

    stage: str
    place: tuple[int, ...]  # head, row, column; or row, column
    value: float  # the changed number
    instead: float  # the right number


@dataclass(frozen=True, slots=True)
class HiddenKeys:
    """The keys that each row used, if another mask than the right one explains the numbers."""

    rows: tuple[tuple[int, ...], ...]  # for each query, the keys that it used
    said: str = ""  # a name for the whole of it, as a clause: "each token attends only to itself"; "" if none
    empty: tuple[
        int, ...
    ] = ()  # the rows that used no key of their own: their weights are all 0, all NaN, or all equal


@dataclass(frozen=True, slots=True)
class Finding:
    """One explanation of an answer."""

    kind: Kind
    mistakes: tuple[Mistake[Any], ...] = ()  # the mistakes that were made, in the order of the stages
    decimals: int | None = None  # how many decimals it was rounded to; None: it is given in full
    order: tuple[int, ...] = ()  # where rows were reordered: the number of the right row that stands in each row
    stages: tuple[str, ...] = ()  # where rows were copied or reordered: the matrices in which this may have happened
    rows: tuple[int, ...] = ()  # where only some rows were given: which rows of the matrix they are
    columns: tuple[int, ...] = ()  # where only some columns were given: which columns they are
    wrong_from: str = ""  # the first given matrix that was wrong, and from which all went on rightly
    rounded: tuple[str, ...] = ()  # the steps that were rounded on the way
    changed: OneNumber | None = None
    step: str = ""  # the step whose right matrix has these numbers, where another one was asked for
    head: int | None = None  # of several heads, the one whose matrix of that step it is
    also: tuple[Mistake[Any], ...] = ()  # rare mistakes that give the same numbers, where something plainer does, too
    keys: HiddenKeys | None = None  # where another mask gives these numbers
    factor: float = 1.0  # by how much the weights that are left, or the scaled scores, were multiplied
    dropped: tuple[int, ...] = ()  # where dropout set weights to 0: the place of one of them, (head,) row and column


@dataclass(frozen=True, slots=True)
class StepFound:
    """A given step, compared with the matrix that follows from the steps before it."""

    stage: str
    kind: Literal["right", "near", "follows", "wrong"]
    place: tuple[int, ...] = ()  # the place of the first number that does not follow
    value: float = 0.0  # the number that stands there
    instead: float = 0.0  # the number that follows from the steps before
    n_wrong: int = 0  # how many numbers do not follow
    why: tuple[Finding, ...] = ()  # what explains a wrong step; none: it is unknown


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The explanations of an answer. If the numbers cannot distinguish several explanations, it has all of them."""

    findings: tuple[Finding, ...] = ()  # none: unknown
    first_wrong_cell: tuple[str, int, int] | None = None  # in the given steps or the answer
    steps: tuple[StepFound, ...] = ()  # the given steps in order, and the answer last

    @property
    def answer_is_right(self) -> bool:
        """Whether the answer is right, perhaps rounded, even if steps before it are wrong."""
        return any(finding.kind in RIGHT_KINDS for finding in self.findings)

    @property
    def right(self) -> bool:
        """Whether the answer is right, perhaps rounded, and no given step is wrong."""
        return self.answer_is_right and not self.wrong_steps

    @property
    def wrong_steps(self) -> list[StepFound]:
        """The given steps that do not follow from the steps before them, in order."""
        return [step for step in self.steps if step.kind == "wrong"]
