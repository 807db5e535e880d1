"""Explain a wrong matrix by the simplest cause that gives exactly these numbers and is not a coincidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, Answer, Finding, OneNumber
from attention_core.diagnosis.edited_run import EQUAL_BY_CHANCE, EditedRun, excludes_chance, findings_of
from attention_core.diagnosis.one_number import can_search_everywhere, is_writing_error, one_number
from attention_core.diagnosis.other_keys import other_keys, other_scale
from attention_core.diagnosis.rounding import chance_of_rounding
from attention_core.diagnosis.stages import (
    POWERS,
    Plan,
    lines_to_compute,
    name_of,
    pairs,
    rounded_singles,
    roundings,
    singles,
)
from attention_core.mistakes import Mistake
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.edits import edited_lines

MOST_ROWS = 8  # of a matrix that is searched for a copied row
FEWEST = 3  # different numbers that must have the same factor
LEAST = 1e-2  # relative: a factor this near to 1 is rounding
WITH_ROWS = (
    "q",
    "k",
    "v",
    "scores",
    "scaled",
    "weights",
    "concat",
)  # the matrices before the result whose rows may be moved


def copied_row(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each copy of one row over another row that explains the wrong answer.

    The row may have been copied in the answer or in an earlier matrix. Often the same copy in several matrices gives
    the same answer. Then `stages` of the finding names all these matrices, and `step` the last of them.
    """
    if computation.changed or not answer.is_finite or answer.rows or answer.columns:
        return []
    expected = computation.expected(stage)
    if answer.values.shape != expected.shape:
        return []
    wrong = np.flatnonzero(~answer.agrees(expected).all(axis=1)).tolist() if expected.ndim == 2 else []
    tried = [*_copies(computation, stage, wrong)]
    if (
        not tried
        or not excludes_chance(computation, answer, stage, len(tried))
        or answer.matches(computation.expected(stage))
    ):
        return []
    found: dict[tuple[int, int], list[str]] = {}
    for name, row, source in tried:
        if answer.matches(_stage_with_rows(computation, stage, name, _order_of_copy(computation, name, row, source))):
            found.setdefault((row, source), []).append(name)
    return [Finding("copied_row", step=stages[-1], order=rows, stages=tuple(stages)) for rows, stages in found.items()]


