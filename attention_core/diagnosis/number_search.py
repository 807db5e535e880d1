"""The search for a number of one matrix that, changed alone, gives an answer if all later steps are correct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array
from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import OneNumber
from attention_core.diagnosis.middle import middle_changes
from attention_core.heads import merge_heads
from attention_core.mistakes.engine.code_lines import CodeLine, run
from attention_core.mistakes.engine.edits import edited_lines
from attention_core.mistakes.engine.named_traces import SCORES_TO_WEIGHTS
from attention_core.mistakes.engine.pipelines import Pipeline, pipeline_with_heads
from attention_core.mistakes.engine.rewriting import IN_HEADS

STARTS = (-8.0, -3.0, -1.0, -0.2, 0.2, 1.0, 3.0, 8.0)  # the errors of a number from which the search begins
ROUNDS, LONGEST_STEP, SMALL = 20, 3.0, 1e-6
STAGE_OF = {"q_heads": "q", "k_heads": "k", "v_heads": "v"}
FROM_QUERIES_ON = {*SCORES_TO_WEIGHTS, "q_turned", "k_turned", "bias", "biased", "heads"}


@dataclass(frozen=True, slots=True, eq=False)
class NumberSearch:
    """The search for the wrong number of a matrix. The answer results if only this number is changed."""

    computation: EditedRun
    answer: Answer
    stage: str
    name: str  # the name of the matrix

    def explaining_numbers(self) -> Iterator[OneNumber]:
        """Yield each number of the matrix that, changed alone, gives the answer, with its changed value.

        If several values give the answer, the value with the fewest decimals is taken.
        """
        cells = np.repeat(np.arange(self.matrix.size), len(STARTS))
        with np.errstate(all="ignore"):  # infinite numbers give warnings and no solution
            off = self._solve_errors(cells, np.tile(STARTS, self.matrix.size))
            fits = self._fits(cells, off)
        places = np.arange(self.matrix.size).reshape(self.matrix.shape)
        for cell in np.unique(cells[fits]):
            place = tuple(map(int, np.argwhere(places == cell)[0]))
            right = float(self.matrix[place])
            value = self._value_with_fewest_decimals(int(cell), right + float(off[fits & (cells == cell)][0]), right)
            yield OneNumber(STAGE_OF.get(self.name, self.name), place, value, right)

    @property
    def matrix(self) -> Array:
        """The matrix in which a number may be wrong."""
        return np.asarray(self.computation.names[self.name], dtype=float)

    def _solve_errors(self, cells: NDArray[np.int_], start_errors: Array) -> Array:
        """Return for each number of the matrix in `cells` (indices) the error that comes closest to the answer.

        Each error begins with its number in `start_errors`. Gauss–Newton steps improve the error.
        """
        for _ in range(ROUNDS):
            misses = self._differences(cells, start_errors)
            slopes = (self._differences(cells, start_errors + SMALL) - misses) / SMALL
            steep = (slopes**2).sum(axis=1)
            step = (misses * slopes).sum(axis=1) / np.where(steep > 0, steep, 1.0)
            start_errors = start_errors - np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        misses = self._differences(cells, start_errors)
        slopes = (self._differences(cells, start_errors + SMALL) - misses) / SMALL
        return start_errors + middle_changes(misses, slopes, self.answer.tolerance)

    def _differences(self, cells: NDArray[np.int_], errors: Array) -> Array:
        """Return the computed matrix minus the answer, as one row for each wrong number that is tried.

        In row i, only the number with the index `cells[i]` is wrong, and its error is `errors[i]`.
        """
        changed = np.repeat(self.matrix.reshape(1, -1), len(cells), axis=0)
        changed[np.arange(len(cells)), cells] += errors
        made = _stage_of_copies(self.computation, self.stage, self.name, changed.reshape(-1, *self.matrix.shape))
        return (made - self.answer.values).reshape(len(cells), -1)

    def _fits(self, cells: NDArray[np.int_], errors: Array) -> NDArray[np.bool_]:
        return np.abs(self._differences(cells, errors)).max(axis=1) <= self.answer.tolerance

    def _value_with_fewest_decimals(self, cell: int, solved: float, correct_value: float) -> float:
        """Return the value with the fewest decimals that still gives the answer.

        `cell` is the index of the number in the flattened matrix, `solved` is the exact solution for its value, and
        `correct_value` is its correct value.
        """
        values = np.array([*(round(solved, decimals) for decimals in range(5)), solved])
        fits = self._fits(np.full(len(values), cell), values - correct_value)
        return float(values[np.argmax(fits)]) if fits.any() else solved


@cache
def _lines_of_a_head(pipeline: Pipeline) -> tuple[CodeLine, ...]:
    """Return the lines of code that compute attention with several heads after the projections.

    The lines also work on arrays with more axes in front.
    """
    return tuple(line for line in pipeline_with_heads(pipeline).lines if {*line.gives} <= FROM_QUERIES_ON)


def _stage_of_copies(computation: EditedRun, stage: str, name: str, changed: Array) -> Array:
    """Return the matrix of a stage for many versions of an earlier matrix.

    `name` is the name of the earlier matrix, and `changed` has its versions along the first axis.
    """
    several = computation.has_several_heads
    names = computation.names | (
        {} if several else {IN_HEADS[each]: computation.names[each] for each in ("q", "k", "v")}
    )
    name = name if several else IN_HEADS.get(name, name)
    after = run(edited_lines(_lines_of_a_head(computation.pipeline), changed=(name,)), names | {name: changed})
    if stage in (*SCORES_TO_WEIGHTS, "heads") or not several:
        return np.asarray(after[stage if stage in SCORES_TO_WEIGHTS else "heads"])
    concat = merge_heads(after["heads"])
    return concat if stage == "concat" else concat @ names["w_o"] + names["b_o"]
