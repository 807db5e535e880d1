"""Split the symbols of equations into a base, superscripts and subscripts, and write symbols and texts in LaTeX."""

from __future__ import annotations

import re

GREEK = {"λ": r"\lambda", "μ": r"\mu", "σ": r"\sigma", "Σ": r"\Sigma"}
# Characters that need a command in LaTeX.
IN_LATEX = {
    "÷": r"$\div$", "×": r"$\times$", "·": r"$\cdot$", "→": r"$\to$", "−": "$-$", "∞": r"$\infty$", "Σ": r"$\Sigma$",
    "λ": r"$\lambda$", "μ": r"$\mu$", "σ": r"$\sigma$", "…": r"\dots{}", "“": "``", "”": "''", "’": "'", "–": "--",
    "±": r"$\pm$",
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}", "`": r"\textasciigrave{}",
    **{c: f"\\{c}" for c in "#$%&_{}"},
    **{c: f"$_{i}$" for i, c in enumerate("₀₁₂₃₄₅₆₇₈₉")}, "ᴼ": r"$^{O}$", "⁸": "$^8$",
}  # fmt: skip
_ROOT = re.compile(r"√(\w+)")
_RAISED = re.compile(r"[\^_](?:\{[^}]*\}|[^\s^_]+)")
_SYMBOL = re.compile(r"(?<!\w)([A-Za-z]\w*?'?)((?:[\^_](?:\{[^}]*\}|\w+))+)")


def parts(symbol: str) -> tuple[str, list[tuple[str, str]]]:
    """Return the parts of a symbol: its base and, in a list, what follows.

    An item of the list has the text and, before it, its kind: "^" for a superscript, "_" for a subscript, and "" for
    letters.

    >>> parts("W^Q"), parts("head_{1}W^{O}_{1}")
    (('W', [('^', 'Q')]), ('head', [('_', '1'), ('', 'W'), ('^', 'O'), ('_', '1')]))
    """
    start = _RAISED.search(symbol)
    if start is None:
        return symbol, []
    pieces = re.split(f"({_RAISED.pattern})", symbol[start.start() :])
    found = [(p[0], p[1:].strip("{}")) if p[0] in "^_" else ("", p) for p in pieces if p]
    return symbol[: start.start()], found


def symbol_latex(symbol: str) -> str:
    """Return a symbol in LaTeX, for math mode."""
    base, beside = parts(symbol)
    return _letters(base) + "".join(
        _letters(text) if not kind else f"{kind}{{{_superscript(text)}}}" for kind, text in beside
    )


def text_latex(text: str) -> str:
    r"""Return a text as LaTeX for text mode. Symbols in the text, such as √d_k, are in math mode.

    A character that LaTeX's fonts do not have is replaced by the number of its code point.

    >>> text_latex("÷ √d_k, 50 %")
    '$\\div$ $\\sqrt{d_{k}}$, 50 \\%'
    """
    written, place = list[str](), 0
    for match in re.finditer(rf"{_ROOT.pattern}|{_SYMBOL.pattern}", text):
        written.append(_plain(text[place : match.start()]))
        root = match[0].startswith("√")
        written.append(f"$\\sqrt{{{symbol_latex(match[1])}}}$" if root else f"${symbol_latex(match[0])}$")
        place = match.end()
    return "".join([*written, _plain(text[place:])])


def _plain(text: str) -> str:
    return "".join(
        IN_LATEX.get(c) or (c if c.isascii() or c in "àäéèöüß" else rf"\texttt{{U+{ord(c):04X}}}") for c in text
    )


def _letters(text: str) -> str:
    name = re.fullmatch(r"([A-Za-z]{2,})(.*)", text)
    if name:
        return rf"\mathrm{{{name[1]}}}{name[2]}"
    return "".join(GREEK.get(c, "-" if c == "−" else c) for c in text)


def _superscript(text: str) -> str:
    if text == "T":
        return r"\top"
    return rf"\mathrm{{{text}}}" if re.fullmatch(r"[a-z]{2,}", text) else _letters(text)