def stages_of_reordered_rows(computation: EditedRun, stage: str, order: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names of the matrices whose rows may have been reordered, if an answer has its rows in another order.

    `order` is the order of the correct rows in the answer. The names are earlier matrices that give this answer if
    their rows are reordered, and at the end the answer itself, `stage`.
    """
    wanted = computation.expected(stage)[list(order)]
    names = [name for name in _matrices_before(computation, stage) if len(computation.expected(name)) == len(order)]
    moved = [name for name in names if np.allclose(_stage_with_rows(computation, stage, name, list(order)), wanted)]
    return (*moved, stage)


def _matrices_before(computation: EditedRun, stage: str) -> list[str]:
    """Return the names of matrices before `stage` whose rows may have been moved. Given matrices are left out."""
    names, asked = computation.pipeline.names, name_of(stage)
    before = [name for name in WITH_ROWS if name in names and names.index(name) < names.index(asked)]
    return [
        name
        for name in before
        if name not in computation.settled | computation.changed and computation.expected(name).ndim == 2
    ]


def _copies(computation: EditedRun, stage: str, wrong: list[int]) -> Iterator[tuple[str, int, int]]:
    for name in [*_matrices_before(computation, stage), stage]:
        matrix = computation.expected(name)
        if matrix.ndim == 2 and len(matrix) <= MOST_ROWS and (name in ("k", "v") or len(wrong) == 1):
            pairs = permutations(range(len(matrix)), 2)
            yield from ((name, row, source) for row, source in pairs if name in ("k", "v") or [row] == wrong)


def _order_of_copy(computation: EditedRun, name: str, row: int, source: int) -> list[int]:
    order = [*range(len(computation.expected(name)))]
    order[row] = source
    return order


def _stage_with_rows(computation: EditedRun, stage: str, name: str, order: list[int]) -> Array:
    """Return the matrix of a stage, computed with the rows of the matrix `name` in another order: `matrix[order]`."""
    matrix = computation.expected(name)[order]
    if name == stage:
        return matrix
    moved = {name_of(name): matrix}
    return np.asarray(
        run(edited_lines(computation.pipeline.lines, changed=moved), computation.names | moved)[name_of(stage)]
    )


def one_factor(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding if each number of an answer is the correct number times the same factor; otherwise []."""
    wanted, answer = computation.expected(stage), replace(answer, is_coarse=True)
    if answer.values.shape != wanted.shape or not answer.is_finite or not np.isfinite(wanted).all():
        return []
    largest = np.unravel_index(int(np.abs(wanted).argmax()), wanted.shape)
    factor = float(answer.values[largest] / wanted[largest]) if wanted[largest] else 0.0
    is_another = abs(factor) > LEAST and abs(factor - 1) > LEAST
    tells = len(np.unique(np.abs(wanted).round(answer.decimals))) >= FEWEST and excludes_chance(
        computation, answer, stage, 1
    )
    off = np.abs(answer.values - factor * wanted)
    bound = answer.tolerance * (1 + abs(wanted / wanted[largest] if wanted[largest] else 0.0))
    return [Finding("one_factor", factor=factor)] if is_another and tells and (off <= bound).all() else []


# --- two mistakes, and answers whose rows or columns are all equal ---

FEW = 2  # pairs that may be named without a shared mistake


def two_mistakes(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each pair of mistakes that together give an answer.

    Return [] if too many unrelated pairs give the answer, because nothing then shows which pair was made.
    """
    if computation.changed:
        return []
    plans = pairs(computation.pipeline, name_of(stage), computation.paired)
    enough = computation.can_afford(len(plans)) and excludes_chance(computation, answer, stage, len(plans))
    found = findings_of(computation.plans_leading_to(answer, stage, plans)) if enough else []
    return found if _can_be_named(_most_usual(found)) else []


def _can_be_named(pairs: list[Finding]) -> bool:
    """Return whether pairs of mistakes that all give the same answer may be named.

    They may be named if they are few, or if shared mistakes connect them all, as in A with B, and B with C. Many
    unrelated pairs prove nothing.
    """
    left = [{mistake.name for mistake in each.mistakes} for each in pairs]
    together = left.pop() if left else set[str]()
    while near := [each for each in left if each & together]:
        left = [each for each in left if not each & together]
        together = together.union(*near)
    return len(pairs) <= FEW or not left


def _most_usual(findings: list[Finding]) -> list[Finding]:
    return [each for each in findings if all(mistake.rank == "usual" for mistake in each.mistakes)] or findings


def rows_or_columns_equal(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return findings about a wrong answer whose rows, or columns, are all equal; otherwise [].

    If the equal rows are a row of the correct matrix, the only finding names this row. Otherwise, return the pairs of
    mistakes that give the answer, if one of the two mistakes alone makes all rows equal. Without such a pair, return a
    finding that names no cause. The same holds for columns.
    """
    values, expected = answer.values, computation.expected(stage)
    if values.ndim != 2 or values.shape != expected.shape:
        return []
    equal = {"rows": (values, expected), "columns": (values.T, expected.T)}
    for which, (ours, right) in equal.items():
        if len(ours) > 1 and _are_equal(ours, answer) and not _are_equal(right, answer):
            repeated = np.flatnonzero((np.abs(right - ours[0]) <= 2 * answer.tolerance).all(axis=1))
            if len(repeated):
                return [Finding("all_equal", step=which, order=(int(repeated[0]),))]
            pairs = two_mistakes(computation, answer, stage)
            kept = [
                each
                for each in pairs
                if any(_makes_equal(computation, mistake, stage, which) for mistake in each.mistakes)
            ]
            return kept or [Finding("all_equal", step=which)]
    return []


def _makes_equal(computation: EditedRun, mistake: Mistake[Any], stage: str, which: str) -> bool:
    lines = lines_to_compute(computation.pipeline, name_of(stage), mistake.lines_in(computation.pipeline))
    made = computation.matrix_after(lines, stage) if lines else None
    ours = None if made is None else made if which == "rows" else made.T
    return ours is not None and bool(np.allclose(ours, ours[:1]))


def _are_equal(rows: Array, answer: Answer) -> bool:
    return bool((np.abs(rows - rows[0]) <= 2 * answer.tolerance).all())


# --- all of these, and other causes, in their order ---

MOST_ON_THE_WAY = 5  # decimals to which steps are rounded


def skipped_searches(computation: EditedRun, stage: str) -> list[str]:
    """Return the names of the searches that would take too long: some of "rare", "pairs" and "one_number"."""
    affordable = {
        "rare": computation.tries_all,
        "pairs": computation.can_afford(len(pairs(computation.pipeline, name_of(stage), computation.paired))),
        "one_number": can_search_everywhere(computation, stage),
    }
    return [what for what, is_affordable in affordable.items() if not is_affordable]


def one_mistake(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each single mistake that gives the answer.

    Rare mistakes are tried only if the answer has enough numbers to exclude chance.
    """
    plans = _singles(computation, stage)
    if not excludes_chance(computation, answer, stage, len(plans)):
        return one_usual_mistake(computation, answer, stage)
    return findings_of(computation.plans_leading_to(answer, stage, plans))


def one_usual_mistake(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each usual mistake that gives the answer without any other mistake."""
    plans = (plan for plan in _singles(computation, stage) if plan.mistakes[0].rank == "usual")
    return findings_of(computation.plans_leading_to(answer, stage, plans))


def _singles(computation: EditedRun, stage: str) -> tuple[Plan, ...]:
    return computation.affordable_plans(
        singles(computation.pipeline, name_of(stage), computation.mistakes, computation.changed)
    )


def one_mistake_rounded(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a finding for each usual mistake that gives the answer if the steps, or only the weights, are rounded.

    The steps are rounded to the decimals of the answer, and at least to two decimals.
    """
    if computation.changed or answer.decimals >= MOST_DECIMALS:
        return []
    decimals = max(answer.decimals, FEWEST_DECIMALS)
    plans = rounded_singles(computation.pipeline, name_of(stage), computation.usual, decimals)
    enough = computation.can_afford(len(plans)) and excludes_chance(computation, answer, stage, len(plans))
    return findings_of(computation.plans_leading_to(answer, stage, plans)) if enough else []


def explain_by_rounding(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a list with one finding if an answer results from correct but rounded steps; otherwise [].

    The finding names as few rounded steps as possible. Return [] also if the numbers may have another reason: a single
    wrong number may be a typing mistake.
    """
    if answer.values.shape != computation.expected(stage).shape:
        return []
    plans = [
        each
        for each in _ways_of_rounding(computation, stage, min(answer.decimals + 1, MOST_ON_THE_WAY))
        if _is_plausible_rounding(each)
    ]
    found = next(computation.plans_leading_to(answer, stage, plans), None)
    if found is None:
        return []
    by_chance = chance_of_rounding(computation, answer, stage, found.decimals or 0) * (plans.index(found) + 1)
    return (
        [Finding("on_the_way", decimals=found.decimals, rounded=found.rounded)] if by_chance < EQUAL_BY_CHANCE else []
    )


def _is_plausible_rounding(plan: Plan) -> bool:
    is_after_weights = any("weights" in line.gives for line in plan.lines[:-1])
    return "weights" in plan.rounded or not is_after_weights or not POWERS & {*plan.rounded}


def explain_not_finite(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return the findings about an answer with NaN or infinite numbers: mistakes, or a wrong mask.

    If the answer has no finite number, the only finding is of the kind "no_numbers". If the answer has too few finite
    numbers to exclude chance, only usual mistakes and mistakes of masks are named.
    """
    if not np.isfinite(answer.values).any():
        usual = one_usual_mistake(computation, answer, stage)
        return [Finding("no_numbers", further_mistakes=tuple(mistake for each in usual for mistake in each.mistakes))]
    found = findings_of(computation.plans_leading_to(answer, stage, _singles(computation, stage)))
    if not excludes_chance(computation, answer, stage, len(computation.mistakes)):
        found = [each for each in found if _makes_no_numbers(each)]
    return found or other_keys(computation, answer, stage)


def _makes_no_numbers(finding: Finding) -> bool:
    (mistake,) = finding.mistakes
    return mistake.rank == "usual" or (mistake.stage in ("masked", "weights") and "mask" in mistake.name)


def explained_by_errors(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return the findings of the simplest explanation of a wrong matrix, or [] if no explanation is found.

    The explanations are tried in turn: one mistake, a wrong mask, one changed number, a copied row, one factor for all
    numbers, another scale, a mistake with rounding, equal rows, and two mistakes.
    """
    if not answer.is_finite and np.isfinite(computation.expected(stage)).all():
        return explain_not_finite(computation, answer, stage)
    found = one_mistake(computation, answer, stage)
    if any(each.mistakes[0].rank == "usual" for each in found):
        return found
    keys = [] if any(each.mistakes[0].stage == "masked" for each in found) else other_keys(computation, answer, stage)
    return (
        [*keys, *found]
        if keys
        else _one_number(computation, answer, stage, found)
        or found
        or copied_row(computation, answer, stage)
        or one_factor(computation, answer, stage)
        or other_scale(computation, answer, stage)
        or one_mistake_rounded(computation, answer, stage)
        or rows_or_columns_equal(computation, answer, stage)
        or two_mistakes(computation, answer, stage)
    )


def one_number_in_wrong_row(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return findings about single changed numbers that explain an answer with exactly one wrong row; otherwise [].

    A usual mistake may explain the same answer. The numbers cannot show whether it was this mistake or an error in
    arithmetic, so both are named.
    """
    wanted = computation.expected(stage)
    if answer.values.shape != wanted.shape or computation.changed or answer.rows:
        return []
    rows = np.unique(np.argwhere(~answer.agrees(wanted))[:, :-1], axis=0)
    return one_number(computation, answer, stage) if len(rows) == 1 else []


def _one_number(computation: EditedRun, answer: Answer, stage: str, rare_findings: list[Finding]) -> list[Finding]:
    also = tuple(mistake for each in rare_findings for mistake in each.mistakes)
    numbers = one_number(computation, answer, stage)
    if rare_findings and not any(each.kind == "one_number" or _is_slip_of_the_pen(each.changed) for each in numbers):
        return []
    return [replace(each, further_mistakes=also) for each in numbers]


def _is_slip_of_the_pen(changed: OneNumber | None) -> bool:
    return changed is not None and is_writing_error(changed.value, changed.correct_value)


def _ways_of_rounding(computation: EditedRun, stage: str, most: int) -> Iterator[Plan]:
    for decimals in range(FEWEST_DECIMALS, most + 1):
        plans = roundings(computation.pipeline, name_of(stage), decimals)
        yield from plans if computation.can_afford(len(plans)) else plans[:1]
