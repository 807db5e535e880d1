"""Write matrices, symbols and signs in MathML, which a browser draws without a library.

Blank cells have room to write.
"""

from __future__ import annotations

from html import escape

from pages.shared.equation.model import Matrix, Sign
from pages.shared.notation.numbers import format_as_shown
from pages.shared.takehome.cells import cells_of
from pages.shared.takehome.signs import parts

KEPT = {"^": "msup", "_": "msub"}


def math(inner: str) -> str:
    """Return a `<math>` element of HTML around some MathML (`inner`)."""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">{inner}</math>'


def matrix_mathml(matrix: Matrix, digits: int, *, blank: bool) -> str:
    """Return a matrix as MathML, with its symbol and its size below.

    `digits` is the number of decimals. If `blank`, the cells are empty and have room to write in.
    """
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
