"""The screen: what is shown at one moment, as everything that is taken home is made from. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from attention_core.examples import Example
from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.orientation import turned
from pages.shared.takehome.code import Block, Code, expression
from pages.shared.takehome.rounding import EXACT, Names, nearness, runs

MOST_WRITTEN = 16  # a side; of larger matrices the first rows and columns are written down
CORNER = 6
MISTAKE = "slip"  # the key of its equation


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Screen:
    """A page in one state."""

    page: str  # its name in links
    concept: str
    question: str
    link: str  # the address that restores it
    example: Example
    edited: bool
    columns: bool  # tokens are columns
    decimals: int
    equations: Mapping[str, tuple[Line, ...]]  # written for tokens as rows
    code: Code

    @property
    def stem(self) -> str:
        """Return what the names of its files begin with."""
        of_example = [] if self.example.name in self.page else [self.example.name]
        parts = [self.page, self.code.name.removeprefix(f"{self.page}_"), *of_example, *["edited"] * self.edited]
        return "_".join(dict.fromkeys(parts))

    @property
    def title(self) -> str:
        """Return what is shown, in words."""
        return f"{self.concept}: {self.question}"

    def says(self, text: str) -> str:
        """Return a text that is written for tokens as rows as it reads here."""
        return turned(text) if self.columns else text

    def lines(self) -> Iterator[Line]:
        """Return all equations as they stand on the page."""
        for lines in self.equations.values():
            yield from (line.turned() if self.columns else line for line in lines)

    def matrices(self) -> dict[str, Matrix]:
        """Return every matrix that is shown, once, by its id, with tokens as rows."""
        shown = [m for lines in self.equations.values() for m in matrices_of(lines)]
        return {m.id: replace(m, transposed=False) for m in reversed(shown)}

    def without_mistake(self) -> Screen:
        """Return the same without the mistake that is switched on, and without what is given for its sake alone."""
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
    """Something that the code computes, and what the page shows of it, if it does."""

    expression: str
    shown: np.ndarray | None
    near: float = EXACT  # how near both come; infinity where rounding alone decides what it is

    @property
    def compared(self) -> bool:
        """Whether it is worth comparing."""
        return self.shown is not None and np.isfinite(self.near)


def checks(screen: Screen) -> Iterator[tuple[Block, list[Check]]]:
    """Return for each block of the code what is to be printed after it, and compared; asides as well."""
    computed = dict[str, list[Check]]()
    for block, names, others in runs(screen.code, screen.columns):
        found = _checks(screen, block, names)
        computed[block.title] = [_with_nearness(check, names, others) for check in found]
    for block in screen.code.blocks:
        yield block, computed.get(block.title, [])


def not_compared(every: list[Check]) -> str:
    """Return what is shown and cannot be compared, by name, or nothing."""
    return ", ".join(dict.fromkeys(c.expression for c in every if c.shown is not None and not c.compared))


def _with_nearness(check: Check, names: Names, others: list[Names]) -> Check:
    return check if check.shown is None else replace(check, near=nearness(check.expression, names, others))


def _checks(screen: Screen, block: Block, names: Mapping[str, Any]) -> list[Check]:
    shown = dict[str, Check]()
    for matrix in matrices_of(screen.equations.get(block.key, ())):
        called = expression(matrix.id, names, screen.columns)
        if called is not None and not _is_given(screen, called, names):
            shown |= {check.expression: check for check in _of_matrix(matrix, called, screen.columns)}
    seen = {check.expression.split("[")[0].removeprefix("np.abs(") for check in shown.values()}
    assigned = [name for name in _assigned(block.code(screen.columns)) if _is_small_array(names.get(name))]
    return [Check(name, None) for name in assigned if name not in seen] + list(shown.values())


def _is_given(screen: Screen, called: str, names: Mapping[str, Any]) -> bool:
    given = screen.code.givens(screen.columns)
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


def _assigned(code: str) -> list[str]:
    """Return the names that a piece of code gives to values, in order."""
    targets = [target for node in ast.parse(code).body if isinstance(node, ast.Assign) for target in node.targets]
    return list(dict.fromkeys(n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)))
