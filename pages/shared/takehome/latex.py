"""Equations to take home as LaTeX and MathML."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import zip_longest

from pages.shared.equation.model import Line, Matrix, Sign
from pages.shared.notation.numbers import format_as_shown, number_latex
from pages.shared.takehome.code import TEXTS
from pages.shared.takehome.screen import Cells, ShownPage, cells_of

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
    return _letters_of_sign(base) + "".join(
        _letters_of_sign(text) if not kind else f"{kind}{{{_superscript(text)}}}" for kind, text in beside
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


def _letters_of_sign(text: str) -> str:
    name = re.fullmatch(r"([A-Za-z]{2,})(.*)", text)
    if name:
        return rf"\mathrm{{{name[1]}}}{name[2]}"
    return "".join(GREEK.get(c, "-" if c == "−" else c) for c in text)


def _superscript(text: str) -> str:
    if text == "T":
        return r"\top"
    return rf"\mathrm{{{text}}}" if re.fullmatch(r"[a-z]{2,}", text) else _letters_of_sign(text)


HALF_A_ROW, LETTER = 7.0, 4.0  # points: half the height of a row, and the height that a letter of a name adds
DOCUMENT = r"""\documentclass[a4paper,11pt]{{article}}
\usepackage[T1]{{fontenc}}
\usepackage[utf8]{{inputenc}}
\usepackage{{amsmath,amssymb,graphicx,textcomp}}
\usepackage[margin=20mm]{{geometry}}
\setcounter{{MaxMatrixCols}}{{20}}
\setlength{{\parindent}}{{0pt}}
% An equation as wide as the page at most.
\newsavebox{{\wide}}
\newcommand{{\fitted}}[1]{{\sbox{{\wide}}{{$\displaystyle #1$}}%
  \ifdim\wd\wide>\linewidth\resizebox{{\linewidth}}{{!}}{{\usebox{{\wide}}}}\else\usebox{{\wide}}\fi}}
% Names beside rows, and above columns.
\newcommand{{\rowname}}[1]{{\text{{\scriptsize #1}}}}
\newcommand{{\columnname}}[1]{{\rlap{{\raisebox{{1.1em}}{{\smash{{\rotatebox{{70}}{{\scriptsize #1}}}}}}}}}}
\begin{{document}}
\section*{{{title}}}
{about}

{equations}
\end{{document}}
"""


def latex_document(screen: ShownPage) -> str:
    """Return the text of a LaTeX document with the equations of the page, with as many decimals as on the screen."""
    equations = "\n\n".join(_line(line, screen.decimals) for line in screen.lines())
    about = text_latex(TEXTS.fill("example_in_latex", example=screen.example_sentence, source=screen.example.source))
    return DOCUMENT.format(title=text_latex(screen.title), about=about, equations=equations)


def _line(line: Line, digits: int) -> str:
    items = " ".join(_item(item, digits) for item in line.items)
    label = f"{text_latex(line.label)}\\nopagebreak\n" if line.label else ""
    return f"{label}\\begin{{equation*}}\n\\fitted{{{items}}}\n\\end{{equation*}}"


def _item(item: Matrix | Sign | str, digits: int) -> str:
    if isinstance(item, Matrix):
        return _matrix(item, cells_of(item), digits)
    if isinstance(item, Sign):
        text = rf"\text{{{text_latex(item.text)}}}"
        return rf"\xrightarrow{{{text}}}" if item.arrow else rf"\;{text}\;"
    return {"·": r"\cdot", "=": "=", "+": "+", "−": "-"}.get(item) or _words(item)


def _words(text: str) -> str:
    return rf"\;{symbol_latex(text)}\;" if "_" in text or "^" in text else rf"\;\text{{{text_latex(text)}}}\;"


def _matrix(matrix: Matrix, cells: Cells, digits: int) -> str:
    size = rf"{cells.full[0]} \times {cells.full[1]}"
    return rf"\underset{{{symbol_latex(matrix.symbol)}\;({size})}}{{{_numbers(cells, digits)}}}"


def _numbers(cells: Cells, digits: int) -> str:
    """Return the numbers of a matrix as LaTeX: in brackets, with the names of the rows and columns outside."""
    rows = [[number_latex(value, digits) for value in row] for row in cells.shown]
    if cells.leaves_out_columns:
        rows = [[*row, r"\cdots"] for row in rows]
    if cells.leaves_out_rows:
        rows.append([r"\vdots"] * len(rows[0]))
    numbers = _join(_with_names(rows, cells.across))
    return rf"{_row_names(cells.down)}{_room_above(cells)}\begin{{bmatrix}} {numbers} \end{{bmatrix}}"


def _row_names(down: Sequence[str]) -> str:
    names = [[rf"\rowname{{{text_latex(name)}}}"] for name in down]
    return rf"\begin{{matrix}} {_join(names)} \end{{matrix}}" if names else ""


def _with_names(rows: list[list[str]], across: Sequence[str]) -> list[list[str]]:
    names = [rf"\columnname{{{text_latex(name)}}} " for name in across]
    first = [name + number for name, number in zip_longest(names, rows[0], fillvalue="")]
    return [first, *rows[1:]]


def _room_above(cells: Cells) -> str:
    longest = max(map(len, cells.across), default=0)
    return rf"\rule{{0pt}}{{{HALF_A_ROW * len(cells.shown) + LETTER * longest:.0f}pt}}" if longest else ""


def _join(rows: Iterable[Iterable[str]]) -> str:
    return r" \\ ".join(" & ".join(row) for row in rows)


KEPT = {"^": "msup", "_": "msub"}


def math(inner: str) -> str:
    """Return a `<math>` element of HTML around some MathML (`inner`)."""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">{inner}</math>'


def matrix_mathml(matrix: Matrix, digits: int, *, blank: bool) -> str:
    """Return a matrix as MathML, with its symbol and its size below."""
    cells = cells_of(matrix)
    rows = "".join(
        f"<mtr>{''.join(_cell(value, digits, blank) for value in row)}</mtr>" for row in cells.shown.tolist()
    )
    size = f"<mtext>\u2002{cells.full[0]}×{cells.full[1]}</mtext>"
    body = f"<mtable>{rows}</mtable>"  # CSS draws the brackets, because not every font has high brackets
    return math(f"<munder>{body}<mrow>{symbol_mathml(matrix.symbol)}{size}</mrow></munder>")


def symbol_mathml(symbol: str) -> str:
    """Return a symbol in MathML, with its superscripts and subscripts.

    >>> symbol_mathml("W^Q")
    '<msup><mi>W</mi><mi>Q</mi></msup>'
    """
    base, beside = parts(symbol)
    made, pieces = _letters(base), list[str]()
    for kind, text in beside:
        if kind:
            made = f"<{KEPT[kind]}>{made}{_letters('⊤' if text == 'T' else text)}</{KEPT[kind]}>"
        else:
            pieces, made = [*pieces, made], _letters(text)
    return "".join([*pieces, made])


def sign_html(sign: Sign | str) -> str:
    """Return the sign between two matrices, as HTML."""
    if isinstance(sign, Sign):
        text = words_html(sign.text)
        return f'<span class="sign">{text}{" ⟶" * sign.arrow}</span>'
    return f'<span class="sign">{words_html(sign)}</span>'


def words_html(text: str) -> str:
    """Return a text as HTML. Symbols in it, such as d_k, W^O and √d_k, get their superscripts and subscripts."""
    base, beside = parts(text)
    if not beside:
        return escape(text)
    *lead, last = base.split(" ")
    root = last.startswith("√")
    kind, lowered = beside[0]
    tag = {"^": "sup", "_": "sub"}.get(kind, "span")
    rest = text[len(base) + len(_script_at_start(text[len(base) :])) :]
    written = f"{'√' * root}<i>{escape(last.lstrip('√'))}</i><{tag}>{escape(lowered)}</{tag}>"
    return " ".join([*map(escape, lead), written]) + words_html(rest)


def _script_at_start(text: str) -> str:
    """Return the superscript or subscript at the beginning of a text, such as "_k" of "_k and" or "_{model}"."""
    end = (
        text.index("}") + 1
        if text[1:2] == "{"
        else next((i for i, c in enumerate(text) if i and c in " ^_"), len(text))
    )
    return text[:end]


def _letters(text: str) -> str:
    return f"<mi>{escape(text)}</mi>" if text else "<mrow></mrow>"


def _cell(value: float, digits: int, blank: bool) -> str:
    if blank:
        return '<mtd class="blank"><mspace width="2.8em" height="1.5em"></mspace></mtd>'
    return f"<mtd><mn>{format_as_shown(value, digits).replace(',', '')}</mn></mtd>"
