"""Test the symbols: no symbol has two meanings on one page, and equations and arithmetic use the same symbols."""

import re

import pytest

from attention_core.arithmetic import operands
from boards import KNOWN, bare_symbol, boards, matrices_on, name_in_table, table_symbol
from house_rules import check_rule
from pages.shared.equation import formulas_of
from pages.shared.frame.dialogs import name_of
from pages.shared.notation.latex import derivation, symbol_of
from pages.shared.notation.symbols import LETTERS, SAME, SYMBOLS, symbol_of_id
from pagesutil import USUAL
from simulating import open_page

BESIDE = ("_mistake", "_right", "_yours")  # the matrices beside a mistake, which the mistake is not computed from
# matrices whose cells depend on all inputs; their arithmetic begins with the weights
WHOLE_LAYERS = ("shuffled", "moved")
PAGE = pytest.mark.parametrize("page", USUAL)

# --- the table ---


def test_no_two_matrices_have_one_symbol():
    by_symbol = dict[str, set[str]]()
    for name, entry in SYMBOLS.items():
        by_symbol.setdefault(entry.symbol, set()).add(name)
    check_rule(
        {symbol: names for symbol, names in by_symbol.items() if len(names - {*SAME}) > 1},
        "No two matrices have one symbol.",
        "choose another symbol in SYMBOLS, or name both in SAME if they are one matrix.",
    )
    check_rule(
        {f"{one}, {other}" for one, other in SAME.items() if SYMBOLS[one].symbol != SYMBOLS[other].symbol},
        "The matrices that SAME joins have one symbol.",
        "give both the same symbol in SYMBOLS, or take them out of SAME.",
    )


def test_no_letter_is_a_matrix_or_its_row():
    letters = [letter for letter, _ in LETTERS.values()]
    assert len({*letters}) == len(letters)
    check_rule({*letters} & {*KNOWN}, "No letter is a matrix.", "choose another symbol in SYMBOLS or in LETTERS.")
    rows = {symbol.lower() for symbol in KNOWN if len(symbol) == 1}
    check_rule(
        # these letters may be used, because no single row of the context, the entropies or the Jacobian has a name
        {*letters} & rows - {"c", "h", "j"},
        "No letter of LETTERS is also a row of a matrix, which is written as the small letter of its symbol.",
        "choose another symbol for the matrix in SYMBOLS of notation/records.py.",
    )


def test_each_has_its_meaning_and_its_shape():
    assert all(entry.symbol and entry.words and entry.means for entry in SYMBOLS.values())
    assert all(re.fullmatch(r"[\w ]+ × [\w ]+", entry.shape) for entry in SYMBOLS.values())
    sides = {part for entry in SYMBOLS.values() for part in entry.shape.replace(" × ", " ").split()}
    check_rule(
        sides - {*LETTERS, "pairs", "layers", "times", "ways", "1", "2", "4"},
        "The shape of a matrix is written in letters of the table.",
        "use a letter of LETTERS in notation/symbols.py, or add one.",
    )


# --- boards ---


def test_a_board_calls_each_matrix_as_the_table_does(each_page):
    for matrix in matrices_on(each_page):
        name = name_of(matrix)
        assert name, f"the matrix {matrix.id} has no entry in SYMBOLS of notation/records.py: add one"
        own = table_symbol(name)
        as_row = matrix.only_row is not None and bare_symbol(matrix.symbol) == own.lower()
        assert bare_symbol(matrix.symbol) == own or as_row, (
            f"the matrix {matrix.id} is written {matrix.symbol} on the board, but {own} in SYMBOLS: take that symbol"
        )


def test_on_a_page_a_symbol_has_one_meaning_and_a_matrix_one_symbol(each_page):
    names = {}
    for matrix in matrices_on(each_page):
        names.setdefault(bare_symbol(matrix.symbol), set()).add(name_in_table(name_of(matrix)))
    check_rule(
        {symbol: each for symbol, each in names.items() if len(each) > 1},
        f"On the page {each_page}, each symbol has one meaning.",
        "write one of the matrices with another symbol.",
    )


def test_what_stands_between_matrices_is_in_the_table_as_well(each_page):
    items = {item for shown in boards(each_page).values() for line in shown.lines for item in line.items}
    written = {item for item in items if isinstance(item, str)}
    check_rule(
        {bare_symbol(text) for text in written if re.match(r"[A-Z]", text)} - KNOWN,
        "What stands between matrices has only symbols of the table.",
        "write it in symbols of SYMBOLS in notation/records.py, or add an entry there.",
    )


# --- worked arithmetic ---


