"""The cells that light up when a visitor points at a cell, found one by one. The browser finds them in blocks.

A cell lights up if the number at which the visitor points is computed from it.
"""

from __future__ import annotations

import json
from builtins import id as identity
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from attention_core.arithmetic import ExplainedTrace, explain, operands
from simulating import EQUATION

LONGEST_SHOWN_SIDE = 64  # a larger matrix is sent without its further rows and columns

Cell = tuple[str, int, int]  # a matrix, a row and a column
Shape = Sequence[int]
Formulas = Mapping[str, Mapping[str, Any]]  # by matrix: its "shape", and "of", its formula as lists
Letters = Mapping[str, int]  # the number that each letter of a formula stands for


@dataclass(frozen=True)
class Board:
    """What a page shows, and the formulas of all matrices from which it is computed."""

    formulas: Formulas = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)  # of each matrix that is shown, by id
    rows: dict[str, set[int]] = field(default_factory=dict)  # the numbers of its visible rows, by id
    found: dict[Cell, list[set[Cell]]] = field(default_factory=dict)  # what `reads_of_cell` has found, by cell

    def add(self, id: str, shape: Shape, only_row: int | None = None) -> None:
        """Add a matrix that the page shows, with its shape.

        `only_row` is the number of the row if only one row is visible. If the page shows a matrix several times, keep
        its greatest shape, and all of its visible rows.
        """
        self.shapes[id] = tuple(map(max, self.shapes.get(id, shape), shape))
        self.rows.setdefault(id, set()).update(range(shape[0]) if only_row is None else [only_row])

    def shown(self, cells: set[Cell]) -> set[Cell]:
        """Return the cells in `cells` whose row the page shows."""
        return {(id, row, column) for id, row, column in cells if row in self.rows.get(id, ())}


# --- formulas as the browser gets them ---


def number_at(index: Any, at: Letters) -> int:
    """Return the number of an index such as 3, "i" or ["+", "i", 2]. `at` says what each letter stands for."""
    if not isinstance(index, list | tuple):
        return at[index] if isinstance(index, str) else index
    kind, first, second = index
    if kind == ":":
        return first
    if kind == "[]":
        return first[number_at(second, at)]
    a, b = number_at(first, at), number_at(second, at)
    return {"+": a + b, "*": a * b, "//": a // (b or 1), "%": a % (b or 1)}[kind]


def number_in(numbers: Any, indices: Sequence[Any], at: Letters) -> Any:
    """Return one number of nested lists, at an index such as ["i", "j"]."""
    for index in indices:
        numbers = numbers[number_at(index, at)]
    return numbers


def reads_of(term: Any, at: Letters, board: Board) -> list[set[Cell]]:
    """Return the cells that a formula reads if its letters stand for these numbers.

    There is one set for each matrix and for each place in which the formula names it.
    """
    found = dict[tuple[int, str], set[Cell]]()
    _add_cells(term, at, board, found)
    return [*found.values()]


def _add_cells(term: Any, at: Letters, board: Board, found: dict[tuple[int, str], set[Cell]]) -> None:
    """Add the cells that a formula reads to `found`, by a number of the place in the formula, and by matrix."""
    if not isinstance(term, list | tuple) or term[0] in (":", "$"):
        return
    kind, *parts = term
    if kind == "@":
        ids, part, row, column = parts
        id = ids[number_at(part, at)]
        n_rows, n_columns = board.shapes[id] if id in board.shapes else board.formulas[id]["shape"]
        columns = _side(column, at, n_columns)
        cells = {(id, r, c) for r in _side(row, at, n_rows) for c in columns}
        found.setdefault((identity(term), id), set()).update(cells)
    elif kind == "#":
        letter, n, of, *_ = parts
        for number in range(n if is_in(letter, of) else 1):
            _add_cells(of, {**at, letter: number}, board, found)
    elif kind == "?" and parts[0] is not None:
        numbers, index, yes, no = parts
        _add_cells(yes if number_in(numbers, index, at) else no, at, board, found)
    else:
        for part in parts[2:] if kind == "?" else parts:
            _add_cells(part, at, board, found)


def _side(index: Any, at: Letters, size: int) -> range:
    """Return the rows or columns that an index names in a matrix with `size` rows or columns: all of them for ":"."""
    if index == ":":
        return range(size)
    number = number_at(index, at)
    assert 0 <= number < size, f"{index} is beyond {size} at {at}"
    return range(number, number + 1)


def is_in(letter: str, term: Any) -> bool:
    """Return whether a letter stands in a part of a formula."""
    return term == letter or (isinstance(term, list | tuple) and any(is_in(letter, part) for part in term))


# --- the cells that light up ---


def lit_cells(id: str, i: int, j: int, board: Board, lights: Sequence[Any] | None = None) -> set[Cell]:
    """Return the cells on the page from which the cell [i, j] of the matrix `id` is computed.

    If the page does not show the cells that a formula reads, the function continues with the formulas of those cells.
    `lights` has the cells that light up in place of those in the formula, or is None.
    """
    here = id, i, j
    own = reads_of_cell(here, board) if lights is None else reads_of(["all", *lights], {"i": i, "j": j}, board)
    found, seen, waiting = set[Cell](), {here}, [*own]
    while waiting:
        cells = waiting.pop()
        shown = board.shown(cells)
        found |= shown
        hidden = set[Cell]() if shown else cells - seen
        seen |= hidden
        waiting += [read for cell in hidden for read in reads_of_cell(cell, board)]
    return found


def reads_of_cell(cell: Cell, board: Board) -> list[set[Cell]]:
    """Return the cells of other matrices from which a cell is computed, in sets as those of `reads_of`."""
    if cell not in board.found:
        id, i, j = cell
        reads = reads_of(board.formulas.get(id, {}).get("of"), {"i": i, "j": j}, board)
        board.found[cell] = [cells for cells in reads if all(other != id for other, *_ in cells)]
    return board.found[cell]


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
    """Return the board of a page, from the data of its equations."""
    board = Board({id: formula for equation in reversed(equations) for id, formula in equation["formulas"].items()})
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
    item = next(item for equation in equations for item in items(equation) if item["id"] == id)
    return lit_cells(id, row, column, board_of(equations), item["lights"])
