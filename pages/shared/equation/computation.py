"""What each cell was computed from: the cells that light up, and their calculation."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attention_core.arithmetic import (
    Cell,
    CellCalculations,
    ExplainedTrace,
    Number,
    Rules,
    Term,
    explain,
    operands,
    rules_of,
    shape_of,
)

Place = tuple[int, int]
Shape = tuple[int, int]

NOT_SHOWN = "mask"  # no page shows a matrix under this name, which has the numbers that an additive mask adds


class CellUse(NamedTuple):
    """Which rows (or columns) of another matrix the cell [i, j] uses. `indices` has their numbers, from 0."""

    i: int
    j: int
    indices: set[int]


class Reads:
    """The rules of all matrices of a computation."""

    __slots__ = ("_found", "_rules", "shapes")

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._found = dict[str, tuple[str, ...]]()
        self.shapes: Mapping[str, Shape] = dict(_shapes(rules))

    def of(self, id: str) -> tuple[str, ...]:
        """Return the rules of the matrix with this id, such as "q[i,:]", or () if the matrix is given or unknown."""
        if id not in self._found:
            self._found[id] = self._derive(id) if id in self.shapes else ()
        return self._found[id]

    def _derive(self, id: str) -> tuple[str, ...]:
        name, *part = id.split(".")
        values, rule = self._rules[name]
        if values.ndim == 1:
            return ()  # a vector, such as a bias, is given
        return derived_reads(id, partial(rule, *map(int, part)), self.shapes)


def _shapes(rules: Rules) -> Iterator[tuple[str, Shape]]:
    for name, (values, _) in rules.items():
        *n_parts, n_rows, n_columns = (1, *values.shape) if values.ndim == 1 else values.shape
        ids = [f"{name}.{part}" for part in range(n_parts[0])] if n_parts else [name]
        yield from ((id, (n_rows, n_columns)) for id in ids)


def derived_reads(id: str, rule: Callable[[int, int], Term], shapes: Mapping[str, Shape]) -> tuple[str, ...]:
    """Return the rules of a matrix, such as "q[i,:]": from which cells of other matrices its cell [i, j] is computed.

    `id` is the id of the matrix, `rule` returns the calculation of its cell [i, j], and `shapes` has the shapes of all
    matrices by id. The rules are found from the calculations of a few cells.
    """
    if _is_given(id, rule(0, 0)):
        return ()
    shape, read = shapes[id], dict[Place, dict[str, set[Place]]]()
    for cells in (_three_corners(*shape), _edges_and_diagonal(*shape)):
        read |= {cell: _used_cells(rule(*cell), id) for cell in cells}
        of_each = [set(found) for found in read.values()]
        if of_each[0] and all(ids == of_each[0] for ids in of_each):
            break  # otherwise a mask or a block decides which cells are used, and more cells have to be looked up
    ids = dict.fromkeys(other for found in read.values() for other in found)
    return tuple(rule for other in ids for rule in _rules_that_fit(other, read, shape, shapes.get(other)))


def _is_given(id: str, term: Term) -> bool:
    return isinstance(term, Number) and term.name == id.partition(".")[0]


def _three_corners(n_rows: int, n_columns: int) -> list[Place]:
    return [(0, 0), (0, n_columns - 1), (n_rows - 1, 0)]


def _edges_and_diagonal(n_rows: int, n_columns: int) -> list[Place]:
    rows = product((0, n_rows - 1), range(n_columns))
    columns = product(range(n_rows), (0, n_columns - 1))
    return [*rows, *columns, *((i, i) for i in range(min(n_rows, n_columns)))]


def _used_cells(term: Term, computed_id: str) -> dict[str, set[Place]]:
    """Return the cells that the calculation `term` uses, by the id of the matrix that they belong to."""
    found = dict[str, set[Place]]()
    for name, index in sorted(operands(term)):
        *part, row, column = (0, *index) if len(index) == 1 else index
        id = ".".join([name, *map(str, part)])
        if id != computed_id and name != NOT_SHOWN:
            found.setdefault(id, set()).add((row, column))
    return found


def _rules_that_fit(
    id: str, used_cells: Mapping[Place, Mapping[str, set[Place]]], computed_shape: Shape, shape: Shape | None
) -> Iterator[str]:
    """Yield the rules that say which cells of the matrix `id` are used to compute cell [i, j] of another matrix."""
    readers = {cell: found[id] for cell, found in used_cells.items() if id in found}
    by_some = len(readers) < len(used_cells)
    rows, columns = (
        _indices_as_written(
            [CellUse(*cell, {place[axis] for place in places}) for cell, places in readers.items()],
            letters,
            computed_shape,
            shape[axis] if shape else None,
            by_some,
        )
        for axis, letters in enumerate(("ij", "ji"))
    )
    yield from (f"{id}[{row},{column}]" for row in rows for column in columns)


def _indices_as_written(
    examples: Sequence[CellUse], letters: str, computed_shape: Shape, size: int | None, used_by_some: bool
) -> tuple[str, ...]:
    """Return one half of a rule: which rows (or which columns) of another matrix the cell [i, j] uses."""
    first = examples[0].indices
    same = all(places == first for _, _, places in examples)
    if size == 1 and not (
        used_by_some and letters == "ji"
    ):  # with several heads, each head has its own block of columns
        return ("0",)
    if all(len(places) == 1 for _, _, places in examples):
        for letter in letters:
            axis = "ij".index(letter)
            distances = {next(iter(sight.indices)) - (sight.i, sight.j)[axis] for sight in examples}
            if len(distances) == 1 and (used_by_some or not same):
                return (_with_distance(letter, distances.pop(), computed_shape[axis], size),)
    if all(places == {i, j} for i, j, places in examples):
        return ("i", "j")
    if same and first != set(range(size or 0)) and first == set(range(min(first), max(first) + 1)):
        return (str(min(first)) if len(first) == 1 else f"{min(first)}..{max(first) + 1}",)
    return (":",)


def _with_distance(letter: str, distance: int, n: int, size: int | None) -> str:
    if distance == 0:
        return f"{letter}-0" if size is not None and n > size else letter
    return f"{letter}{distance:+d}"


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
        """Return the explanation of one cell, or None if there is no such cell."""
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
        """Return this computation with the rules of `other`, so that they need not be derived again."""
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
    """Yield the matrices that are not on the page, but from which a matrix on the page is computed."""
    for id in map(id_of, reads):
        shape, further = computation.rule(id)
        if id not in shown and further:
            yield id, (shape, further)
            yield from read_through(further, computation, shown)