def left_side(name, index):
    """Return the LaTeX of a cell, as it stands on the left side of an equation."""
    place = "_{" + ",".join(str(i + 1) for i in index[-2:]) + "}"
    words = symbol_of(name).split(" ")
    return f"({' '.join(f'{word}_{index[0] + 1}' for word in words)}){place}" if len(index) > 2 else words[0] + place


def test_worked_arithmetic_computes_with_what_the_board_names(each_page):
    for matrix in {(m.id, m.symbol, m.read_ids, m.only_row): m for m in matrices_on(each_page)}.values():
        cell = matrix.cell(matrix.only_row or 0, 0)
        if cell is None or cell.name == "":
            continue
        name, left = name_of(matrix), derivation(cell)[0]
        assert left == left_side(name, cell.index), matrix.id
        if not matrix.read_ids or matrix.id.partition(".")[0].endswith(BESIDE) or name in WHOLE_LAYERS:
            continue
        lit = {name_in_table(symbol_of_id(id)) for id in (*matrix.read_ids, *formulas_of([matrix]))}
        # the output of all heads has the same id as the output of one head
        lit |= {"mixed"} if "output" in lit else set()
        worked = {name_in_table(name) for name, _ in operands(cell.term) if name in SYMBOLS}
        assert worked <= lit | {name_in_table(name)}, matrix.id


# --- the dialog ---


def text_of_dialog(app):
    (button,) = [button for button in app.button if button.label == "Symbols"]
    return "\n".join(text.value for text in button.click().run().markdown)


@PAGE
def test_every_page_shows_the_table_when_asked(page):
    app = open_page(page)
    before = "\n".join(text.value for text in app.markdown)
    said = text_of_dialog(app)
    assert "Letters and signs" in said
    assert "Letters and signs" not in before
    assert all(
        f"| ${symbol_of(name)}$ | **{entry.words}**: " in said for name, entry in SYMBOLS.items() if name not in SAME
    )


@PAGE
def test_every_row_of_the_dialog_has_complete_formulas(page):
    """Check the tables in the dialog of symbols: every formula is complete, and no symbol is outside of a formula."""
    app = open_page(page)
    of_the_page = {line for text in app.markdown for line in text.value.splitlines()}
    rows = [line for line in text_of_dialog(app).splitlines() if line.startswith("| ") and line not in of_the_page]
    assert len(rows) > len(SYMBOLS)
    width = 0
    for row in rows:
        cells = row.removeprefix("| ").removesuffix(" |").split(" | ")
        width = len(cells) if cells[0] in ("Symbol", "Word") else width
        assert (len(cells), row.count("|")) == (width, width + 1), f"a bar in a formula splits a cell: {row}"
        assert all(cell.count("$") % 2 == 0 and "$$" not in cell for cell in cells), f"a formula is not closed: {row}"
        assert all(has_no_latex_outside_formulas(cell) for cell in cells), (
            f"a symbol stands outside of the formulas: {row}"
        )


def has_no_latex_outside_formulas(cell):
    """Return whether a cell of a table has LaTeX only inside its formulas."""
    return not re.search(r"[\\^_{}]", re.sub(r"\$[^$]*\$", "", cell))


def test_no_symbol_has_two_rows_in_the_dialog():
    rows = re.findall(r"^\| (\$[^$]+\$) \|", text_of_dialog(open_page("attention", step="1")), re.MULTILINE)
    twice = {symbol for symbol in rows if rows.count(symbol) > 1}
    # these letters are in the list of all letters as well
    assert twice <= {f"${letter}$" for letter, _ in LETTERS.values()}


def test_what_is_on_the_screen_comes_first_with_its_size():
    said = text_of_dialog(open_page("attention", example="story", step="10"))
    screen = said[said.index("On the screen") : said.index("**Words**")]
    assert re.findall(r"\| \$(.+?)\$ \| \*\*", screen) == [r"\text{head}", r"\text{Concat}", "W^O", "Y"]
    assert r"$\{n \times h \, d_v\} = \{5 \times 2\}$".replace(r"\{", "{").replace(r"\}", "}") in screen


def test_the_concatenation_is_as_wide_as_all_heads_together():
    assert r"${n \times 2 \, d_k} = {3 \times 4}$" in text_of_dialog(open_page("attention", example="hand", step="9"))


def test_with_tokens_as_columns_shapes_are_turned():
    said = text_of_dialog(open_page("attention", example="story", step="1", layout="columns"))
    assert (
        r"**input**: one column for each token, one row for each feature | ${d_{\text{model}} \times n} = {6 \times 5}$"
        in said
    )
