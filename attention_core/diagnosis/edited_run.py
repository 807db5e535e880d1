"""A computation whose steps can be edited, and whether an answer may equal an edited matrix by chance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from attention_core.caching import cache_up_to
from attention_core.checks import Array
from attention_core.diagnosis.answer import Answer, Finding
from attention_core.diagnosis.stages import Lines, Mistakes, Plan, Trace, name_of, possible_mistakes
from attention_core.mistakes.engine.code_lines import Memory, Names, run
from attention_core.mistakes.engine.edits import edited_lines
from attention_core.mistakes.engine.named_traces import has_several_heads, names_of, pipeline_of_trace
from attention_core.mistakes.engine.pipelines import Pipeline

MOST_SCORES = 800_000  # how many scores the plans of one kind may compute together
MOST_SCORES_OF_SINGLES = 6_000_000  # the same for plans with one mistake, of which the usual mistakes come first
MOST_PRODUCTS, MOST_PRODUCTS_OF_SINGLES = (
    2_000_000_000,
    500_000_000,
)  # how many products the projections of these plans may compute
RUNS_KEPT, MOST_ENTRIES = 3, 64  # runs that are stored, and the entries of their output; each takes 7 to 17 MB


_INPUTS = re.compile(r"\b(?:x|context|[wb]_[qkv])\b")
_OF_LENGTH = re.compile(r"len\((?:x|context)\)").sub  # the number of tokens is known even without the tokens


@dataclass(frozen=True, slots=True, eq=False)
class EditedRun:
    """A computation that can be run again with mistakes in its steps, to find the mistakes that give an answer.

    A mistake changes some lines of the computation's code. Results are stored, so no line runs twice on equal values.
    """

    pipeline: Pipeline
    names: Names
    mistakes: Mistakes  # the mistakes that are possible in this computation
    shown: frozenset[str]  # the names of the mistakes that change a number
    changed: frozenset[str] = frozenset()  # the names of matrices that somebody has given
    settled: frozenset[str] = frozenset()  # the names of matrices without a single wrong number: given or correct
    made_with: Mistakes = ()  # the mistakes that this computation contains
    memory: Memory = field(default_factory=lambda: Memory())
    made: dict[Plan, Array | None] = field(default_factory=lambda: {})  # the matrix that each plan gave

    @property
    def usual(self) -> Mistakes:
        """The usual mistakes. Only these are tried together with rounded steps."""
        return tuple(mistake for mistake in self.mistakes if mistake.rank == "usual")

    @property
    def paired(self) -> Mistakes:
        """The mistakes that are tried in pairs."""
        return tuple(mistake for mistake in self.mistakes if mistake.rank != "rare")

    def matrix_after(self, lines: Lines, stage: str) -> Array | None:
        """Run lines of code, and return the matrix of a stage, or None if the shapes do not fit."""
        try:
            made = np.asarray(run(lines, self.names, self.memory)[name_of(stage)])
        except ValueError:
            return None
        return made if made.ndim == np.ndim(self.names[name_of(stage)]) else None

    def expected(self, stage: str) -> Array:
        """Return the matrix of `stage` in this computation.

        It is the correct matrix, unless mistakes or somebody's own matrices have changed the computation.
        """
        return np.asarray(self.names[name_of(stage)])

    def with_own_matrix(self, stage: str, values: Array) -> EditedRun:
        """Return the computation with `values` in place of the matrix of `stage`. Later steps are computed from it.

        `values` must have the shape of the correct matrix.
        """
        changed = self.changed | {name_of(stage)}
        return self._again(self.names | {name_of(stage): values.view()}, changed, self.made_with)

    def with_mistakes(self, mistakes: Mistakes) -> EditedRun:
        """Return the computation with exactly these mistakes.

        Raises: ValueError if the shapes do not allow the mistakes.
        """
        return self._again(self.names, self.changed, mistakes)

    def _again(self, names: Names, changed: frozenset[str], mistakes: Mistakes) -> EditedRun:
        edits = (mistake.lines_in(self.pipeline) for mistake in mistakes)
        lines = edited_lines(self.pipeline.lines, *edits, changed=changed)
        found = run(lines, names) | {name: names[name] for name in changed}
        return replace(self, names=found, changed=changed, made_with=mistakes, memory={}, made={})

    def plans_leading_to(self, answer: Answer, stage: str, plans: Iterable[Plan]) -> Iterator[Plan]:
        """Yield those of `plans` (mistakes to try) that give the answer as the matrix of `stage`."""
        for each in plans:
            if all(mistake.name in self.shown for mistake in each.mistakes):
                made = self._matrix_of(each, stage)
                if made is not None and answer.matches(made):
                    yield each

    def _matrix_of(self, plan: Plan, stage: str) -> Array | None:
        if plan not in self.made:  # a plan belongs to one stage
            self.made[plan] = self.matrix_after(plan.lines, stage)
        return self.made[plan]

    def affordable_plans(self, plans: tuple[Plan, ...]) -> tuple[Plan, ...]:
        """Return the first of `plans` (mistakes to try), as many as can run in a short time.

        All plans are returned, unless there are thousands of scores.
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
        """How many products of two numbers the projections Q, K and V need, plus 1."""
        weights = {each: self.names.get(f"w_{each}") for each in ("q", "k", "v")}
        return 1 + sum(len(self.names[each]) * np.size(w) for each, w in weights.items() if w is not None)

    @property
    def tries_all(self) -> bool:
        """Whether all mistakes are tried. For very large matrices, only the more usual mistakes are tried."""
        return len(self.mistakes) <= self._most_singles

    def can_afford(self, n_plans: int) -> bool:
        """Return whether `n_plans` computations with mistakes run in a short time."""
        return n_plans * self.n_scores <= MOST_SCORES and n_plans * self.n_products <= MOST_PRODUCTS


