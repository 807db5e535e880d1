"""Tables in Markdown: a few numbers that are for reading rather than for touching."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pages.shared.notation.prose import typeset


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column holds names and whose others hold numbers; its head is typeset."""
    lines = [[typeset(name) for name in header], (":--", *["--:"] * (len(header) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
