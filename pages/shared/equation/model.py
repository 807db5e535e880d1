"""The parts of an equation: matrices, signs and lines. Each can be turned to the layout with tokens as columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from attention_core.arithmetic import Cell, ExplainedTrace
from pages.shared.equation.computation import Computation, computation_of_given, renamed_reads
from pages.shared.notation.orientation import turn_words
from pages.shared.notation.palette import Tint
from pages.shared.notation.records import SYMBOLS

GAP = " "  # between matrices below the factors of a product, which are transposed like these but not multiplied


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Matrix:
    """A matrix to show: its numbers, its names, and what its cells are computed from."""

    id: str  # the same in all equations of a page; "weights.1" is head 1 of the weights
    symbol: str  # in simple LaTeX: "W^Q", "d_k", "K^T"
    name: str  # for a screen reader: "Weights of the queries"
    values: np.ndarray  # (rows, columns)
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    computation: Computation | None = None  # explains its cells, and says what they are computed from
    origin: tuple[str, *tuple[int, ...]] = ("",)  # its name in the computation, and its head or token: ("weights", 1)
    lights: tuple[str, ...] | None = None  # what cell [i, j] lights up, if that is not what it is computed from
    tint: Tint = "signed"
    limit: float = 1.0  # a number of this magnitude gets the full tint
    decimals: int = 0  # show at least so many, if fewer would hide small numbers
    editable: bool = False
    transposed: bool = False
    blocks: int | None = None  # the width of blocks of columns that look different, such as heads
    sums: dict[str, np.ndarray] = field(default_factory=dict)  # for the margins: "rows", "columns", "all"
    only_row: int | None = None  # the only row to show, if the page follows one token
    right: np.ndarray | None = None  # the right numbers, if these have a mistake in them, or fill in a blank
    blank: tuple[tuple[str, ...], ...] | None = None  # to be filled in: the text in each cell so far, or ""
    marks: np.ndarray | None = None  # of a blank: whether each cell is right, or None if nobody has checked

    @classmethod
    def named(cls, record: str, values: np.ndarray, /, *, part: int | None = None, **look: Any) -> Matrix:
        """Return a matrix with the symbol, the name and the tint of its record in SYMBOLS; `look` has the other fields.

        `part` is the head or the token that it belongs to, counted from 0. The limit is 1 for weights, and the greatest
        magnitude for other numbers, unless `look` has another.
        """
        own, values = SYMBOLS[record], np.atleast_2d(values)
        number = "" if part is None else f" {part + 1}"
        known = {
            "id": record if part is None else f"{record}.{part}",
            "symbol": own.symbol if part is None else _symbol_of_part(record, part + 1),
            "name": f"{own.words.capitalize()}{number}",
            "tint": own.tint,
            "limit": 1.0 if own.tint == "weight" else greatest_magnitude(values),
        }
        return cls(values=values, **{**known, **look})

    @property
    def reads(self) -> tuple[str, ...]:
        """The rules of the cells that light up with cell [i, j], such as "q[i,:]" and "k[j,:]"."""
        if self.lights is None and self.computation:
            return self.computation.reads_of(".".join(map(str, self.origin)))
        return self.lights or ()

    def transpose(self, symbol: str) -> Matrix:
        """Show the same numbers with rows and columns swapped. A cell keeps its id."""
        return replace(self, symbol=symbol, transposed=not self.transposed)

    def turned(self) -> Matrix:
        """Return the matrix for tokens as columns: transposed, with the same symbol."""
        sums = {turn_words(side): values for side, values in self.sums.items()}
        return replace(self, transposed=not self.transposed, sums=sums)

    def row(self, index: int, symbol: str) -> Matrix:
        """Show one row only. A cell keeps its id."""
        return replace(self, symbol=symbol, only_row=index)

    def with_suffix(self, suffix: str, ids: Collection[str]) -> Matrix:
        """Show the matrix as part of another computation, in which these ids end in a suffix."""

        def own(id: str) -> str:
            name, dot, part = id.partition(".")
            return f"{name}{suffix}{dot}{part}" if id in ids else id

        computation = self.computation and self.computation.renamed(own)
        editable = self.editable and self.id not in ids
        lights = None if self.lights is None else renamed_reads(self.lights, own)
        return replace(self, id=own(self.id), lights=lights, computation=computation, editable=editable)

    def with_computation(self, computation: Computation) -> Matrix:
        """Return the matrix as part of a computation, which finds it by its id."""
        name, *part = self.id.split(".")
        return replace(self, computation=computation, origin=(name, *map(int, part)))

    def of(self, trace: ExplainedTrace) -> Matrix:
        """Return the matrix that has this name in another trace, which computes its matrices in the same way."""
        name, *part = self.origin
        values = getattr(trace, name)[tuple(part)]
        return replace(self, values=values, computation=self.computation and self.computation.of(trace))

    def as_given(self) -> Matrix:
        """Return the matrix as one that is computed from nothing."""
        return replace(self, lights=None, computation=computation_of_given(self.id, self.values), origin=(self.id,))

    def beside(self, right: Matrix) -> Matrix:
        """Return the matrix whose cells light up the same cells of `right`, or nothing if the shapes differ."""
        comparable = self.values.shape == right.values.shape
        return self.with_reads(*[f"{right.id}[i,j]"] * comparable)

    def shows(self, row: int, column: int) -> bool:
        """Say whether the matrix has a number at this row and column, and shows the row."""
        rows, columns = self.values.shape
        return row < rows and column < columns and self.only_row in (None, row)

    def cell(self, row: int, column: int) -> Cell | None:
        """Explain one cell, or return None if there is no explanation."""
        name, *lead = self.origin
        return self.computation and self.computation.cell(name, (*lead, row, column))

    def fixed(self) -> Matrix:
        """Return the matrix without editing, because its numbers are computed from others."""
        return replace(self, editable=False)

    def with_reads(self, *reads: str) -> Matrix:
        """Replace the rules of the cells that light up with each cell."""
        return replace(self, lights=reads)

    def with_sums(self, *sides: Literal["rows", "columns"]) -> Matrix:
        """Show the sums of rows or columns in the margins."""
        axes = {"rows": 1, "columns": 0}
        return replace(self, sums={side: np.sum(self.values, axis=axes[side]) for side in sides})


def greatest_magnitude(values: np.ndarray) -> float:
    """Return the greatest finite magnitude, or 1 if there is none to compare with."""
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max(initial=0.0)) or 1.0


def _symbol_of_part(name: str, number: int) -> str:
    of_heads = {"heads": f"head_{number}", "shares": f"head_{{{number}}}W^{{O}}_{{{number}}}"}
    return of_heads.get(name, f"{SYMBOLS[name].symbol}_{number}")


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign between matrices: "·", "=", or an operation written on an arrow."""

    text: str
    arrow: bool = False

    def turned(self) -> Sign:
        """Return the sign for tokens as columns: with the other directions in its text."""
        return replace(self, text=turn_words(self.text))


@dataclass(frozen=True, slots=True)
class Line:
    """One equation, with a few words above it."""

    items: tuple[Matrix | Sign | str, ...]
    label: str = ""

    def turned(self) -> Line:
        """Return the line for tokens as columns: transpose each matrix, and reverse the factors of each product."""
        return Line(tuple(item for part in _parts(self.items) for item in _turned_part(part)), turn_words(self.label))


def matrices_of(lines: Iterable[Line]) -> list[Matrix]:
    """Return the matrices of equations, in order."""
    return [item for line in lines for item in line.items if isinstance(item, Matrix)]


def _parts(items: Sequence[Matrix | Sign | str]) -> Iterator[list[Matrix | Sign | str]]:
    """Cut items at the signs that are between products."""
    part = list[Matrix | Sign | str]()
    for item in items:
        if isinstance(item, Sign) or item in ("=", "+"):
            yield from (part, [item])
            part = []
        else:
            part.append(item)
    yield part


def _turned_part(part: list[Matrix | Sign | str]) -> list[Matrix | Sign | str]:
    each = [turn_words(item) if isinstance(item, str) else item.turned() for item in part]
    return each[::-1] if "·" in each or GAP in each else each
