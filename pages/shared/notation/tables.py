"""Write tables in Markdown, and matrices as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attention_core.checks import Array
from attention_core.reading.matrix_text import write_matrix
from pages.shared.notation.prose import typeset


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], others: str = "--:") -> str:
    """Return a table as Markdown. The first column has names and is aligned on the left.

    `others` is the alignment of all other columns: "--:" (right) for numbers, ":--" (left) for words.
    """
    lines = [[typeset(name) for name in header], (":--", *[others] * (len(header) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def matrix_as_text(values: Array, *, columns: bool) -> str:
    """Return a matrix as the text that a visitor would paste.

    `values` has tokens as rows. If `columns`, the text has tokens as columns.
    """
    return write_matrix(values.T if columns else values)
