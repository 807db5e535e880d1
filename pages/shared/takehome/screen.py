"""What is on the screen, as data for the files that visitors take home."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from attention_core.mistakes.engine.code_lines import names_given
from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.latex import turn_words
from pages.shared.takehome.code import TEXTS, Block, Code, expression, run, starting_names

EXACT = 1e-9
CERTAIN = 1e-3  # times the greatest number of a matrix: if rounding may change a number by more, it is not compared
DIGITS = 1e-15
SHAKEN = 1e-14  # the relative change of the inputs: about the error of some arithmetic with 16 digits
SHAKES = 3

Variables = dict[str, Any]


def runs(code: Code, columns: bool) -> Iterator[tuple[Block, Variables, list[Variables]]]:
    """Run the code several times: first with its own numbers, and then with slightly changed ones."""
    shaken = [run(code, columns, _slightly_changed(code, columns, seed)) for seed in range(SHAKES)]
    for (block, names), *others in zip(run(code, columns), *shaken, strict=True):
        yield block, names, [other for _, other in others]


def tolerance_of(expression: str, names: Variables, others: list[Variables]) -> float:
    """Return how much the value of `expression` may differ from the page: the absolute tolerance for a comparison."""
    value, *moved = (_evaluate(expression, found) for found in (names, *others))
    greatest = _greatest(value)
    apart = max(_greatest_difference(value, other) for other in moved)
    least = EXACT if greatest == 0 or CERTAIN * greatest >= EXACT else max(EXACT * greatest, DIGITS)
    near = max(least, apart)
    return near if near <= max(CERTAIN * greatest, EXACT) else np.inf


def _evaluate(expression: str, names: Mapping[str, Any]) -> np.ndarray:
    with np.errstate(all="ignore"):
        return np.asarray(eval(expression, dict(names)), dtype=float)


def _greatest(values: np.ndarray) -> float:
    return float(np.abs(values[np.isfinite(values)]).max(initial=0.0))


def _greatest_difference(one: np.ndarray, other: np.ndarray) -> float:
    """Return the greatest difference between two arrays, after a small relative tolerance is subtracted."""
    finite = np.isfinite(one)
    if one.shape != other.shape or not np.array_equal(one[~finite], other[~finite], equal_nan=True):
        return np.inf
    if not np.isfinite(other[finite]).all():
        return np.inf
    beyond = np.abs(one[finite] - other[finite]) - EXACT * np.abs(one[finite])
    return float(beyond.max(initial=0.0))


def _slightly_changed(code: Code, columns: bool, seed: int) -> Variables:
    draw = np.random.default_rng(seed)
    numbers = {name: v for name, v in starting_names(code, columns).items() if _is_number(v)}
    return {name: v * (1 + SHAKEN * draw.uniform(-1, 1, np.shape(v))) for name, v in numbers.items()}


def _is_number(value: Any) -> bool:
    return isinstance(value, float) or (isinstance(value, np.ndarray) and value.dtype.kind == "f")


MOST_WRITTEN = 16  # rows or columns; a file shows only a corner of a larger matrix
CORNER = 6
MISTAKE = "mistake"  # the key of the equation that shows the mistake


class ShownExample(Protocol):
    """The fields of a page's example that the files to take home need. On most pages, the example is an `Example`."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def tokens(self) -> tuple[str, ...]: ...
    @property
    def key_tokens(self) -> tuple[str, ...]: ...
    @property
    def context(self) -> Any: ...


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ShownPage:
    """What a page shows in one state: its example, equations and code. The files to take home are made from it."""

    page: str  # the name of the page in links
    concept: str
    question: str
    link: str  # the address that opens the page in this state
    example: ShownExample
    edited: bool
    columns: bool  # whether tokens are columns
    decimals: int
    equations: Mapping[str, tuple[Line, ...]]  # written for tokens as rows
    code: Code

    @property
    def stem(self) -> str:
        """The beginning of the file names, which names the page, its state and its example."""
        of_example = [] if self.example.name in self.page else [self.example.name]
        parts = [self.page, self.code.name.removeprefix(f"{self.page}_"), *of_example, *["edited"] * self.edited]
        return "_".join(dict.fromkeys(parts))

    @property
    def title(self) -> str:
        """The concept of the page, and its question after a colon."""
        return f"{self.concept}: {self.question}"

    @property
    def example_sentence(self) -> str:
        """The title of the example as a sentence, which also says whether the visitor has edited the example."""
        named = TEXTS.fill("edited_example", example=self.example.title) if self.edited else self.example.title
        return named if named.endswith(("?", ".")) else f"{named}."

    def in_layout(self, text: str) -> str:
        """Return a text that is written for tokens as rows, changed for the layout of the screen."""
        return turn_words(text) if self.columns else text

    def lines(self) -> Iterator[Line]:
        """Yield the lines of all equations, in the layout of the screen."""
        for lines in self.equations.values():
            yield from (line.with_tokens_as_columns() if self.columns else line for line in lines)

    def matrices(self) -> dict[str, Matrix]:
        """Return the matrices that the page shows, by id, with tokens as rows."""
        shown = [m for lines in self.equations.values() for m in matrices_of(lines)]
        return {m.id: replace(m, transposed=False) for m in reversed(shown)}

    def without_mistake(self) -> ShownPage:
        """Return the same page as if no mistake was switched on."""
        blocks = tuple(block for block in self.code.blocks if block.key != MISTAKE)
        if len(blocks) == len(self.code.blocks):
            return self
        names = {name for block in blocks for name in re.findall(r"\w+", block.code(self.columns))}
        given = {name: value for name, value in self.code.given.items() if name in names}
        equations = {key: lines for key, lines in self.equations.items() if key != MISTAKE}
        drawn = {} if names & {*self.code.drawn_names} else {"drawn": "", "drawn_names": ()}
        return replace(self, equations=equations, code=replace(self.code, blocks=blocks, given=given, **drawn))


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A value that the code computes and prints.

    If the page shows the value too, `shown` has the numbers on the page, to compare both. Otherwise it is None.
    """

    expression: str
    shown: np.ndarray | None
    near: float = EXACT  # the absolute tolerance, or infinity if the value depends on rounding alone

    @property
    def is_compared(self) -> bool:
        """Whether the value is compared with a number on the page."""
        return self.shown is not None and np.isfinite(self.near)


def checks(screen: ShownPage) -> Iterator[tuple[Block, list[Check]]]:
    """Yield each block of code together with its checks."""
    computed = dict[str, list[Check]]()
    for block, names, others in runs(screen.code, screen.columns):
        found = _checks(screen, block, names)
        computed[block.title] = [_with_nearness(check, names, others) for check in found]
    for block in screen.code.blocks:
        yield block, computed.get(block.title, [])


def not_compared_names(all_checks: list[Check]) -> str:
    """Return the names of the values that the page shows but the code cannot compare, separated by commas, or ""."""
    return ", ".join(dict.fromkeys(c.expression for c in all_checks if c.shown is not None and not c.is_compared))


def _with_nearness(check: Check, names: Variables, others: list[Variables]) -> Check:
    return check if check.shown is None else replace(check, near=tolerance_of(check.expression, names, others))


def _checks(screen: ShownPage, block: Block, names: Mapping[str, Any]) -> list[Check]:
    shown = dict[str, Check]()
    for matrix in matrices_of(screen.equations.get(block.key, ())):
        called = expression(matrix.id, names, screen.columns)
        if called is not None and not _is_given(screen, called, names):
            shown |= {check.expression: check for check in _of_matrix(matrix, called, screen.columns)}
    seen = {check.expression.split("[")[0].removeprefix("np.abs(") for check in shown.values()}
    assigned = [name for name in _assigned_names(block.code(screen.columns)) if _is_small_array(names.get(name))]
    return [Check(name, None) for name in assigned if name not in seen] + list(shown.values())


def _is_given(screen: ShownPage, called: str, names: Mapping[str, Any]) -> bool:
    given = screen.code.given_values(screen.columns)
    return called in given and np.array_equal(given[called], names[called])


def _of_matrix(matrix: Matrix, called: str, columns: bool) -> list[Check]:
    values = np.asarray(matrix.values, dtype=float)
    if matrix.only_row is not None:
        place = f"[:, {matrix.only_row}]" if columns else f"[{matrix.only_row}]"
        return [Check(called + place, values[matrix.only_row])] if values.shape[1] <= MOST_WRITTEN else []
    values = values.T if columns else values
    if max(values.shape) <= MOST_WRITTEN:
        return [Check(called, values)]
    total = np.array(np.abs(values).sum())
    return [Check(f"{called}[:{CORNER}, :{CORNER}]", values[:CORNER, :CORNER]), Check(f"np.abs({called}).sum()", total)]


def _is_small_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0 and max(value.shape) <= MOST_WRITTEN


def _assigned_names(code: str) -> list[str]:
    return list(dict.fromkeys(node.id for node in names_given(ast.parse(code))))


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The part of a matrix that fits into a file, and the size of the whole matrix."""

    shown: np.ndarray
    full: tuple[int, int]  # the size of the whole matrix
    down: tuple[str, ...]  # the names of the shown rows, or ()
    across: tuple[str, ...]  # the names of the shown columns, or ()

    @property
    def leaves_out_rows(self) -> bool:
        """Whether the file leaves out rows of the matrix."""
        return len(self.shown) < self.full[0]

    @property
    def leaves_out_columns(self) -> bool:
        """Whether the file leaves out columns of the matrix."""
        return self.shown.shape[1] < self.full[1]


def cells_of(matrix: Matrix) -> Cells:
    """Return the part of a matrix that a file shows: only a corner if the matrix is large."""
    values = np.asarray(matrix.values, dtype=float)
    values = values if matrix.only_row is None else values[[matrix.only_row]]
    values = values.T if matrix.transposed else values
    down, across = matrix.row_labels, matrix.column_labels
    down = down if matrix.only_row is None or not down else (down[matrix.only_row],)
    down, across = (across, down) if matrix.transposed else (down, across)
    rows, columns = (CORNER if n > MOST_WRITTEN else n for n in values.shape)
    return Cells(values[:rows, :columns], (values.shape[0], values.shape[1]), down[:rows], across[:columns])
