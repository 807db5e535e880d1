"""How the matrices of one computation are computed from each other, whether or not the page shows them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType

import numpy as np

from attention_core.arithmetic import Cell, Number, Trace, Worked, explain, shape_of

Rule = tuple[tuple[int, ...], tuple[str, ...]]  # the shape of a matrix, and what its cell [i, j] is computed from

_ID = re.compile(r"^[\w.]+")  # what a rule such as "weights.1[i,:]" reads


class Computation:
    """A trace, which explains cells; the rules of its matrices by id; and the names of their columns, if any.

    This is not a dataclass, because `cache_recent` searches dataclasses for arrays to lock, and would do so for each
    matrix.
    """

    __slots__ = ("names", "rules", "trace")

    def __init__(
        self,
        trace: Trace,
        rules: Mapping[str, Rule] = MappingProxyType({}),
        names: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
    ) -> None:
        self.trace = trace
        self.rules = rules
        self.names = names  # by the trace's names of its matrices: "heads.1" is head 1 of the heads

    def cell(self, name: str, index: tuple[int, ...]) -> Cell | None:
        """Explain a cell of the matrix that has this name in the trace, or return None if there is no such cell."""
        shape = shape_of(self.trace, name)
        own = index[-len(shape) :]  # the index of a bias is a column alone
        inside = shape and len(shape) <= len(index) and all(i < n for i, n in zip(own, shape, strict=True))
        return explain(self.trace, name, own) if inside else None

    def of(self, trace: Trace) -> Computation:
        """Return the computation of another trace with the same rules."""
        return Computation(trace, self.rules, self.names)

    def renamed(self, rename: Callable[[str], str]) -> Computation:
        """Return the same computation with other ids of its matrices."""
        rules = {rename(id): (shape, renamed_reads(reads, rename)) for id, (shape, reads) in self.rules.items()}
        return Computation(self.trace, rules, self.names)


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


def read_through(reads: Sequence[str], rules: Mapping[str, Rule], shown: set[str]) -> Iterator[tuple[str, Rule]]:
    """Yield the rules of all matrices that are read, stopping at matrices that are shown or that are not computed."""
    for id in map(id_of, reads):
        shape, further = rules.get(id, ((), ()))
        if id not in shown and further:
            yield id, (shape, further)
            yield from read_through(further, rules, shown)
