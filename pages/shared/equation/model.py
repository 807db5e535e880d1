"""The parts of an equation: matrices, lines and signs, with their labels and colours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict

import numpy as np

from attention_core.arithmetic import Cell, ExplainedTrace
from attention_core.examples import Example
from pages.shared.equation.computation import Computation, computation_of_given, renamed_reads
from pages.shared.notation.latex import turn_words
from pages.shared.notation.palette import HEADS, HUES, INK, TINTS, Hue, Tint, css, css_of_tint
from pages.shared.notation.records import SYMBOLS


def style() -> str:
    """Return the CSS rules that give each tint and each hue its colour in the present theme, and each head its line."""
    tints = (
        f".{tint} {{ --positive: {css_of_tint(above)}; --negative: {css_of_tint(below)}; }}"
        for tint, (above, below) in {"equation": TINTS["signed"], **TINTS}.items()
    )
    hues = (f".of-{hue} {{ --hue: {css(colour)}; }}" for hue, colour in HUES.items())
    blocks = (f".block-{i} {{ --edge: {width}px {line} {css(INK)}; }}" for i, (line, width) in enumerate(HEADS))
    return "\n".join((*tints, *hues, *blocks, ""))


class Labels(TypedDict, total=False):
    """The texts beside the rows and above the columns of a matrix."""

    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]


def labels_of(id: str, example: Example, width: int) -> Labels:
    """Return the labels of the rows and columns of a matrix. `id` is its id, and `width` is its number of columns.

    If a row or a column belongs to a token, its label is the token. Otherwise it is the name of a feature or, without
    such names, a number. The columns of "heads.1", the output of head 1 (counted from 0), have the names of this head's
    values.
    """
    name, _, part = id.partition(".")
    rows, columns = (_labels(example, SYMBOLS[name].labels_of(axis)) for axis in (0, 1))
    if name == "heads" and part:
        columns = columns[int(part) * width : (int(part) + 1) * width]
    of_tokens = SYMBOLS[name].labels_of(1) in ("tokens", "keys")
    numbers = tuple(str(i + 1) for i in range(width))
    return Labels(row_labels=rows, column_labels=columns if of_tokens or len(columns) == width else numbers)


def _labels(example: Example, kind: str) -> tuple[str, ...]:
    if kind in ("tokens", "keys"):
        return example.tokens if kind == "tokens" else example.key_tokens
    itself = kind == "context" and example.context is None
    return getattr(example.names, "x" if itself else kind, ())


def words_above(labels: Mapping[str, Labels]) -> dict[str, tuple[str, ...]]:
    """Return the labels above the columns of each matrix, by id."""
    above = {id: each.get("column_labels", ()) for id, each in labels.items()}
    return {id: words for id, words in above.items() if not all(word.isdecimal() for word in words)}


# These stand between matrices below the factors of a product. With tokens as columns, their order is reversed too.
GAP = " "
AND = ","


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Matrix:
    """A matrix to show on a page: its numbers, its symbol, and the cells that each of its cells is computed from."""

    id: str  # the same in all equations of a page; "weights.1" is head 1 of the weights
    symbol: str  # in simple LaTeX: "W^Q", "d_k", "K^T"
    name: str  # for a screen reader: "Weights of the queries"
    values: np.ndarray  # (rows, columns)
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    computation: Computation | None = None  # explains its cells, and says what they are computed from
    origin: tuple[str, *tuple[int, ...]] = ("",)  # its name in the computation, and its head or token: ("weights", 1)
    lights: tuple[str, ...] | None = None  # the cells that cell [i, j] lights up, if not those it is computed from
    tint: Tint = "signed"
    hue: Hue | None = None
    decimals: int = 0  # the least number of decimals to show, if fewer would hide small numbers
    editable: bool = False
    transposed: bool = False
    blocks: int | None = None  # the width of blocks of columns that look different, such as heads
    sums: dict[str, np.ndarray] = field(default_factory=dict)  # for the margins: "rows", "columns", "all"
    only_row: int | None = None  # the only row to show, if the page follows one token
    right: np.ndarray | None = None  # the correct numbers, if `values` has a mistake or is to be filled in
    blank: tuple[tuple[str, ...], ...] | None = None  # if it is to be filled in: the text in each cell so far, or ""
    marks: np.ndarray | None = None  # of a blank matrix: whether each cell is correct, or None before the check

    @classmethod
    def named(cls, record: str, values: np.ndarray, /, *, part: int | None = None, **look: Any) -> Matrix:
        """Return a matrix whose symbol, name and colours come from the entry `record` of the table `SYMBOLS`.

        `part` is the number of the head or token that the matrix belongs to, counted from 0. `look` has other fields of
        the matrix. They may replace the fields from the table.
        """
        own, values = SYMBOLS[record], np.atleast_2d(values)
        number = "" if part is None else f" {part + 1}"
        known = {
            "id": record if part is None else f"{record}.{part}",
            "symbol": own.symbol if part is None else _symbol_of_part(record, part + 1),
            "name": f"{own.words.capitalize()}{number}",
            "tint": own.tint,
            "hue": own.hue,
        }
        return cls(values=values, **{**known, **look})

    @property
    def read_ids(self) -> tuple[str, ...]:
        """The ids of the matrices that light up together with a cell of this one."""
        if self.lights is not None or self.computation is None:
            return tuple(read.partition("[")[0] for read in self.lights or ())
        return self.computation.read_ids(*self.origin)

    def transpose(self, symbol: str) -> Matrix:
        """Return the matrix transposed and with another symbol: its rows are shown as columns."""
        return replace(self, symbol=symbol, transposed=not self.transposed)

    def with_tokens_as_columns(self) -> Matrix:
        """Return the matrix as it looks with tokens as columns: transposed, with the same symbol."""
        sums = {turn_words(side): values for side, values in self.sums.items()}
        return replace(self, transposed=not self.transposed, sums=sums)

    def row(self, index: int, symbol: str) -> Matrix:
        """Return the matrix with only the row `index` shown, under another symbol."""
        return replace(self, symbol=symbol, only_row=index)

    def with_suffix(self, suffix: str, ids: Collection[str]) -> Matrix:
        """Return the matrix with `suffix` added to each id that is in `ids`: to its own id, and to ids in its rules."""

        def own(id: str) -> str:
            name, dot, part = id.partition(".")
            return f"{name}{suffix}{dot}{part}" if id in ids else id

        computation = self.computation and self.computation.renamed(own)
        editable = self.editable and self.id not in ids
        lights = None if self.lights is None else renamed_reads(self.lights, own)
        return replace(self, id=own(self.id), lights=lights, computation=computation, editable=editable)

    def with_computation(self, computation: Computation) -> Matrix:
        """Return the matrix with a computation that explains its cells. The computation finds the matrix by its id."""
        name, *part = self.id.split(".")
        return replace(self, computation=computation, origin=(name, *map(int, part)))

    def of(self, trace: ExplainedTrace) -> Matrix:
        """Return the same matrix with the numbers of another trace. Both traces compute the matrix in the same way."""
        name, *part = self.origin
        values = getattr(trace, name)[tuple(part)]
        return replace(self, values=values, computation=self.computation and self.computation.of(trace))

    def as_given(self) -> Matrix:
        """Return the matrix as an input: its cells are not computed from other cells."""
        return replace(self, lights=None, computation=computation_of_given(self.id, self.values), origin=(self.id,))

    def paired_with(self, right: Matrix) -> Matrix:
        """Return this matrix, paired with the matrix `right` next to it: each cell lights up the same cell of `right`.

        If the two matrices have different shapes, no cell lights up another.
        """
        comparable = self.values.shape == right.values.shape
        return self.with_reads(*[f"{right.id}[i,j]"] * comparable)

    def shows(self, row: int, column: int) -> bool:
        """Return whether the page shows this cell of the matrix: the cell exists, and its row is shown."""
        rows, columns = self.values.shape
        return row < rows and column < columns and self.only_row in (None, row)

    def cell(self, row: int, column: int) -> Cell | None:
        """Return the explanation of one cell, which says how it is computed, or None if there is none."""
        name, *lead = self.origin
        return self.computation and self.computation.cell(name, (*lead, row, column))

    def read_only(self) -> Matrix:
        """Return the matrix as one that visitors can read but not edit."""
        return replace(self, editable=False)

    def with_reads(self, *reads: str) -> Matrix:
        """Return the matrix with `reads` as its rules. They say which cells light up together with its cell [i, j]."""
        return replace(self, lights=reads)

    def with_sums(self, *sides: Literal["rows", "columns"]) -> Matrix:
        """Return the matrix with sums in its margins: the sums of all "rows", of all "columns", or both."""
        axes = {"rows": 1, "columns": 0}
        return replace(self, sums={side: np.sum(self.values, axis=axes[side]) for side in sides})


def _symbol_of_part(name: str, number: int) -> str:
    of_heads = {"heads": f"head_{number}", "shares": f"head_{{{number}}}W^{{O}}_{{{number}}}"}
    return of_heads.get(name, f"{SYMBOLS[name].symbol}_{number}")


@dataclass(frozen=True, slots=True)
class Sign:
    """A sign between matrices: "·", "=", or an operation written on an arrow."""

    text: str
    arrow: bool = False

    def with_tokens_as_columns(self) -> Sign:
        """Return the sign as it reads with tokens as columns: with "rows" and "columns" swapped in its text."""
        return replace(self, text=turn_words(self.text))


@dataclass(frozen=True, slots=True)
class Line:
    """One equation: matrices and signs in order, with a few words above them."""

    items: tuple[Matrix | Sign | str, ...]
    label: str = ""

    def with_tokens_as_columns(self) -> Line:
        """Return the line as it looks with tokens as columns."""
        return Line(
            tuple(item for part in _parts(self.items) for item in _part_with_tokens_as_columns(part)),
            turn_words(self.label),
        )


def matrices_of(lines: Iterable[Line]) -> list[Matrix]:
    """Return the matrices in the lines of equations, in order."""
    return [item for line in lines for item in line.items if isinstance(item, Matrix)]


def _parts(items: Sequence[Matrix | Sign | str]) -> Iterator[list[Matrix | Sign | str]]:
    """Yield the items of an equation in groups: each product, and each sign between two products."""
    part = list[Matrix | Sign | str]()
    for item in items:
        if isinstance(item, Sign) or item in ("=", "+"):
            yield from (part, [item])
            part = []
        else:
            part.append(item)
    yield part


def _part_with_tokens_as_columns(part: list[Matrix | Sign | str]) -> list[Matrix | Sign | str]:
    each = [turn_words(item) if isinstance(item, str) else item.with_tokens_as_columns() for item in part]
    return each[::-1] if any(sign in each for sign in ("·", GAP, AND)) else each