def edited_run_of(correct_trace: Trace) -> EditedRun:
    """Return the computation of `correct_trace` in a form whose steps can be edited, with its possible mistakes.

    The results for the last few small traces are stored with all matrices that were computed with mistakes. The next
    answer to the same task then takes a sixth of the time. All visitors share the stored objects. A trace with a
    writable output is not stored.

    Raises: ValueError for the same reasons as `names_of`.
    """
    is_kept = correct_trace.output.size <= MOST_ENTRIES and not correct_trace.output.flags.writeable
    return _kept_run_of(correct_trace) if is_kept else _new_run_of(correct_trace)


def starting_from_stages(computation: EditedRun, known: frozenset[str]) -> EditedRun:
    """Return the computation of a problem that gives the matrices of the stages `known` and nothing before them.

    Mistakes in these stages are left out. Mistakes whose code uses the input or a projection matrix are left out, too,
    because the problem does not give these matrices.
    """
    if not known:
        return computation
    mistakes = tuple(
        mistake
        for mistake in computation.mistakes
        if mistake.stage not in known and not _INPUTS.search(_OF_LENGTH("", mistake.code))
    )
    return replace(computation, mistakes=mistakes, settled=computation.settled | known)


def _new_run_of(correct_trace: Trace) -> EditedRun:
    mistakes = possible_mistakes(correct_trace)
    tests = {mistake.shows: mistake.shows_in(correct_trace) for mistake in mistakes}  # many mistakes share one test
    shown = frozenset(mistake.name for mistake in mistakes if tests[mistake.shows])
    # Views, because the memory makes the arrays that a line assigns read-only.
    names: Names = {
        name: value.view() if _is_array(value) else value for name, value in names_of(correct_trace).items()
    }
    return EditedRun(pipeline_of_trace(correct_trace), names, mistakes, shown)


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray)


_kept_run_of = cache_up_to(RUNS_KEPT)(_new_run_of)


# --- chance ---

EQUAL_BY_CHANCE = 1e-2  # if numbers agree by chance with a greater probability, only usual mistakes are named
COMMONEST = ("empty_row_to_nan", "fill_of_a_billion")  # for rows whose keys are all hidden


def excludes_chance(computation: EditedRun, answer: Answer, stage: str, candidates: int) -> bool:
    """Return whether it is very improbable that an answer equals a wrong matrix by chance.

    `candidates` is the number of wrong matrices that were compared with the answer.
    """
    wanted = computation.expected(stage)
    finite = wanted[np.isfinite(wanted)]
    return answer.probability_by_chance(candidates, float(np.ptp(finite)) if finite.size else 0.0) < EQUAL_BY_CHANCE


def findings_of(plans: Iterable[Plan]) -> list[Finding]:
    """Return a finding for each set of mistakes in `plans` (computations with mistakes), the commonest first."""
    found = {each.mistakes: Finding("mistakes", each.mistakes, each.decimals, rounded=each.rounded) for each in plans}
    return sorted(found.values(), key=lambda each: each.mistakes[0].name not in COMMONEST)
