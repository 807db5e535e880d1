"""Edit the text of Python code at nodes of its syntax tree. All other text, including comments, stays the same."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from attention_core.mistakes.engine.code_lines import syntax_tree


@dataclass(frozen=True, slots=True)
class Change:
    """An edit of code: the bytes from `start` to `end` are replaced by `text`.

    If `start` and `end` are equal, the text is only inserted.
    """

    start: int
    end: int
    text: str = ""


class Source:
    """A text of Python code with its syntax tree. Positions are counted in bytes, as in the tree."""

    def __init__(self, code: str) -> None:
        """Parse the code.

        Raises: ValueError if the text is not Python code.
        """
        self.tree = syntax_tree(code)
        self._code = code.encode()
        self._lines = [0, *accumulate(len(line) for line in self._code.splitlines(keepends=True))]

    def start(self, node: ast.expr | ast.stmt) -> int:
        """Return the position at which a node begins."""
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        """Return the position at which a node ends."""
        return self._lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def text(self, start: int, end: int) -> str:
        """Return the code between two positions."""
        return self._code[start:end].decode()

    def renaming(self, node: ast.expr, name: str) -> Change:
        """Return the change that replaces a node by the name `name`."""
        return Change(self.start(node), self.end(node), name)

    def line_removal(self, statement: ast.stmt) -> Change:
        """Return the change that removes the lines of a statement, with their comments."""
        return Change(self._lines[statement.lineno - 1], self._lines[statement.end_lineno or statement.lineno])

    def with_changes(self, changes: Iterable[Change]) -> str:
        """Return the code after these changes. Two changes must not overlap, but the same change may occur twice."""
        code = self._code
        for change in sorted({*changes}, key=lambda change: (change.start, change.end), reverse=True):
            code = code[: change.start] + change.text.encode() + code[change.end :]
        return code.decode()
