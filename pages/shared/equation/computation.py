"""What each cell of a matrix is computed from: its calculation, and the formula of the matrix for the browser."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from attention_core.arithmetic import Cell, CellCalculations, ExplainedTrace, Rules, explain, rules_of, shape_of
from attention_core.arithmetic.formula_data import as_data
from attention_core.arithmetic.formulas import Entry, Formula, entries_of, given_rules, whole

Formulas = dict[str, dict[str, Any]]  # by the id of a matrix: its shape, and its formula or its numbers

MOST_GIVEN = 4096  # a given matrix with more numbers is not sent to the browser
_READ = re.compile(r"^([\w.]+)\[([^,]+),([^\]]+)\]$")


class Computation:
    """A trace with what the browser needs to compute and explain its cells: formulas, column names, ids of matrices.

    A trace has all intermediate results of a computation. The id of a matrix is its name in the trace, such as
    "weights.1" for head 1 of the weights, until `renamed` changes it.

    This is not a dataclass, because `cache_recent` locks arrays, and searches each dataclass for them. That would take
    time for each matrix.
    """

    __slots__ = ("_behind", "_explained_by", "_rename", "_rules", "names", "trace")

    def __init__(
        self,
        trace: ExplainedTrace,
        names: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        *,
        rename: Callable[[str], str] = str,
        rules: Rules | None = None,
        explained_by: Computation | None = None,
        behind: Computation | None = None,
    ) -> None:
        self.trace = trace
        self.names = names  # the column names of each matrix, by its name in the trace, such as "heads.1"
        self._rename = rename
        self._rules = rules  # None until they are needed: writing them takes time
        self._behind = behind  # has the formulas of matrices that this computation reads, but does not compute
        self._explained_by = explained_by  # explains the cells instead, such as the correct computation for a mistake

    @property
    def rules(self) -> Rules:
        """The matrices of the trace with their formulas, by name."""
        if self._rules is None:
            self._rules = rules_of(self.trace)
        return self._rules

    def cell(self, name: str, index: tuple[int, ...]) -> Cell | None:
        """Return the explanation of one cell, or None if there is no such cell."""
        if self._explained_by:
            return self._explained_by.cell(name, index)
        worked = CellCalculations(self.rules)
        shape = shape_of(worked, name)
        own = index[-len(shape) :]  # the index of a bias has only a column
        inside = shape and len(shape) <= len(index) and all(i < n for i, n in zip(own, shape, strict=True))
        return explain(worked, name, own) if inside else None

    def of(self, trace: ExplainedTrace) -> Computation:
        """Return a computation for another trace. It has the same column names and the same ids of matrices."""
        return Computation(trace, self.names, rename=self._rename)

    def renamed(self, rename: Callable[[str], str]) -> Computation:
        """Return the same computation with other ids for its matrices. `rename` returns the new id for an old one."""
        before, explained_by, behind = self._rename, self._explained_by, self._behind

        def again(name: str) -> str:
            return rename(before(name))

        return Computation(
            self.trace, self.names, rename=again, rules=self.rules, explained_by=explained_by, behind=behind
        )

    def with_mistake(self, wrong: CellCalculations, rename: Callable[[str], str]) -> Computation:
        """Return the computation `wrong`, whose cells are explained by this correct one. `rename` returns its ids."""
        return Computation(wrong, self.names, rename=rename, explained_by=self)

    def add_formulas(self, name: str, part: Sequence[int], found: Formulas) -> None:
        """Add to `found` the formula of a matrix, and those of all matrices from which it is computed.

        `name` is the name of the matrix in the trace, and `part` the number of its head or token, if it has one. A
        given matrix has its numbers in place of a formula, and a matrix that cannot be computed in the browser neither.
        """
        id = self._id(name, *part)
        if id in found:
            return
        if name not in self.rules:
            if self._behind:
                self._behind.add_formulas_of_id(id, found)
            return
        values, formula = self.rules[name]
        grid = np.atleast_2d(values[tuple(part)])
        found[id] = {"shape": grid.shape}
        if not isinstance(formula, Formula):
            return
        if is_given(name, formula):
            found[id]["given"] = numbers_as_data(grid) if grid.size <= MOST_GIVEN else None
            return
        row_and_column, lead = formula.letters[-2:], formula.letters[:-2]
        fixed = {letter.symbol: n for letter, n in zip(lead, part, strict=True)}
        own = dict(zip([letter.symbol for letter in row_and_column], "ij"[-values.ndim :], strict=True))
        found[id]["of"] = as_data(formula.pattern, {**fixed, **own}, self._id)
        for matrix, index in {(entry.matrix, entry.index[:-2]) for entry in entries_of(formula.pattern)}:
            self._add_read(matrix.name, len(matrix.values), index, fixed, found)

    def add_formulas_of_id(self, id: str, found: Formulas) -> None:
        """Add to `found` the formulas for the matrix with this id, if it has one. See `add_formulas`."""
        for name, (values, _) in self.rules.items():
            for part in np.ndindex(values.shape[:-2]):
                if self._id(name, *part) == id:
                    self.add_formulas(name, part, found)

    def read_ids(self, name: str, *part: int) -> tuple[str, ...]:
        """Return the ids of the matrices whose cells stand in the formula of a matrix, each once."""
        formula = self.rules.get(name, (None, None))[1]
        if not isinstance(formula, Formula):
            return ()
        entries = [entry for entry in entries_of(formula.pattern) if entry.matrix.name != name]
        return tuple(dict.fromkeys(self._id(entry.matrix.name, *part[: len(entry.index) - 2]) for entry in entries))

    def _add_read(self, name: str, n: int, lead: tuple[Any, ...], at: Mapping[str, int], found: Formulas) -> None:
        if not lead:
            return self.add_formulas(name, (), found)
        try:
            parts: Sequence[int] = [whole(lead[0], at)]
        except KeyError:  # it depends on the row or the column, so cells of several parts are read
            parts = range(n)
        for part in parts:
            self.add_formulas(name, (part,), found)

    def _id(self, name: str, *part: int | None) -> str:
        return self._rename(".".join([name, *(str(n) for n in part if n is not None)]))


def is_given(name: str, formula: Callable[..., Any]) -> bool:
    """Return whether the matrix `name` with this formula is given: each cell is its own number."""
    pattern = formula.pattern if isinstance(formula, Formula) else None
    return isinstance(pattern, Entry) and pattern.matrix.name == name


def computation_of_given(name: str, values: np.ndarray) -> Computation:
    """Return the computation of a given matrix `name`: the explanation of each cell is its own number."""
    return Computation(CellCalculations(given_rules(**{name: values})))


def numbers_as_data(values: np.ndarray) -> list[list[float | str]]:
    """Return the rows of a matrix for JSON, which has neither infinities nor NaN: they become texts."""
    return [[v if math.isfinite(v) else str(v) for v in row] for row in np.asarray(values, dtype=float).tolist()]


def lit_as_data(read: str) -> list[Any]:
    """Return a text such as "q[i,:]" in the form of a formula. It says which cells cell [i, j] lights up.

    >>> lit_as_data("k[j,:]")
    ['@', ['k'], 0, 'j', ':']
    """
    match = _READ.match(read)
    if match is None:
        raise ValueError(f'a text must name a matrix and its cells; got {read!r}: write "q[i,:]".')
    return ["@", [match[1]], 0, *(side if side in (":", "i", "j") else int(side) for side in match.groups()[1:])]


def renamed_reads(reads: Sequence[str], rename: Callable[[str], str]) -> tuple[str, ...]:
    """Return texts such as "q[i,:]" with other matrix ids. `rename` returns the new id for an old one."""
    return tuple(f"{rename(read.partition('[')[0])}[{read.partition('[')[2]}" for read in reads)
