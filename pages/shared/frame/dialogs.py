"""The dialogs of the frame: how to use the app, and its symbols."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import streamlit as st

from attention_core.arithmetic import operands
from attention_core.examples import example
from pages.shared.controls import Parameters
from pages.shared.equation.computation import id_of
from pages.shared.equation.engine import equations_on_page
from pages.shared.equation.model import Matrix, matrices_of
from pages.shared.notation.glossary import EVERYWHERE, WORDS
from pages.shared.notation.latex import shape_of, symbol_of
from pages.shared.notation.prose import markdown_table, typeset
from pages.shared.notation.symbols import LETTERS, SAME, SYMBOLS, symbol_of_id, symbol_of_matrix

VERSION = "1.5.0"  # as in pyproject.toml

LEARN = """\
1. **Read from page to page.** *Home* shows all of attention in a minute. Below each page is a link to the next one.
2. **Point at a number** to highlight the numbers that it was computed from. **Click it** for its calculation.
3. **Change a number** that has a coloured line below it: type over it, drag it sideways, or paste a block from a
   spreadsheet, a CSV file or NumPy. Everything that depends on it follows. `Ctrl+Z` takes the change back.
4. **Try it**, on each concept page, gives you a task with one matrix left blank. Each number that you fill in gets a
   mark. You may round every step to two decimals. If a number comes from a common mistake, the page names the mistake.
5. **What goes wrong** has a switch for each common mistake. Switch it on to see what it does to the numbers.
"""

TEACH = """\
- **Scenes** has lectures of 20, 45 and 60 minutes, the scenes of single pages, and the whole course on one sheet. A
  scene is a state of a page with a title and a sentence to say. `Page Down` and `Page Up`, the keys of a slide clicker,
  walk through a lecture. Whatever you change meanwhile, *Back to the scene* returns.
- **Presenter view**, below the menu, shows what a scene is about alone and large. It covers the answer until the next
  `Page Down`. `N` opens your notes in a second window, which takes the same keys. `Q` shows a code: a phone that reads
  it shows the scene without results until its owner has chosen an answer. `B` makes the screen black, `Esc` leaves.
- **Ask the class**, above a scene that asks something and below each task, opens a room: students answer on their
  phones, and you see how many made which mistake. In the presenter view, `O` asks and `S` shows the answers.
- **A course of your own:** in *Scenes*, begin with a lecture and change it, or add what any page shows. Say what it
  shows, and save it as a file. Any computer can open this file and present it.
- **Tasks for a class:** a task is in the address (`?task=17&difficulty=2`). Whoever opens the link gets the same task.
  *Take home* makes worksheets for up to 200 learners, each with other numbers, and their answers as another file.
"""

EVERY_PAGE = f"""\
- **Example** chooses the numbers. In *{example("story").title}* every feature has a name, so that every number means
  something. *{example("hand").title}* has small integers. Your edits come with you from page to page.
- **Share** gives the link of exactly what you see, its QR code, and a file. The address always restores the page.
- **Take home** gives what is on the screen as a Python script, a notebook, PyTorch, LaTeX, CSV tables or worksheets.
- **Symbols** explains every symbol, and the words that are not everyday language.
- **In code**, below the lesson, is the NumPy code of this very computation, with the numbers on the screen.
- **Tokens are**, below the menu, turns every matrix, formula and line of code to rows or to columns. No number changes.
"""

KEYS = """\
| Key | What it does |
|:--|:--|
| `Tab` | go to the next matrix |
| arrows | go from cell to cell |
| `Enter` | show the calculation of the cell |
| digits or `F2` | edit the cell |
| `Alt` + `↑` or `↓` | make the number greater or smaller |
| `Esc` | leave the cell as it was |
| `Ctrl+Z` | undo the last edit |
"""

TABS = {"Learn": LEARN, "Teach": TEACH, "On every page": EVERY_PAGE, "Keys": KEYS}


@st.dialog("How to use this", width="large")
def guide_dialog() -> None:
    """Draw the guide in tabs. It opens with the tab for learners."""
    for tab, text in zip(st.tabs([*TABS]), TABS.values(), strict=True):
        tab.markdown(text)
    st.caption(f"Attention Lab {VERSION}")


@st.dialog("Symbols", width="medium")
def symbols_dialog(parameters: Parameters) -> None:
    """Draw the dialog of symbols: the symbols on the screen, the meaning of some words, and all other symbols."""
    shown = matrices_on_page()
    if shown:
        st.markdown(f"**On the screen**\n\n{_matrices(shown, parameters)}")
        st.markdown(_letters(_letters_of(shown)))
    words = {**{word: entry.means for word, entry in EVERYWHERE.items()}, **WORDS}.items()
    st.markdown(f"**Words**\n\n{markdown_table(('Word', 'Meaning'), words, ':--')}")
    with st.expander("All other symbols" if shown else "All symbols"):
        others = {name: None for name in SYMBOLS if name not in {*shown, *SAME}}
        st.markdown(_matrices(others, parameters))
        st.markdown(f"**Letters and signs**\n\n{_letters([*LETTERS])}")


def _letters_of(shown: Iterable[str]) -> list[str]:
    sides = {part for name in shown for part in re.findall(r"\w+", SYMBOLS[name].shape)}
    return [name for name in LETTERS if name in sides]


def _letters(names: Iterable[str]) -> str:
    rows = [(f"${LETTERS[name][0]}$", typeset(LETTERS[name][1])) for name in names]
    return markdown_table(("Symbol", "Meaning"), rows, ":--")


def matrices_on_page() -> dict[str, Matrix | None]:
    """Return the matrices in the equations of the page, by their names in the table of symbols."""
    shown = [matrix for lines in equations_on_page().values() for matrix in matrices_of(lines)]
    return {SAME.get(name, name): matrix for matrix in shown if (name := name_of(matrix))}


def name_of(matrix: Matrix) -> str | None:
    """Return the name of a matrix in the table of symbols, or None if the table does not have the matrix."""
    name, cell = symbol_of_id(matrix.id), matrix.cell(matrix.only_row or 0, 0)
    worked = [read for read, _ in operands(cell.term)] if cell else []
    return name and symbol_of_matrix(name, [*worked, *map(id_of, matrix.reads)])


def _matrices(matrices: Mapping[str, Matrix | None], parameters: Parameters) -> str:
    rows = [_row(name, matrix, parameters) for name, matrix in matrices.items()]
    return markdown_table(("Symbol", "Meaning", "Shape"), rows, ":--")


def _row(name: str, matrix: Matrix | None, parameters: Parameters) -> tuple[str, ...]:
    record = SYMBOLS[name]
    sides = [_in_letters(record.shape.split(" × "), matrix), *([[*map(str, matrix.values.shape)]] if matrix else [])]
    shapes = " = ".join(f"{{{shape_of(*(each[::-1] if parameters.columns else each))}}}" for each in sides)
    return f"${symbol_of(name)}$", f"**{record.words}**: {typeset(parameters.in_layout(record.means))}", f"${shapes}$"


def _in_letters(sides: list[str], matrix: Matrix | None) -> list[str]:
    if matrix is None or matrix.blocks is None or sides[1].startswith("h "):
        return sides
    heads = matrix.values.shape[1] // matrix.blocks
    return [sides[0], f"{heads} {sides[1]}" if heads > 1 else sides[1]]
