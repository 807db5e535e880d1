"""A computation: how its matrices are computed from each other, whether or not the page shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np

from attention_core.arithmetic import Cell, ExplainedTrace, Number, Worked, explain, rules_of, shape_of
from pages.shared.equation.reads import Reads, Shape

ShapeAndReads = tuple[Shape, tuple[str, ...]]  # the shape of a matrix, and what its cell [i, j] is computed from

_ID = re.compile(r"^[\w.]+")  # what a rule such as "weights.1[i,:]" reads


class Computation:
    """A trace that explains cells, with what each matrix is computed from (by id), and the names of its columns.

    An id is the name that the trace gives a matrix ("weights.1" is head 1 of its weights), unless it was renamed.

    This is not a dataclass, because `cache_recent` searches dataclasses for arrays to lock, and would do so for each
    matrix.
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
        self.names = names  # by the trace's names of its matrices: "heads.1" is head 1 of the heads
        self._reads = reads  # derived when they are first asked for
        self._rename = rename
        self._rules: dict[str, str] | None = None

    def cell(self, name: str, index: tuple[int, ...]) -> Cell | None:
        """Explain a cell of the matrix that has this name in the trace, or return None if there is no such cell."""
        shape = shape_of(self.trace, name)
        own = index[-len(shape) :]  # the index of a bias is a column alone
        inside = shape and len(shape) <= len(index) and all(i < n for i, n in zip(own, shape, strict=True))
        return explain(self.trace, name, own) if inside else None

    def reads_of(self, name: str) -> tuple[str, ...]:
        """Return what cell [i, j] is computed from, for the matrix that has this name in the trace."""
        return renamed_reads(self._derived().of(name), self._rename)

    def rule(self, id: str) -> ShapeAndReads:
        """Return the shape of the matrix with this id, and what its cells are computed from: () if that is unknown."""
        if self._rules is None:
            self._rules = {self._rename(name): name for name in self._derived().shapes}
        name = self._rules.get(id)
        return (self._derived().shapes[name], self.reads_of(name)) if name else ((0, 0), ())

    def of(self, trace: ExplainedTrace) -> Computation:
        """Return the computation of another trace, whose matrices have the same names and ids."""
        return Computation(trace, self.names, rename=self._rename)

    def renamed(self, rename: Callable[[str], str]) -> Computation:
        """Return the same computation with other ids of its matrices."""
        before = self._rename
        return Computation(self.trace, self.names, reads=self._derived(), rename=lambda name: rename(before(name)))

    def _derived(self) -> Reads:
        if self._reads is None:
            self._reads = Reads(rules_of(self.trace))
        return self._reads


def computation_of_given(name: str, values: np.ndarray) -> Computation:
    """Return the computation of a matrix that is not computed: each cell is its own source."""
    return Computation(Worked({name: (values, partial(_own_number, name, values))}))


def _own_number(name: str, values: np.ndarray, *index: int) -> Number:
    return Number(float(values[index]), name, index)


def id_of(rule: str) -> str:
    """Return the id of the matrix that a rule reads.

    >>> id_of("weights.1[i,:]")
    'weights.1'
    """
    match = _ID.match(rule)
    if match is None:
        raise ValueError(f'a rule must name a matrix and its cells; got {rule!r}: write "q[i,:]".')
    return match[0]


def renamed_reads(reads: Sequence[str], rename: Callable[[str], str]) -> tuple[str, ...]:
    """Return rules that read the same cells of matrices with other ids."""
    return tuple(_ID.sub(lambda id: rename(id[0]), rule) for rule in reads)


def read_through(
    reads: Sequence[str], computation: Computation, shown: set[str]
) -> Iterator[tuple[str, ShapeAndReads]]:
    """Yield the rules of all matrices that are read, directly or not, up to matrices that are shown or given."""
    for id in map(id_of, reads):
        shape, further = computation.rule(id)
        if id not in shown and further:
            yield id, (shape, further)
            yield from read_through(further, computation, shown)
