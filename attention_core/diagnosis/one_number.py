"""One changed number: which number, set to which value, gives exactly this answer when all else is computed rightly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from attention_core.checks import Array
from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.finding import OneNumber
from attention_core.heads import merge_heads
from attention_core.slips.engine.edits import edited_lines
from attention_core.slips.engine.in_heads import IN_HEADS
from attention_core.slips.engine.named_traces import SCORES_TO_WEIGHTS
from attention_core.slips.engine.pipelines import HEADS
from attention_core.slips.engine.running import run

MOST_LISTED = 4
STARTS = (-8.0, -3.0, -1.0, -0.2, 0.2, 1.0, 3.0, 8.0)  # by how much the number may be off, to begin with
ROUNDS, LONGEST_STEP, SMALL = 20, 3.0, 1e-6
MOST_TRIED = 12_000_000  # how many numbers may be multiplied to change all that are tried once
POWER = 15  # a power takes as long as so many products
SOLVED = ("q", "k", "v", "scores", "weights")  # the matrices in which a single changed number is looked for
AFTER = (*SCORES_TO_WEIGHTS, "heads", "concat", "output")
STAGE_OF = {"q_heads": "q", "k_heads": "k", "v_heads": "v"}
LINES_OF_A_HEAD = tuple(
    line for line in HEADS.lines if {*line.gives} <= {*SCORES_TO_WEIGHTS, "heads"}
)  # any axes may come first


def one_number(work: EditedRun, answer: Answer, stage: str) -> list[OneNumber]:
    """Return up to four single numbers that explain an answer; the plainest value comes first."""
    expected = work.expected(stage)
    if answer.values.shape != expected.shape:
        return []
    wrong = np.argwhere(~answer.agrees(expected))
    if len(wrong) == 1:
        place = tuple(int(i) for i in wrong[0])
        return [OneNumber(stage, place, float(answer.values[place]), float(expected[place]))]
    if stage not in AFTER or not np.isfinite(answer.values).all():
        return []
    tried = [name for name in _matrices(work, stage) if _may_reach(name, wrong, is_one_head=not work.has_several_heads)]
    found = [each for name in tried for each in _Search(work, answer, stage, name).found()]
    return sorted(found, key=lambda each: (_digits(each.value), abs(each.value - each.instead)))[:MOST_LISTED]


def _matrices(work: EditedRun, stage: str) -> Iterator[str]:
    """Yield the names of the matrices before a stage in which a number may be wrong, if they are small enough."""
    left = MOST_TRIED
    for name in _before(work, stage):
        needed = _tried(work, stage, name)
        if needed <= left:
            left -= needed
            yield name


def _before(work: EditedRun, stage: str) -> list[str]:
    """Return the names of the matrices before a stage in which a single number may be wrong."""
    several = work.has_several_heads
    order = ["q", "k", *SCORES_TO_WEIGHTS, "v"]  # none of these but the values comes after the weights
    before = [each for each in order[: order.index(stage) if stage in order else None] if each in SOLVED]
    return [IN_HEADS.get(each, each) if several else each for each in before]


def looks_everywhere(work: EditedRun, stage: str) -> bool:
    """Say whether a changed number is looked for in all matrices before a stage, or some are too large for that."""
    return stage not in AFTER or sum(_tried(work, stage, name) for name in _before(work, stage)) <= MOST_TRIED


def _tried(work: EditedRun, stage: str, name: str) -> int:
    """Return how many numbers are multiplied to change each number of a matrix, once from each start."""
    matrix, scores, values = work.names[name], np.size(work.names["scores"]), work.names["v"]
    once = matrix.size + scores * POWER
    if name not in SCORES_TO_WEIGHTS:
        once += scores * matrix.shape[-1]
    if stage not in SCORES_TO_WEIGHTS:
        once += scores * values.shape[-1]
    if work.has_several_heads and stage == "output":
        once += np.size(work.names["concat"]) * np.shape(work.names["w_o"])[-1]
    return int(matrix.size * len(STARTS) * once)


def _may_reach(name: str, wrong: NDArray[np.int_], *, is_one_head: bool) -> bool:
    """Say whether one number of a matrix can change all that is wrong: most change a row, a value changes a column."""
    rows, columns = (len(np.unique(wrong[:, axis])) for axis in (-2, -1))
    if name.startswith("v"):
        return columns == 1 or not is_one_head
    return rows == 1 or name.startswith("k")


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The search for a number of one matrix that explains an answer."""

    work: EditedRun
    answer: Answer
    stage: str
    name: str  # the name of the matrix

    def found(self) -> Iterator[OneNumber]:
        """Solve for each number, from several starts at once, and yield those that fit."""
        cells = np.repeat(np.arange(self.matrix.size), len(STARTS))
        off = self._solved(cells, np.tile(STARTS, self.matrix.size))
        fits, places = self._fits(cells, off), np.arange(self.matrix.size).reshape(self.matrix.shape)
        for cell in np.unique(cells[fits]):
            place = tuple(map(int, np.argwhere(places == cell)[0]))
            right = float(self.matrix[place])
            value = self._plainest(int(cell), right + float(off[fits & (cells == cell)][0]), right)
            yield OneNumber(STAGE_OF.get(self.name, self.name), place, value, right)

    @property
    def matrix(self) -> Array:
        return np.asarray(self.work.names[self.name], dtype=float)

    def _solved(self, cells: NDArray[np.int_], off: Array) -> Array:
        """Improve by how much each number is off, as Gauss and Newton do."""
        for _ in range(ROUNDS):
            misses = self._misses(cells, off)
            slopes = (self._misses(cells, off + SMALL) - misses) / SMALL
            steep = (slopes**2).sum(axis=1)
            step = (misses * slopes).sum(axis=1) / np.where(steep > 0, steep, 1.0)
            off = off - np.clip(step, -LONGEST_STEP, LONGEST_STEP)
        return off

    def _misses(self, cells: NDArray[np.int_], off: Array) -> Array:
        """Return by how much the answer is missed when each number is off by so much: one row for each number."""
        changed = np.repeat(self.matrix.reshape(1, -1), len(cells), axis=0)
        changed[np.arange(len(cells)), cells] += off
        made = _made(self.work, self.stage, self.name, changed.reshape(-1, *self.matrix.shape))
        return (made - self.answer.values).reshape(len(cells), -1)

    def _fits(self, cells: NDArray[np.int_], off: Array) -> NDArray[np.bool_]:
        return np.abs(self._misses(cells, off)).max(axis=1) <= self.answer.tolerance

    def _plainest(self, cell: int, solved: float, right: float) -> float:
        """Return the value with the fewest decimals that still gives the answer."""
        values = np.array([*(round(solved, decimals) for decimals in range(5)), solved])
        fits = self._fits(np.full(len(values), cell), values - right)
        return float(values[np.argmax(fits)]) if fits.any() else solved


def _made(work: EditedRun, stage: str, name: str, changed: Array) -> Array:
    """Compute a stage from many copies of a matrix at once, of one head or of several."""
    several = work.has_several_heads
    names = work.names | ({} if several else {IN_HEADS[each]: work.names[each] for each in ("q", "k", "v")})
    name = name if several else IN_HEADS.get(name, name)
    after = run(edited_lines(LINES_OF_A_HEAD, changed=(name,)), names | {name: changed})
    if stage in SCORES_TO_WEIGHTS or not several:
        return np.asarray(after[stage if stage in SCORES_TO_WEIGHTS else "heads"])
    concat = merge_heads(after["heads"])
    return concat if stage == "concat" else concat @ names["w_o"] + names["b_o"]


def _digits(value: float) -> int:
    """Return how many decimals a value needs."""
    return next((decimals for decimals in range(5) if round(value, decimals) == value), 5)
