"""Texts of the first bytes: the few signs of Markdown that the beginnings of pages use, as HTML.

Streamlit draws Markdown in the browser, once it has loaded. Formulas are left to the browser here too.
"""

from __future__ import annotations

import re
from html import escape

# What these signs begin is not drawn here: lists, tables, quotes, code on its own lines, rules, icons and colours.
_OTHER = re.compile(r"^(?:[-*+>|] |#+ |\d+\. |```|---)|(?<!\w):(?:material|[a-z-]+\[)|<", re.MULTILINE)
_INLINE = re.compile(r"\$(?P<tex>[^$]+)\$|`(?P<code>[^`]+)`|\[(?P<link>[^\]]+)\]\([^)]*\)")


class NotPlainError(ValueError):
    """A text has signs of Markdown that the first bytes cannot show."""


def html_of(text: str) -> str:
    r"""Return a text as HTML. A formula is an element `tex`, whose content is LaTeX.

    Raises: NotPlainError if the text has other signs of Markdown than paragraphs, emphasis, code, links and formulas.

    >>> html_of("**Two** rows.\n\n$$a + b$$")
    '<p><strong>Two</strong> rows.</p><p><span class="tex display">a + b</span></p>'
    """
    if _OTHER.search(text):
        raise NotPlainError(f"the first bytes show paragraphs, emphasis, code, links and formulas; got {text!r}")
    return "".join(f"<p>{_paragraph(part.strip())}</p>" for part in re.split(r"\n\s*\n", text.strip()))


def _paragraph(text: str) -> str:
    if text.startswith("$$") and text.endswith("$$"):
        return f'<span class="tex display">{escape(text[2:-2].strip(), quote=False)}</span>'
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kind, content = next((kind, content) for kind, content in found.groupdict().items() if content is not None)
        kept.append(_kept(kind, content))
        return f"\0{len(kept) - 1}\0"

    text = escape(_INLINE.sub(keep, text), quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text, flags=re.DOTALL)
    text = re.sub(r"\*(.+?)\*", r"<em>\1</em>", text, flags=re.DOTALL)
    return re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], text)


def _kept(kind: str, content: str) -> str:
    content = escape(content, quote=False)
    if kind == "tex":
        return f'<span class="tex">{content}</span>'
    return f"<code>{content}</code>" if kind == "code" else f"<u>{content}</u>"
