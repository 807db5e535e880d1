"""Words, quotation marks and tables in the app's texts."""

from __future__ import annotations

import html
import re
import string
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence

from attention_core.checks import Array
from attention_core.reading.matrix_text import write_matrix

MOST_OF_A_RULE = 210  # characters, so that a notice fits into a few lines


UNSEEN = ("Cc", "Cs", "Zl", "Zp")  # control characters, halves of characters, and line breaks
TURNS_TEXT = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # these change the direction of a text
_LINE_BREAK = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Streamlit looks for these in what Markdown has read, so no escaping hides them: addresses of pages and of mail, icons,
# emoji, and arrows. It does not find them around a character that takes no room.
_FOUND_IN_WORDS = re.compile(r"(?<=[:@])|(?<=www)(?=\.)|(?<=[-<>~])(?=[-=>])", re.IGNORECASE)
_FOUND_IN_CODE = re.compile(r"(?<=:)(?=material/)|(?<=\\)(?=\|)")  # after a backslash, | ends the cell of a table
_NO_ROOM = "\u2060"


def escape(text: str) -> str:
    r"""Return foreign words (of a visitor, a link, a file, a model) as Markdown in which nothing is markup.

    The result has no braces, so no expression is read in it. It is safe in a sentence, a heading, a label and a table.

    >>> print(escape("**A** {x}"))
    &#42;&#42;A&#42;&#42; &#123;x&#125;
    """
    words = _FOUND_IN_WORDS.sub(_NO_ROOM, _on_one_line(text))
    return re.sub(rf"[{re.escape(string.punctuation)}]|^ +| +$", lambda found: f"&#{ord(found[0][0])};", words)


def literal(text: str) -> str:
    """Return foreign words (of a visitor, a link, a file, a model) as code, in which nothing is markup.

    >>> literal("**a**"), literal("`"), literal("")
    ('`**a**`', '`` ` ``', '` `')
    """
    words = _FOUND_IN_CODE.sub(_NO_ROOM, _on_one_line(text)) or " "
    fence = "`" * (1 + max(map(len, re.findall("`+", words)), default=0))
    space = " " if words.strip() and (words[0] in "` " or words[-1] in "` ") else ""
    return f"{fence}{space}{words}{space}{fence}"


def _on_one_line(text: str) -> str:
    if text.isprintable():
        return text
    words = _LINE_BREAK.sub("⏎", text).replace("\t", " ")
    return "".join(c for c in words if unicodedata.category(c) not in UNSEEN and c not in TURNS_TEXT)


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
    """Return the first 24 characters of foreign words as code, for a notice.

    >>> short("1, 2; " * 9)
    '`1, 2; 1, 2; 1, 2; 1, 2; …`'
    """
    clean = "".join(character for character in text if character.isprintable() and character != "`")
    return literal(clean if len(clean) <= 24 else clean[:24] + "…")


def what_was_written(text: str) -> str:
    """Return what a visitor has written, as a part of an error message.

    >>> what_was_written("**a**"), what_was_written(" ")
    ('you wrote `**a**`', 'the field is empty')
    """
    return f"you wrote {short(text)}" if text.strip() else "the field is empty"


def several_values_notice(name: str, texts: Sequence[str]) -> list[str]:
    """Return a list with one notice if a link gives the parameter `name` several values, and otherwise []."""
    if len(texts) < 2:
        return []
    return [
        f"The link’s `{name}` must have one value, but it has {len(texts)}. Only the last counts: {short(texts[-1])}."
    ]


def one_of(names: Iterable[str]) -> str:
    """Return “one of” and the names to choose from. If the text would be too long, the last names are left out.

    >>> one_of(("none", "causal"))
    'one of none, causal'
    """
    return textwrap.shorten(f"one of {', '.join(names)}", MOST_OF_A_RULE, placeholder=" …")


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[str]], others: str = "--:") -> str:
    """Return a table as Markdown. The first column has names and is aligned on the left."""
    ruled = (":--", *[others] * (len(header) - 1))
    lines = [[re.sub(r"(?<!\\)\|", r"\|", cell) for cell in line] for line in ([*map(typeset, header)], ruled, *rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def matrix_as_text(values: Array, *, columns: bool) -> str:
    """Return a matrix as the text that a visitor would paste."""
    return write_matrix(values.T if columns else values)
