"""Test the formulas: they use only the symbols of the table, and agree with the matrices and the code of their step."""

import re

import pytest

from attention_core.mistakes import WITH_SWITCH
from boards import KNOWN, bare_symbol, boards, shown_by, table_symbol
from house_rules import check_rule
from pages.shared.equation.model import matrices_of
from pages.shared.frame.dialogs import name_of
from pages.shared.notation.symbols import LETTERS
from simulating import drawn_equations, lines_of_code, open_page

MASKS = ("none", "causal", "padding")
WORDS = re.compile(r"\\(?:text|texttt|operatorname|mathbb|begin|end)\{[^{}]*\}|\\[A-Za-z]+")
MATRIX = re.compile(r"([A-Z]+)(?:(')|\^\{?([QKVOR])(?![A-Za-z])\}?)?|b\^([QKVO])")
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<!\\)\$([^$]+?)\$", re.DOTALL)
ROWS = {symbol.lower() for symbol in KNOWN if re.fullmatch("[A-Z]", symbol)} - {"c", "h"}
ONLY_KNOWN = "A formula has only symbols of the table in notation/symbols.py. These are not in it:"
ADD_IT = "write the formula in symbols of the table, or add an entry to SYMBOLS (a matrix) or to LETTERS."
SINGLE = {"e", *ROWS, *(letter for letter, _ in LETTERS.values() if len(letter) == 1)}


def matrices_in(latex):
    """Return the names of the matrices in a formula, without the numbers of heads and positions."""
    plain = re.sub(r"d_\{\\text\{model\}\}|d_[kv]|n_k|PE\(\d+\)", " ", latex)
    words = re.findall(r"\\(?:text|operatorname)\{([A-Z]\w*|head)\}", plain)
    return {match[0].replace("{", "").replace("}", "") for match in MATRIX.finditer(WORDS.sub(" ", plain))} | {*words}


def letters_in(latex):
    """Return the lower-case letters in a formula that name vectors or indices."""
    plain = re.sub(r"d_\{\\text\{model\}\}|d_[kv]|n_k|pos\b|PE\(\d+\)", " ", latex)
    return {*re.findall("[a-z]", MATRIX.sub(" ", WORDS.sub(" ", plain)))}


@pytest.mark.many
def test_formulas_are_written_in_symbols_of_the_table(each_page):
    found = dict[str, set[str]]()
    for link, shown in boards(each_page).items():
        for match in FORMULA.finditer(shown.text):
            latex = match[1] or match[2]
            unknown = matrices_in(latex) - KNOWN - SINGLE - {"NaN"} | letters_in(latex) - SINGLE
            found[f"{dict(link)}: ${latex}$"] = unknown
    check_rule(found, ONLY_KNOWN, ADD_IT)


def test_formulas_of_mistakes_are_as_well():
    formulas = {f"{mistake.name}: ${mistake.formula}$": mistake.formula for mistake in WITH_SWITCH}
    unknown = {name: matrices_in(latex) - KNOWN | letters_in(latex) - SINGLE for name, latex in formulas.items()}
    check_rule(unknown, ONLY_KNOWN, ADD_IT)


STEPS_SHOWN = [(step, mask, name) for step in range(1, 11) for mask in MASKS for name in ("story", "columns", "french")]


@pytest.mark.parametrize(("step", "mask", "name"), STEPS_SHOWN)
def test_the_formula_of_a_step_speaks_of_what_stands_on_its_board(step, mask, name):
    shown = shown_by(open_page("attention", example=name, step=str(step), mask=mask))
    formula = next(match[1] for match in FORMULA.finditer(shown.text) if match[1])
    drawn = matrices_of(shown.lines)
    board = {bare_symbol(matrix.symbol) for matrix in drawn} | {table_symbol(name_of(matrix)) for matrix in drawn}
    defined = matrices_in("".join(re.findall(r"(\S+) =", formula)))
    assert matrices_in(formula) <= board | defined, (matrices_in(formula), board)


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("scale", ["source", "none"])
@pytest.mark.parametrize("step", [4, 5, 9])
def test_formula_board_and_code_of_a_step_mask_alike(step, scale, mask):
    app = open_page("attention", step=str(step), mask=mask, scale=scale)
    code = lines_of_code(app)
    formula = next(text.value for text in app.markdown if "$$" in text.value).split("$$")[1]
    masked = mask != "none"
    assert ("masked" in code) == ("M" in matrices_in(formula)) == masked
    if step == 5:
        board = {name_of(matrix) for matrix in matrices_of(drawn_equations(app)["step5"])}
        assert board >= {"masked" if masked else "scaled", "weights"}
        assert ("scaled" in code) == ("scaled" in board) == ("S'" in matrices_in(formula)) == (not masked)
