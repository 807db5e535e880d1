"""The state of a page on the screen, from which all files are made. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from attention_core.mistakes.engine.code_lines import names_given
from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.orientation import turn_words
from pages.shared.takehome.code import Block, Code, expression
from pages.shared.takehome.rounding import EXACT, Variables, runs, tolerance_of

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
        """The title of the example as a sentence, which also says whether the visitor has edited the example.

        If the title is a question, the sentence ends in its question mark.
        """
        named = f"{self.example.title}{', with your edits' * self.edited}"
        return named if named.endswith(("?", ".")) else f"{named}."

    def in_layout(self, text: str) -> str:
        """Return a text that is written for tokens as rows, changed for the layout of the screen."""
        return turn_words(text) if self.columns else text

    def lines(self) -> Iterator[Line]:
        """Yield the lines of all equations, in the layout of the screen."""
        for lines in self.equations.values():
            yield from (line.with_tokens_as_columns() if self.columns else line for line in lines)

    def matrices(self) -> dict[str, Matrix]:
        """Return the matrices that the page shows, by id, with tokens as rows.

        If the page shows an id several times, the first of these matrices counts.
        """
        shown = [m for lines in self.equations.values() for m in matrices_of(lines)]
        return {m.id: replace(m, transposed=False) for m in reversed(shown)}

    def without_mistake(self) -> ShownPage:
        """Return the same page as if no mistake was switched on.

        The block and the equation of the mistake are left out. Values that only the mistake needs are left out too.
        """
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
    """Yield each block of code together with its checks.

    A check is a value that the code prints after the block and, if the page shows this value, compares with the page.
    """
    computed = dict[str, list[Check]]()
    for block, names, others in runs(screen.code, screen.columns):
        found = _checks(screen, block, names)
        computed[block.title] = [_with_nearness(check, names, others) for check in found]
    for block in screen.code.blocks:
        yield block, computed.get(block.title, [])


def not_compared_names(all_checks: list[Check]) -> str:
    """Return the names of the values that the page shows but the code cannot compare, separated by commas, or "".

    Such values depend on rounding alone. `all_checks` has all checks of the code.
    """
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
    """Return the names of the variables that `code` assigns, in order."""
    return list(dict.fromkeys(node.id for node in names_given(ast.parse(code))))
