"""Words, quotation marks and tables in the app's texts."""

from __future__ import annotations

import html
import re
import textwrap
from collections.abc import Iterable, Sequence

from attention_core.checks import Array
from attention_core.reading.matrix_text import write_matrix

MOST_OF_A_RULE = 210  # characters, so that a notice fits into a few lines


def literal(text: str) -> str:
    """Return a visitor's text as Markdown code, in which nothing is markup.

    >>> literal("**a**"), literal("`")
    ('`**a**`', '`` ` ``')
    """
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") else ""
    return f"{fence}{space}{text}{space}{fence}"


def escape(text: str) -> str:
    r"""Return a visitor's text as Markdown in which nothing is markup, and braces do not read numbers from the screen.

    >>> print(escape("**A** {x} ![b](c)"))
    \*\*A\*\* {{x}} \!\[b\]\(c\)
    """
    return re.sub(r"([\\`*_\[\]()<>#+\-!|~$:&.])", r"\\\1", text).replace("{", "{{").replace("}", "}}")


def typeset(text: str) -> str:
    """Return a text in which names such as d_k, √d_model and W^O are written in LaTeX."""
    with_roots = re.sub(r"√(d_\w+|\w+)", lambda match: rf"$\sqrt{{{_subscript(match[1])}}}$", text)
    return re.sub(r"(?<![{$\w\\])(d_\w+|W\^\w)", lambda match: f"${_subscript(match[1])}$", with_roots)


def _subscript(name: str) -> str:
    return re.sub(r"_(\w\w+)", r"_{\\text{\1}}", name)


def code_html(code: str) -> str:
    """Return lines of code as HTML, which is drawn much faster than Streamlit's own element for code.

    >>> code_html("a < b")
    '<pre class="lines">a &lt; b</pre>'
    """
    return f'<pre class="lines">{html.escape(code, quote=False)}</pre>'


def whom(tokens: Sequence[str], key_tokens: Sequence[str], query_index: int, key_index: int) -> str:
    """Return how a sentence names the token that another token attends to: the token in quotation marks, or "itself".

    `query_index` is the index of the token that attends, in `tokens`. `key_index` is the index of the token that it
    attends to, in `key_tokens`.

    >>> whom(("cat", "milk"), ("cat", "milk"), 0, 1), whom(("cat", "milk"), ("cat", "milk"), 1, 1)
    ('“milk”', 'itself')
    """
    return "itself" if query_index == key_index and tuple(tokens) == tuple(key_tokens) else f"“{key_tokens[key_index]}”"


def short(text: str) -> str:
    """Return the first 24 characters of a visitor's text, for a notice."""
    clean = "".join(character for character in text if character.isprintable() and character != "`")
    return clean if len(clean) <= 24 else clean[:24] + "…"


def what_was_written(text: str) -> str:
    """Return what a visitor has written, as a part of an error message.

    >>> what_was_written("**a**"), what_was_written(" ")
    ('you wrote `**a**`', 'the field is empty')
    """
    return f"you wrote {literal(short(text))}" if text.strip() else "the field is empty"


def several_values_notice(name: str, texts: Sequence[str]) -> list[str]:
    """Return a list with one notice if a link gives the parameter `name` several values, and otherwise []."""
    if len(texts) < 2:
        return []
    return [
        f"The link’s `{name}` must have one value, but it has {len(texts)}. Only the last counts: `{short(texts[-1])}`."
    ]


def one_of(names: Iterable[str]) -> str:
    """Return “one of” and the names to choose from. If the text would be too long, the last names are left out.

    >>> one_of(("none", "causal"))
    'one of none, causal'
    """
    return textwrap.shorten(f"one of {', '.join(names)}", MOST_OF_A_RULE, placeholder=" …")


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], others: str = "--:") -> str:
    """Return a table as Markdown. The first column has names and is aligned on the left."""
    lines = [[typeset(name) for name in header], (":--", *[others] * (len(header) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def matrix_as_text(values: Array, *, columns: bool) -> str:
    """Return a matrix as the text that a visitor would paste."""
    return write_matrix(values.T if columns else values)
