"""The equations on the screen as a complete LaTeX document."""

from __future__ import annotations

import math

from pages.shared.equation.model import Line, Matrix, Sign
from pages.shared.takehome.cells import Cells, cells_of
from pages.shared.takehome.screen import Screen
from pages.shared.takehome.signs import symbol_latex, text_latex

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
\begin{{document}}
\section*{{{title}}}
{about}

{equations}
\end{{document}}
"""


def latex_document(screen: Screen) -> str:
    """Return the document, with as many digits as the screen shows."""
    equations = "\n\n".join(_line(line, screen.decimals) for line in screen.lines())
    edited = ", with your edits" * screen.edited
    about = text_latex(f"Example: {screen.example.title}{edited}. {screen.example.source}")
    return DOCUMENT.format(title=text_latex(screen.title), about=about, equations=equations)


def number_latex(value: float, digits: int) -> str:
    """Write a number with at most this many decimals."""
    if math.isnan(value):
        return r"\text{NaN}"
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    rounded = f"{value:.{digits}f}"
    plain = rounded.rstrip("0").rstrip(".") if "." in rounded else rounded
    return "0" if plain in ("-0", "") else plain


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
    rows = [[number_latex(value, digits) for value in row] for row in cells.shown]
    if cells.cut_across:
        rows = [[*row, r"\cdots"] for row in rows]
    if cells.cut_down:
        rows.append([r"\vdots"] * len(rows[0]))
    body = r" \\ ".join(" & ".join(row) for row in rows)
    size = rf"{cells.full[0]} \times {cells.full[1]}"
    return rf"\underset{{{symbol_latex(matrix.symbol)}\;({size})}}{{\begin{{bmatrix}} {body} \end{{bmatrix}}}}"
