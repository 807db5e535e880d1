"""The dialogs of the frame: how to use the app, and its symbols."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import streamlit as st

from attention_core.arithmetic import operands
from attention_core.examples import example
from pages.shared.controls import Parameters
from pages.shared.equation.engine import equations_on_page
from pages.shared.equation.model import Matrix, matrices_of
from pages.shared.frame.errors import TEXTS
from pages.shared.notation.glossary import EVERYWHERE, WORDS
from pages.shared.notation.latex import shape_of, symbol_of
from pages.shared.notation.prose import markdown_table, typeset
from pages.shared.notation.symbols import LETTERS, SAME, SYMBOLS, symbol_of_id, symbol_of_matrix

VERSION = "1.8.0"  # as in pyproject.toml

STORY, HAND = example("story").title, example("hand").title
# The guide: the text of each tab by its title.
TABS = {
    TEXTS.fill("to_learn"): TEXTS.fill("guide_to_learn"),
    TEXTS.fill("to_teach"): TEXTS.fill("guide_to_teach"),
    TEXTS.fill("on_every_page"): TEXTS.fill("guide_to_every_page", story=STORY, hand=HAND),
    TEXTS.fill("keys"): TEXTS.fill("guide_to_keys"),
}


@st.dialog(TEXTS.fill("how_to_use_this"), width="large")
def guide_dialog() -> None:
    """Draw the guide in tabs. It opens with the tab for learners."""
    for tab, text in zip(st.tabs([*TABS]), TABS.values(), strict=True):
        tab.markdown(text)
    st.caption(TEXTS.fill("version", version=VERSION))


@st.dialog(TEXTS.fill("symbols"), width="medium")
def symbols_dialog(parameters: Parameters) -> None:
    """Draw the dialog of symbols: the colours, the symbols on the screen, some words, and all other symbols."""
    st.markdown(TEXTS.fill("hues"))
    shown = matrices_on_page()
    if shown:
        st.markdown(TEXTS.fill("on_the_screen", table=_matrices(shown, parameters)))
        st.markdown(_letters(_letters_of(shown)))
    words = {**{word: entry.means for word, entry in EVERYWHERE.items()}, **WORDS}.items()
    st.markdown(TEXTS.fill("words", table=_table(("word", "meaning"), words)))
    with st.expander(TEXTS.fill("all_other_symbols" if shown else "all_symbols")):
        others = {name: None for name in SYMBOLS if name not in {*shown, *SAME}}
        st.markdown(_matrices(others, parameters))
        st.markdown(TEXTS.fill("letters_and_signs", table=_letters([*LETTERS])))


def _letters_of(shown: Iterable[str]) -> list[str]:
    sides = {part for name in shown for part in re.findall(r"\w+", SYMBOLS[name].shape)}
    return [name for name in LETTERS if name in sides]


def _letters(names: Iterable[str]) -> str:
    rows = [(f"${LETTERS[name][0]}$", typeset(LETTERS[name][1])) for name in names]
    return _table(("symbol", "meaning"), rows)


def _table(header: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    return markdown_table([TEXTS.fill(name) for name in header], rows, ":--")


def matrices_on_page() -> dict[str, Matrix | None]:
    """Return the matrices in the equations of the page, by their names in the table of symbols."""
    shown = [matrix for lines in equations_on_page().values() for matrix in matrices_of(lines)]
    return {SAME.get(name, name): matrix for matrix in shown if (name := name_of(matrix))}


def name_of(matrix: Matrix) -> str | None:
    """Return the name of a matrix in the table of symbols, or None if the table does not have the matrix."""
    name, cell = symbol_of_id(matrix.id), matrix.cell(matrix.only_row or 0, 0)
    worked = [read for read, _ in operands(cell.term)] if cell else []
    return name and symbol_of_matrix(name, [*worked, *matrix.read_ids])


def _matrices(matrices: Mapping[str, Matrix | None], parameters: Parameters) -> str:
    rows = [_row(name, matrix, parameters) for name, matrix in matrices.items()]
    return _table(("symbol", "meaning", "shape"), rows)


def _row(name: str, matrix: Matrix | None, parameters: Parameters) -> tuple[str, ...]:
    record = SYMBOLS[name]
    sides = [_in_letters(record.shape.split(" × "), matrix), *([[*map(str, matrix.values.shape)]] if matrix else [])]
    shapes = " = ".join(f"{{{shape_of(*(each[::-1] if parameters.columns else each))}}}" for each in sides)
    meaning = typeset(parameters.in_layout(record.means))
    return f"${symbol_of(name)}$", TEXTS.fill("name_and_meaning", name=record.words, meaning=meaning), f"${shapes}$"


def _in_letters(sides: list[str], matrix: Matrix | None) -> list[str]:
    if matrix is None or matrix.blocks is None or sides[1].startswith("h "):
        return sides
    heads = matrix.values.shape[1] // matrix.blocks
    return [sides[0], f"{heads} {sides[1]}" if heads > 1 else sides[1]]
