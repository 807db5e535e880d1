"""Write tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pages.shared.notation.prose import typeset


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], others: str = "--:") -> str:
    """Return a table as Markdown. The first column has names and is aligned on the left.

    `others` is the alignment of all other columns: "--:" (right) for numbers, ":--" (left) for words.
    """
    lines = [[typeset(name) for name in header], (":--", *[others] * (len(header) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
