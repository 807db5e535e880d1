"""Write the equations on the screen as a complete LaTeX document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from pages.shared.equation.model import Line, Matrix, Sign
from pages.shared.notation.numbers import number_latex
from pages.shared.takehome.cells import Cells, cells_of
from pages.shared.takehome.screen import ShownPage
from pages.shared.takehome.signs import symbol_latex, text_latex

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
    about = text_latex(f"Example: {screen.example_sentence} {screen.example.source}")
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
    """Return the numbers of a matrix as LaTeX: in brackets, with the names of the rows and columns outside.

    Dots stand for rows or columns that are left out. `digits` is the number of decimals.
    """
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
    """Return the rows, in which each number of the first row has the name of its column before it.

    The LaTeX command in front of the name moves it above the matrix. All items are LaTeX, and `across` has the names.
    """
    names = [rf"\columnname{{{text_latex(name)}}} " for name in across]
    first = [name + number for name, number in zip_longest(names, rows[0], fillvalue="")]
    return [first, *rows[1:]]


def _room_above(cells: Cells) -> str:
    """Return LaTeX that keeps space free above a matrix for its column names, or "" if `cells` has no such names."""
    longest = max(map(len, cells.across), default=0)
    return rf"\rule{{0pt}}{{{HALF_A_ROW * len(cells.shown) + LETTER * longest:.0f}pt}}" if longest else ""


def _join(rows: Iterable[Iterable[str]]) -> str:
    return r" \\ ".join(" & ".join(row) for row in rows)
