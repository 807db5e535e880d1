"""Simple causes that are not in the catalogue: a row copied over another row, or one factor for all numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import numpy as np

from attention_core.checks import Array
from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.by_chance import excludes_chance
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import Finding
from attention_core.diagnosis.stages import name_of
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
    """Yield each possible copy of a row: the matrix, the index of the replaced row, and the index of the copied row.

    Copies in the answer itself come last. `wrong` holds the indices of the wrong rows of the answer. A copied row of K
    or V can make several rows wrong. A copied row of any other matrix can make only the same row wrong.
    """
    for name in [*_matrices_before(computation, stage), stage]:
        matrix = computation.expected(name)
        if matrix.ndim == 2 and len(matrix) <= MOST_ROWS and (name in ("k", "v") or len(wrong) == 1):
            pairs = permutations(range(len(matrix)), 2)
            yield from ((name, row, source) for row, source in pairs if name in ("k", "v") or [row] == wrong)


def _order_of_copy(computation: EditedRun, name: str, row: int, source: int) -> list[int]:
    """Return a list of row indices that copies row `source` over row `row`: 3 rows, row 0, source 2 give [2, 1, 2]."""
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
