"""The cells that light up when a visitor points at a cell, found one by one. The browser finds them in blocks.

A cell lights up if the number at which the visitor points is computed from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from attention_core.arithmetic import ExplainedTrace, explain, operands
from simulating import EQUATION

LONGEST_SHOWN_SIDE = 64  # a larger matrix is sent without its further rows and columns
RULE = re.compile(r"([\w.]+)\[([^,]+),([^\]]+)\]")
PLACE = re.compile(r"(i|j)?([+-]?\d+)?")

Cell = tuple[str, int, int]  # a matrix, a row and a column
Shape = Sequence[int]
Rules = Mapping[str, tuple[Shape, Sequence[str]]]  # by matrix: its shape and the rules of what it reads


@dataclass(frozen=True)
class Board:
    """The matrices that a page shows: the shape of each matrix, and the numbers of its visible rows."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    rows: dict[str, set[int]] = field(default_factory=dict)

    def add(self, id: str, shape: Shape, only_row: int | None = None) -> None:
        """Add a matrix that the page shows, with its shape.

        `only_row` is the number of the row if only one row is visible. If the page shows a matrix several times, keep
        its greatest shape, and all of its visible rows.
        """
        self.shapes[id] = tuple(map(max, self.shapes.get(id, shape), shape))
        self.rows.setdefault(id, set()).update(range(shape[0]) if only_row is None else [only_row])

    def shown(self, cells: set[Cell]) -> set[Cell]:
        """Return the cells in `cells` whose row the page shows."""
        return {(id, row, column) for id, row, column in cells if row in self.rows[id]}


def read_by(rule: str, i: int, j: int, shape_of: Mapping[str, Shape]) -> set[Cell]:
    """Return the cells that a rule such as "k[j,:]" names for a computed cell in row `i` and column `j`.

    `shape_of` holds the shape of each matrix. Cells outside of the matrix are left out.
    """
    id, rows, columns = parts(rule)
    n_rows, n_columns = shape_of[id]
    return {(id, r, c) for r in _span(rows, i, j, n_rows) for c in _span(columns, i, j, n_columns)}


@cache
def parts(rule: str) -> tuple[str, str, str]:
    """Return three parts of a rule: the matrix, the rows and the columns. "k[j,:]" gives "k", "j" and ":"."""
    match = RULE.fullmatch(rule)
    assert match is not None, rule
    return match[1], match[2], match[3]


def _span(text: str, i: int, j: int, size: int) -> range:
    """Return the rows or columns that `text` names in a matrix with `size` rows or columns.

    `text` is ":", "j", "i+2", "3" or "4..8". Numbers outside of the matrix are an error, except in a text with a minus
    such as "j-4": they are then left out.
    """
    if text == ":":
        return range(size)
    ends = [{"i": i, "j": j, "": 0}[letter] + number for letter, number in _ends(text)]
    first, end = ends[0], ends[1] if len(ends) == 2 else ends[0] + 1
    assert "-" in text or (first >= 0 and end <= size), f"{text} is beyond {size} at {i}, {j}"
    return range(max(first, 0), min(end, size))


@cache
def _ends(text: str) -> list[tuple[str, int]]:
    matches = [PLACE.fullmatch(end) for end in text.split("..")]
    assert None not in matches, text
    return [(match[1] or "", int(match[2] or 0)) for match in matches if match]


def lit_cells(
    reads: Sequence[str], i: int, j: int, board: Board, hidden: Rules, seen: set[Cell] | None = None
) -> set[Cell]:
    """Return the cells on the page from which cell [i, j] is computed.

    `reads` holds the rules of cell [i, j], such as "k[j,:]". If the page does not show a cell that a rule names, the
    function continues with the rules of that cell, from `hidden`. `seen` holds the cells that were already replaced in
    this way. No cell is replaced twice.
    """
    found, seen = set[Cell](), set() if seen is None else seen
    for rule in reads:
        id = parts(rule)[0]
        shown = board.shown(read_by(rule, i, j, board.shapes)) if id in board.shapes else set()
        if shown:
            found |= shown
        elif id in hidden:
            shape, further = hidden[id]
            for cell in read_by(rule, i, j, {id: shape}) - seen:
                seen.add(cell)
                found |= lit_cells(further, *cell[1:], board, hidden, seen)
    return found


# --- the cells in calculations ---


def cell_of_page(name: str, index: tuple[int, ...]) -> Cell:
    """Return a cell as the page numbers it: (matrix id, row, column).

    `name` and `index` are the matrix and the indices of the cell in the core. On the page, each head is a matrix of its
    own, and a vector is a row.
    """
    if len(index) == 1:
        return name, 0, index[0]
    return ".".join([name, *map(str, index[:-2])]), index[-2], index[-1]


def cells_of_calculation(trace: ExplainedTrace, name: str, *index: int) -> set[Cell]:
    """Return the cells whose numbers appear in the calculation of cell `index` of the matrix `name`."""
    return {cell_of_page(*operand) for operand in operands(explain(trace, name, index).term)}


def computed_from(trace: ExplainedTrace, name: str, *index: int, until: Sequence[str]) -> set[Cell]:
    """Return the cells of the matrices `until` from which the cell `index` of the matrix `name` is computed.

    The cell may be computed from them over several steps: the function follows the calculation of each cell back to a
    matrix in `until`, or to a matrix that is not calculated.
    """
    found = set[Cell]()
    for operand, place in operands(explain(trace, name, index).term):
        cell = cell_of_page(operand, place)
        if cell[0] in until:
            found |= {cell}
        elif (operand, place) not in operands(explain(trace, operand, place).term):
            found |= computed_from(trace, operand, *place, until=until)
    return found


# --- a simulated page ---


def sent_equations(app: Any) -> list[dict[str, Any]]:
    """Return the data of each equation that the browser receives from a simulated page."""
    drawn = [each.proto for each in app.get("bidi_component") if each.proto.component_name == EQUATION]
    return [json.loads(proto.json)[0] for proto in drawn]


def items(equation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the data of each matrix in an equation."""
    return (item for line in equation["lines"] for item in line["items"] if "id" in item)


def board_of(equations: Sequence[dict[str, Any]]) -> Board:
    """Return the matrices on a page, from the data of its equations."""
    board = Board()
    for equation in equations:
        for item in items(equation):
            board.add(item["id"], item["shape"], item["onlyRow"])
    return board


def some_cells(item: dict[str, Any]) -> set[tuple[int, int]]:
    """Return some cells of a matrix as (row, column): its corners, the middles of its edges, and its middle.

    If the page shows only one row of the matrix, return cells of this row only.
    """
    rows, columns = (min(n, LONGEST_SHOWN_SIDE) for n in item["shape"])
    some_rows = {0, rows // 2, rows - 1} if item["onlyRow"] is None else {item["onlyRow"]}
    return {(row, column) for row in some_rows for column in (0, columns // 2, columns - 1)}


def lit_by(equations: Sequence[dict[str, Any]], id: str, row: int, column: int) -> set[Cell]:
    """Return the cells that light up if a visitor points at a cell: row `row` and column `column` of the matrix `id`.

    `equations` holds the data of the page's equations.
    """
    board = board_of(equations)
    item, hidden = next((item, e["hidden"]) for e in equations for item in items(e) if item["id"] == id)
    return lit_cells(item["reads"], row, column, board, hidden)
