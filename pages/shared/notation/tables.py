"""Write tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pages.shared.notation.prose import typeset


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], others: str = "--:") -> str:
    """Return a table as Markdown. Its first column has names.

    The other columns have numbers, which are aligned on the right, or words if `others` is ":--".
    """
    lines = [[typeset(name) for name in header], (":--", *[others] * (len(header) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
