"""An edited run: the numbers of a right computation, and the numbers that plans with mistakes compute from them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from attention_core.caching import cache_up_to
from attention_core.checks import Array
from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.plans import Lines, Mistakes, Plan
from attention_core.diagnosis.stages import Trace, name_of, possible_mistakes
from attention_core.mistakes.engine.edits import edited_lines
from attention_core.mistakes.engine.named_traces import has_several_heads, names_of, pipeline_of_trace
from attention_core.mistakes.engine.pipelines import Pipeline
from attention_core.mistakes.engine.running import Memory, Names, run

MOST_SCORES = 800_000  # how many scores the plans of one kind may compute together
MOST_SCORES_OF_SINGLES = 6_000_000  # the same for plans with one mistake, of which the usual mistakes come first
MOST_PRODUCTS, MOST_PRODUCTS_OF_SINGLES = (
    2_000_000_000,
    500_000_000,
)  # how many numbers these may multiply: rows are wide
RUNS_KEPT, MOST_ENTRIES = 3, 64  # only runs whose result has at most so many entries: each takes 7 to 17 MB


_INPUTS = re.compile(r"\b(?:x|context|[wb]_[qkv])\b")
_OF_LENGTH = re.compile(r"len\((?:x|context)\)").sub  # how many tokens there are is known all the same


@dataclass(frozen=True, slots=True, eq=False)
class EditedRun:
    """A computation whose steps can be edited, to try which mistakes give an answer.

    The lines that try one mistake are a plan. Results that several plans need are computed once.
    """

    pipeline: Pipeline
    names: Names
    mistakes: Mistakes  # the mistakes that have a place in it
    shown: frozenset[str]  # the names of the mistakes that would show in it
    changed: frozenset[str] = frozenset()  # the matrices that are somebody's own
    settled: frozenset[str] = frozenset()  # the matrices in which no single number is off: they are given, or right
    made_with: Mistakes = ()  # the mistakes that are made on the way
    memory: Memory = field(default_factory=lambda: Memory())
    made: dict[Plan, Array | None] = field(default_factory=lambda: {})  # the matrix that each plan led to

    @property
    def usual(self) -> Mistakes:
        """The usual mistakes. Only these are tried together with rounded steps."""
        return tuple(mistake for mistake in self.mistakes if mistake.rank == "usual")

    @property
    def paired(self) -> Mistakes:
        """The mistakes that are tried in pairs."""
        return tuple(mistake for mistake in self.mistakes if mistake.rank != "rare")

    def matrix_after(self, lines: Lines, stage: str) -> Array | None:
        """Run lines of code and return the matrix of a stage, or None if the shapes forbid it."""
        try:
            made = np.asarray(run(lines, self.names, self.memory)[name_of(stage)])
        except ValueError:
            return None
        return made if made.ndim == np.ndim(self.names[name_of(stage)]) else None

    def expected(self, stage: str) -> Array:
        """Return the matrix of `stage` that follows from the numbers before it.

        It is the right matrix, unless an earlier matrix or a step was changed.
        """
        return np.asarray(self.names[name_of(stage)])

    def with_own_matrix(self, stage: str, values: Array) -> EditedRun:
        """Return the computation that continues from `values`, somebody's own matrix for `stage`.

        The shape must be that of the right matrix.
        """
        changed = self.changed | {name_of(stage)}
        return self._again(self.names | {name_of(stage): values.view()}, changed, self.made_with)

    def with_mistakes(self, mistakes: Mistakes) -> EditedRun:
        """Return the computation with further mistakes in it.

        Raises: ValueError where the shapes do not allow them.
        """
        return self._again(self.names, self.changed, mistakes)

    def _again(self, names: Names, changed: frozenset[str], mistakes: Mistakes) -> EditedRun:
        edits = (mistake.lines_in(self.pipeline) for mistake in mistakes)
        lines = edited_lines(self.pipeline.lines, *edits, changed=changed)
        found = run(lines, names) | {name: names[name] for name in changed}
        return replace(self, names=found, changed=changed, made_with=mistakes, memory={}, made={})

    def leading_to(self, answer: Answer, stage: str, plans: Iterable[Plan]) -> Iterator[Plan]:
        """Yield the plans that give an answer."""
        for each in plans:
            if all(mistake.name in self.shown for mistake in each.mistakes):
                made = self._matrix_of(each, stage)
                if made is not None and answer.matches(made):
                    yield each

    def _matrix_of(self, plan: Plan, stage: str) -> Array | None:
        if plan not in self.made:  # a plan is made for one stage
            self.made[plan] = self.matrix_after(plan.lines, stage)
        return self.made[plan]

    def affordable_plans(self, plans: tuple[Plan, ...]) -> tuple[Plan, ...]:
        """Return the first plans of `plans`, as many as run in a short time.

        These are all plans, unless there are thousands of scores.
        """
        return plans[: self._most_singles]

    @property
    def _most_singles(self) -> int:
        return min(MOST_SCORES_OF_SINGLES // self.n_scores, MOST_PRODUCTS_OF_SINGLES // self.n_products)

    @property
    def has_several_heads(self) -> bool:
        """Whether the computation is attention with several heads."""
        return has_several_heads(self.names)

    @property
    def unmasked(self) -> Array:
        """The scaled scores before the mask. With ALiBi, they include the penalty of the distance."""
        return np.asarray(self.names["biased" if "biased" in self.names else "scaled"])

    @property
    def n_scores(self) -> int:
        """The number of scores, or 1 if there are none."""
        return max(np.size(self.names.get("scores", 0)), 1)

    @property
    def n_products(self) -> int:
        """The number of products that it takes to project the tokens, at least 1."""
        weights = {each: self.names.get(f"w_{each}") for each in ("q", "k", "v")}
        return 1 + sum(len(self.names[each]) * np.size(w) for each, w in weights.items() if w is not None)

    @property
    def tries_all(self) -> bool:
        """Say whether all mistakes are tried. For very large matrices, only the more usual mistakes are tried."""
        return len(self.mistakes) <= self._most_singles

    def can_afford(self, n_plans: int) -> bool:
        """Say whether `n_plans` plans run in a short time."""
        return n_plans * self.n_scores <= MOST_SCORES and n_plans * self.n_products <= MOST_PRODUCTS


def edited_run_of(right: Trace) -> EditedRun:
    """Return the computation of the trace `right` in a form whose steps can be edited, with its possible mistakes.

    For the last few small traces, this object is stored, with all matrices that were computed with mistakes. The next
    answer to the same task then takes a sixth of the time. All visitors share the stored objects, and entries are only
    ever added. A trace with a writable output is not stored.

    Raises: ValueError if the trace has no names, as `names_of`.
    """
    is_kept = right.output.size <= MOST_ENTRIES and not right.output.flags.writeable
    return _kept_run_of(right) if is_kept else _new_run_of(right)


def possible_after(work: EditedRun, known: frozenset[str]) -> EditedRun:
    """Return the computation of a problem that gives the matrices of the stages `known`.

    Mistakes in these stages are left out. Mistakes whose code uses the input or a projection matrix are left out as
    well, because such a problem does not give these matrices.
    """
    if not known:
        return work
    mistakes = tuple(
        mistake
        for mistake in work.mistakes
        if mistake.stage not in known and not _INPUTS.search(_OF_LENGTH("", mistake.code))
    )
    return replace(work, mistakes=mistakes, settled=work.settled | known)


def _new_run_of(right: Trace) -> EditedRun:
    mistakes = possible_mistakes(right)
    tests = {mistake.shows: mistake.shows_in(right) for mistake in mistakes}  # many share one
    shown = frozenset(mistake.name for mistake in mistakes if tests[mistake.shows])
    # Views, since the memory makes read-only what a line assigns.
    names: Names = {name: value.view() if _is_array(value) else value for name, value in names_of(right).items()}
    return EditedRun(pipeline_of_trace(right), names, mistakes, shown)


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray)


_kept_run_of = cache_up_to(RUNS_KEPT)(_new_run_of)
