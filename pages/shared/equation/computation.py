"""Which matrices are computed from which others, including matrices that the page does not show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np

from attention_core.arithmetic import Cell, CellCalculations, ExplainedTrace, Number, explain, rules_of, shape_of
from pages.shared.equation.reads import Reads, Shape

ShapeAndReads = tuple[Shape, tuple[str, ...]]  # the shape of a matrix, and its rules, such as "q[i,:]"

_ID = re.compile(r"^[\w.]+")  # the id of the matrix in a rule such as "weights.1[i,:]"


class Computation:
    """A trace with what the browser needs to explain its cells: rules, column names and ids of its matrices.

    A trace has all intermediate results of a computation. A rule says which cells a cell [i, j] is computed from:
    "q[i,:]" means row i of the matrix q. The id of a matrix is its name in the trace, such as "weights.1" for head 1 of
    the weights, until `renamed` changes it.

    This is not a dataclass, because `cache_recent` locks arrays, and searches each dataclass for them. That would take
    time for each matrix.
    """

    __slots__ = ("_reads", "_rename", "_rules", "names", "trace")

    def __init__(
        self,
        trace: ExplainedTrace,
        names: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
        *,
        reads: Reads | None = None,
        rename: Callable[[str], str] = str,
    ) -> None:
        self.trace = trace
        self.names = names  # the column names of each matrix, by its name in the trace, such as "heads.1"
        self._reads = reads  # None until the rules are needed: deriving them takes time
        self._rename = rename
        self._rules: dict[str, str] | None = None

    def cell(self, name: str, index: tuple[int, ...]) -> Cell | None:
        """Return the explanation of one cell, or None if there is no such cell.

        `name` is the name of the matrix in the trace, and `index` has the row and the column of the cell.
        """
        shape = shape_of(self.trace, name)
        own = index[-len(shape) :]  # the index of a bias has only a column
        inside = shape and len(shape) <= len(index) and all(i < n for i, n in zip(own, shape, strict=True))
        return explain(self.trace, name, own) if inside else None

    def reads_of(self, name: str) -> tuple[str, ...]:
        """Return rules such as "q[i,:]", which say from which cells the cell [i, j] of the matrix `name` is computed.

        `name` is the name of the matrix in the trace.
        """
        return renamed_reads(self._derived().of(name), self._rename)

    def rule(self, id: str) -> ShapeAndReads:
        """Return the shape of the matrix with this id, and its rules, such as "q[i,:]". Unknown rules are ()."""
        if self._rules is None:
            self._rules = {self._rename(name): name for name in self._derived().shapes}
        name = self._rules.get(id)
        return (self._derived().shapes[name], self.reads_of(name)) if name else ((0, 0), ())

    def of(self, trace: ExplainedTrace) -> Computation:
        """Return a computation for another trace. It has the same column names and the same ids of matrices."""
        return Computation(trace, self.names, rename=self._rename)

    def with_rules_of(self, other: Computation) -> Computation:
        """Return this computation with the rules of `other`, so that they need not be derived again.

        The rules are the same if `other` computes matrices of the same shapes in the same way, from other numbers.
        """
        return Computation(self.trace, self.names, reads=other._derived(), rename=self._rename)

    def renamed(self, rename: Callable[[str], str]) -> Computation:
        """Return the same computation with other ids for its matrices. `rename` returns the new id for an old one."""
        before = self._rename
        return Computation(self.trace, self.names, reads=self._derived(), rename=lambda name: rename(before(name)))

    def _derived(self) -> Reads:
        if self._reads is None:
            self._reads = Reads(rules_of(self.trace))
        return self._reads


def computation_of_given(name: str, values: np.ndarray) -> Computation:
    """Return the computation of a given matrix `name`: the explanation of each cell is its own number."""
    return Computation(CellCalculations({name: (values, partial(_own_number, name, values))}))


def _own_number(name: str, values: np.ndarray, *index: int) -> Number:
    return Number(float(values[index]), name, index)


def id_of(rule: str) -> str:
    """Return the id of the matrix that a rule names.

    >>> id_of("weights.1[i,:]")
    'weights.1'
    """
    match = _ID.match(rule)
    if match is None:
        raise ValueError(f'a rule must name a matrix and its cells; got {rule!r}: write "q[i,:]".')
    return match[0]


def renamed_reads(reads: Sequence[str], rename: Callable[[str], str]) -> tuple[str, ...]:
    """Return the rules `reads`, such as "q[i,:]", with other matrix ids. `rename` returns the new id for an old one."""
    return tuple(_ID.sub(lambda id: rename(id[0]), rule) for rule in reads)


def read_through(
    reads: Sequence[str], computation: Computation, shown: set[str]
) -> Iterator[tuple[str, ShapeAndReads]]:
    """Yield the matrices that are not on the page, but from which a matrix on the page is computed.

    Each item is the id of a matrix, and a pair of its shape and its rules. A rule, such as "q[i,:]", says which cells
    of another matrix a cell [i, j] is computed from. `reads` has the rules of the matrix on the page, and `shown` has
    the ids of all matrices on the page. The search ends at matrices on the page and at given matrices.
    """
    for id in map(id_of, reads):
        shape, further = computation.rule(id)
        if id not in shown and further:
            yield id, (shape, further)
            yield from read_through(further, computation, shown)
