"""Explain an answer as a whole, without searching for a mistake.

The answer may be correct, have only some rows, have moved numbers, have too few decimals, be the correct matrix of
another step, or be computed from rounded inputs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, Answer, Finding
from attention_core.diagnosis.edited_run import EditedRun, excludes_chance
from attention_core.diagnosis.explaining import one_mistake, one_usual_mistake, stages_of_reordered_rows
from attention_core.diagnosis.stages import STAGES, name_of
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.edits import edited_lines

WIDEST = 64  # columns: of wider matrices, only the first ones may be pasted
MOST_STEPS = 30  # matrices of other steps that are tried
BY_CHANCE = 1e-2  # with a greater probability of a coincidence, no other step is named


def as_a_whole(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    """Return the findings about an answer with a simple explanation, and [] for any other answer.

    Such an answer is correct, has only some rows or columns, has moved numbers, is the correct matrix of another step,
    or has too few decimals to prove anything.
    """
    return (
        _of_incomplete_answer(answer, computation, stage)
        or _of_correct_answer(answer, computation, stage)
        or _find_moved_numbers(answer, computation, stage)
        or _of_another_step(answer, computation, stage)
        or _of_first_columns(answer, computation, stage)
        or _of_too_few_decimals(answer, computation, stage)
    )


def _of_correct_answer(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    if answer.matches(computation.expected(stage)):
        full = replace(answer, decimals=MOST_DECIMALS).matches(computation.expected(stage))
        return [Finding("right") if full else Finding("rounded", decimals=answer.decimals)]
    return []


def _of_too_few_decimals(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    """Return the findings about an answer with fewer than two decimals that is correct up to rounding; otherwise [].

    The findings name usual mistakes that give exactly this answer. If there are none, the only finding has the kind
    "coarse": the decimals are too few.
    """
    wanted = computation.expected(stage)
    if answer.decimals >= FEWEST_DECIMALS or answer.values.shape != wanted.shape:
        return []
    if not answer.agrees(wanted, answer.rounding).all():
        return []
    return one_usual_mistake(computation, answer, stage) or [Finding("coarse", decimals=answer.decimals)]


def mistakes_with_few_decimals(computation: EditedRun, answer: Answer, stage: str) -> list[Finding]:
    """Return a list with one finding: it names the usual mistakes that give an answer with fewer than two decimals.

    Return [] if there are no such mistakes, or chance may be the reason.
    """
    coarse = replace(answer, is_coarse=True)
    if (
        answer.decimals >= FEWEST_DECIMALS
        or not answer.is_finite
        or not excludes_chance(computation, coarse, stage, len(computation.usual))
    ):
        return []
    mistakes = tuple(mistake for each in one_usual_mistake(computation, coarse, stage) for mistake in each.mistakes)
    return [Finding("coarse", decimals=answer.decimals, further_mistakes=mistakes)] if mistakes else []


def _find_moved_numbers(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    """Return the findings about an answer with correct but moved numbers: transposed, or with its rows reordered."""
    wanted = computation.expected(stage)
    if wanted.ndim == 2 and answer.matches(wanted.T):
        return [Finding("transposed"), *one_mistake(computation, answer, stage)]
    found = [
        Finding("reordered", order=order, stages=stages_of_reordered_rows(computation, stage, order))
        for order in _row_orders(answer, wanted)
    ]
    return [*found, *one_mistake(computation, answer, stage)] if found else []


def _of_another_step(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    """Return the findings about an answer that is the correct matrix of another step than `stage`; otherwise [].

    If usual mistakes at `stage` give the same numbers, the findings name these mistakes.
    """
    steps = [(step, head) for step, head, matrix in _other_steps(computation, stage) if answer.matches(matrix)]
    if not steps or answer.probability_by_chance(MOST_STEPS, 1.0) > BY_CHANCE:
        return []
    step, head = steps[0]
    usual = [replace(each, step=step, head=head) for each in one_usual_mistake(computation, answer, stage)]
    return usual or [Finding("other_step", step=step, head=head)]


def _other_steps(computation: EditedRun, stage: str) -> Iterator[tuple[str, int | None, Array]]:
    """Yield the name, the head and the correct matrix of each step other than `stage`, the nearest step first.

    The head is None for a matrix that is not split into heads.
    """
    names = [name for name in computation.pipeline.names if name_of(stage) != name and name not in computation.changed]
    place = computation.pipeline.names.index(name_of(stage))
    for name in sorted(names, key=lambda name: abs(computation.pipeline.names.index(name) - place)):
        matrix, step = np.asarray(computation.names.get(name, 0.0)), "encoding" if name == "sinusoidal" else name
        is_unmasked = name == "masked" and np.isfinite(matrix).all()  # these are the scaled scores
        if not is_unmasked and step in STAGES and matrix.ndim in (2, 3):
            heads = enumerate(matrix) if matrix.ndim == 3 else [(None, matrix)]
            yield from ((step, head, one) for head, one in heads)
    if "masked" in computation.names and np.ndim(computation.names["scores"]) == 2:  # masked before they are scaled
        yield (
            "masked",
            None,
            np.where(np.isneginf(computation.expected("masked")), -np.inf, computation.expected("scores")),
        )


def _of_incomplete_answer(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    """Return the findings about an answer with too few rows or columns; otherwise [].

    Pairs of mistakes are not tried, because too many pairs would fit.
    """
    (n_rows, width), (n_wanted, wanted_width) = answer.values.shape[-2:], computation.expected(stage).shape[-2:]
    if n_rows == n_wanted and _may_be_cut(width, wanted_width):
        return _of_columns(answer, computation, stage)
    if n_rows >= n_wanted or width != wanted_width:
        return []
    parts = [tuple(range(first, first + n_rows)) for first in range(n_wanted - n_rows + 1)]
    found = [(rows, _of_correct_answer(replace(answer, rows=rows), computation, stage)) for rows in parts]
    if not any(findings for _, findings in found):
        found = [(rows, one_mistake(computation, replace(answer, rows=rows), stage)) for rows in parts]
    return [replace(finding, rows=rows) for rows, findings in found for finding in findings]


def _may_be_cut(width: int, wanted: int) -> bool:
    return 1 < width < wanted and wanted > WIDEST


def _of_columns(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    """Return a finding if an answer has only some neighbouring columns of the correct matrix; otherwise []."""
    width, wanted = answer.values.shape[-1], computation.expected(stage).shape[-1]
    for first in range(wanted - width + 1):
        part = replace(answer, columns=tuple(range(first, first + width)))
        if part.matches(computation.expected(stage)):
            return [replace(each, columns=part.columns) for each in _of_correct_answer(part, computation, stage)]
    return []


def _of_first_columns(answer: Answer, computation: EditedRun, stage: str) -> list[Finding]:
    (n_rows, width), (n_wanted, wanted_width) = answer.values.shape[-2:], computation.expected(stage).shape[-2:]
    if n_rows != n_wanted or not _may_be_cut(width, wanted_width):
        return []
    part = replace(answer, columns=tuple(range(width)))
    return [replace(each, columns=part.columns) for each in one_usual_mistake(computation, part, stage)]


def _row_orders(answer: Answer, wanted: Array) -> Iterator[tuple[int, ...]]:
    """Yield the order of the rows in an answer that has the correct rows in another order.

    The order (1, 0) means: the first row of the answer is the correct row 1, and the second row is the correct row 0.
    Yield nothing if a row of the answer equals no correct row. Equal rows keep their order, unless all rows are
    reversed.
    """
    if wanted.ndim != 2 or answer.values.shape != wanted.shape:
        return
    if answer.matches(wanted[::-1]):
        yield tuple(reversed(range(len(wanted))))
        return
    order, left = list[int](), list(range(len(wanted)))
    for row in answer.values:
        one = replace(answer, values=row)
        place = next((place for place in left if one.matches(wanted[place])), None)
        if place is None:
            return
        order.append(place)
        left.remove(place)
    yield tuple(order)


# --- rounded inputs, as the page shows them ---

SHOWN = (2, 4)  # decimals with which the pages show the numbers of a task


def rounded_inputs(computation: EditedRun, answer: Answer, stage: str) -> tuple[list[Finding], EditedRun]:
    """Return the findings about an answer that was computed from rounded inputs, and the computation from these inputs.

    The inputs are rounded to the decimals that a page shows. The computation from them may be correct, or have a usual
    mistake. If neither gives the answer, return [] and the exact computation.
    """
    for decimals in SHOWN:
        rounded = _with_rounded_inputs(computation, decimals)
        if rounded is None or not excludes_chance(computation, answer, stage, len(rounded.usual) * len(SHOWN)):
            continue
        if answer.matches(rounded.expected(stage)):
            return [Finding("rounded_inputs", decimals=decimals)], rounded
        found = one_usual_mistake(rounded, answer, stage)
        if found:
            return [replace(each, rounded=("inputs",), decimals=decimals) for each in found], rounded
    return [], computation


def _with_rounded_inputs(computation: EditedRun, decimals: int) -> EditedRun | None:
    """Return the computation from rounded inputs, or None if rounding does not change the inputs."""
    exact = {
        name: np.asarray(computation.names[name], dtype=float)
        for name in computation.pipeline.matrices
        if name in computation.names
    }
    moved = {name: np.round(m, decimals) for name, m in exact.items() if (np.round(m, decimals) != m).any()}
    if not moved or computation.settled:
        return None
    made = run(edited_lines(computation.pipeline.lines, changed=moved), computation.names | moved)
    return replace(computation, names=made | moved, memory={}, made={})
