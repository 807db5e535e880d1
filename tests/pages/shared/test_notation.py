"""Test the notation: the LaTeX of one cell of each kind against a text that is written by hand.

Also how numbers are written, and the difference of two matrices.
"""

import ast
import math
from pathlib import Path

import numpy as np
import pytest

import pages.shared
from attention_core import causal_mask, self_attention, softmax_steps
from attention_core.arithmetic import Cell, Number, Operation, evaluate, explain
from attention_core.arithmetic.position_rules import encoding_rules
from attention_core.examples import MATRICES, example
from attention_core.mistakes import naive_softmax_steps
from house_rules import check_rule
from pages.shared.equation.matrices import head_matrices
from pages.shared.notation.latex import derivation, latex
from pages.shared.notation.numbers import by_how_much, number, significant
from pages.shared.notation.prose import literal, typeset
from pages.shared.notation.symbols import SYMBOLS

HAND = example("hand")
ONE, CAUSAL, HEADS = HAND.attention(), HAND.attention(mask=causal_mask(3)), HAND.multi_head()
IN_BASE_2 = softmax_steps([[3, 1, 0]], base=2)
ADDITIVE = self_attention(*[np.eye(2)] * 4, mask=np.array([[0.0, -2.0], [0.0, 0.0]]))


def lines_of(*steps):
    """Return the symbol and the lines of a derivation. The first of `steps` has the symbol before its "&"."""
    symbol, _, first = steps[0].partition(" &")
    written = [first, *(step.replace("&", "").strip() for step in steps[1:])]
    return [symbol, *(line.replace(r"\cdot ", r"\cdot\nobreak ") for line in written)]


BY_HAND = {
    "given": (ONE, "x", (0, 3), [r"X_{1,4} &= 2"]),
    "projection": (ONE, "q", (1, 0), [
        r"Q_{2,1} &= X_{2,1} \, W^Q_{1,1} + X_{2,2} \, W^Q_{2,1} + X_{2,3} \, W^Q_{3,1} + X_{2,4} \, W^Q_{4,1}"
        r" + X_{2,5} \, W^Q_{5,1}",
        r" &= 1 \cdot 0 + 0 \cdot 0 + 1 \cdot 0 + 0 \cdot 0 + 0 \cdot 1", " &= 0 + 0 + 0 + 0 + 0", " &= 0",
    ]),
    "bias": (example("columns").attention(), "k", (0, 3), [
        r"K_{1,4} &= X_{1,1} \, W^K_{1,4} + X_{1,2} \, W^K_{2,4} + X_{1,3} \, W^K_{3,4} + X_{1,4} \, W^K_{4,4}"
        r" + b^K_{4}",
        r" &= 1.789 \cdot 1.533 + 0.4365 \cdot 1.469 + 0.0965 \cdot 0.1549 + (-1.863) \cdot 0.3782 + 0.4283",
        r" &\approx 2.742 + 0.6414 + 0.01495 + (-0.7047) + 0.4283", " &= 3.122",
    ]),
    "score": (ONE, "scores", (1, 0), [
        r"S_{2,1} &= Q_{2,1} \, K_{1,1} + Q_{2,2} \, K_{1,2} + Q_{2,3} \, K_{1,3} + Q_{2,4} \, K_{1,4}",
        r" &= 0 \cdot 0 + 1 \cdot 4 + 2 \cdot 2 + 0 \cdot 4", " &= 0 + 4 + 4 + 0", " &= 8",
    ]),
    "scaled": (ONE, "scaled", (1, 0), [
        r"S'_{2,1} &= \frac{S_{2,1}}{\sqrt{d_k}}", r" &= \frac{8}{\sqrt{4}}", r" &= \frac{8}{2}", " &= 4",
    ]),
    "a scale of its own": (example("book").attention(scale=1.0), "scaled", (0, 0), [
        r"S'_{1,1} &= S_{1,1} \, \text{scale}", r" &= 2 \cdot 1", " &= 2",
    ]),
    "masked": (CAUSAL, "masked", (0, 1), [r"M_{1,2} &= -\infty"]),
    "not masked": (CAUSAL, "masked", (1, 0), [r"M_{2,1} &= S'_{2,1}", " &= 4"]),
    "additive mask": (ADDITIVE, "masked", (0, 1), [r"M_{1,2} &= S'_{1,2} + B_{1,2}", " &= 0 + (-2)", " &= -2"]),
    "weight": (ONE, "weights", (1, 0), [
        r"A_{2,1} &= \frac{e^{S'_{2,1} - \max}}{e^{S'_{2,1} - \max} + e^{S'_{2,2} - \max} + e^{S'_{2,3} - \max}}",
        r" &= \frac{e^{4 - 4}}{e^{4 - 4} + e^{1 - 4} + e^{3 - 4}}", r" &= \frac{1}{1 + 0.04979 + 0.3679}", " &= 0.7054",
        r"\text{where } \max &= \max(4, 1, 3) = 4",
    ]),
    "weight of a masked token": (CAUSAL, "weights", (1, 2), [
        r"A_{2,3} &= \frac{e^{M_{2,3} - \max}}{e^{M_{2,1} - \max} + e^{M_{2,2} - \max} + e^{M_{2,3} - \max}}",
        r" &= \frac{e^{(-\infty) - 4}}{e^{4 - 4} + e^{1 - 4} + e^{(-\infty) - 4}}", r" &= \frac{0}{1 + 0.04979 + 0}",
        " &= 0", r"\text{where } \max &= \max(4, 1, -\infty) = 4",
    ]),
    "term": (ONE, "terms", (1, 0, 1), [
        r"(\text{Terms}_2)_{1,2} &= A_{2,1} \, V_{1,2}", r" &= 0.7054 \cdot 5", " &= 3.527",
    ]),
    "output": (ONE, "output", (1, 0), [
        r"Z_{2,1} &= A_{2,1} \, V_{1,1} + A_{2,2} \, V_{2,1} + A_{2,3} \, V_{3,1}",
        r" &= 0.7054 \cdot 4 + 0.03512 \cdot 0 + 0.2595 \cdot 6", " &= 2.822 + 0 + 1.557", " &= 4.379",
    ]),
    "score of a head": (HEADS, "scores", (1, 0, 2), [
        r"(S_2)_{1,3} &= Q_{1,3} \, K_{3,3} + Q_{1,4} \, K_{3,4}", r" &= 1 \cdot 2 + 0 \cdot 3", " &= 2 + 0",
        " &= 2",
    ]),
    "head": (HEADS, "heads", (1, 0, 0), [
        r"(\text{head}_2)_{1,1} &= (A_2)_{1,1} \, V_{1,2} + (A_2)_{1,2} \, V_{2,2} + (A_2)_{1,3} \, V_{3,2}",
        r" &= 0.4458 \cdot 5 + 0.1084 \cdot 5 + 0.4458 \cdot 3", r" &\approx 2.229 + 0.5419 + 1.337", " &= 4.108",
    ]),
    "concatenation": (HEADS, "concat", (2, 1), [r"\text{Concat}_{3,2} &= (\text{head}_2)_{3,1}", " &= 4.432"]),
    "share": (HEADS, "shares", (1, 2, 1), [
        r"(\text{head}_2 W^O_2)_{3,2} &= (\text{head}_2)_{3,1} \, W^O_{2,2}", r" &= 4.432 \cdot 1", " &= 4.432",
    ]),
    "output of heads": (HEADS, "output", (2, 2), [
        r"Y_{3,3} &= \text{Concat}_{3,1} \, W^O_{1,3} + \text{Concat}_{3,2} \, W^O_{2,3}",
        r" &= 4.824 \cdot 2 + 4.432 \cdot (-1)",
        r" &\approx 9.649 + (-4.432)", " &= 5.217",
    ]),
    "power of two": (IN_BASE_2, "powers", (0, 1), [
        r"P_{1,2} &= \text{base}^{S_{1,2} - \max}", " &= 2^{1 - 3}", " &= 0.25",
        r"\text{where } \max &= \max(3, 1, 0) = 3",
    ]),
    "share of powers": (IN_BASE_2, "weights", (0, 1), [
        r"A_{1,2} &= \frac{P_{1,2}}{P_{1,1} + P_{1,2} + P_{1,3}}", r" &= \frac{0.25}{1 + 0.25 + 0.125}", " &= 0.1818",
    ]),
    "temperature": (softmax_steps([[3, -1]], temperature=2), "powers", (0, 1), [
        r"P_{1,2} &= e^{\frac{S_{1,2} - \max}{T}}", r" &= e^{\frac{(-1) - 3}{2}}", " &= 0.1353",
        r"\text{where } \max &= \max(3, -1) = 3",
    ]),
    "overflow": (naive_softmax_steps([[800, 1]]), "powers", (0, 0), [
        "P_{1,1} &= e^{S_{1,1}}", " &= e^{800}", r" &= \infty",
    ]),
    "no number": (naive_softmax_steps([[800, 1]]), "weights", (0, 0), [
        r"A_{1,1} &= \frac{P_{1,1}}{P_{1,1} + P_{1,2}}", r" &= \frac{\infty}{\infty + 2.718}", r" &= \text{NaN}",
    ]),
    "entropy": (softmax_steps([[0, 0, -math.inf]]), "entropies", (0, 0), [
        r"H_{1,1} &= A_{1,1} \, \ln \frac{1}{A_{1,1}} + A_{1,2} \, \ln \frac{1}{A_{1,2}}",
        r" &= 0.5 \cdot \ln \frac{1}{0.5} + 0.5 \cdot \ln \frac{1}{0.5}", " &= 0.3466 + 0.3466", r" &\approx 0.6931",
    ]),
}  # fmt: skip


@pytest.mark.parametrize("kind", BY_HAND)
def test_by_hand(kind):
    trace, name, index, steps = BY_HAND[kind]
    assert derivation(explain(trace, name, index)) == lines_of(*steps)


def test_long_sums_are_shortened():
    written = " ".join(derivation(explain(example("wide").attention(), "q", (0, 0))))
    assert r"X_{1,3} \, W^Q_{3,1} + \cdots + X_{1,64} \, W^Q_{64,1}" in written
    assert written.count(r"\cdots") == 3


def test_more_digits_on_request():
    cell = explain(ONE, "weights", (1, 0))
    assert derivation(cell, 8)[-1].endswith(" = 4")
    assert derivation(cell, 8)[-2] == "= 0.70538451"


def test_the_base_of_a_power_stands_in_brackets_where_it_is_a_product():
    written = " ".join(derivation(explain(encoding_rules(4, 8), "sinusoidal", (3, 4))))
    assert r"\left(\frac{3}{(1 \cdot\nobreak 10^{4})^{\frac{4}{8}}}\right)" in written
    assert "}^{" not in written.replace(")^{", "").replace(r"\text{base}^{", "")


def test_brackets_keep_the_order_of_the_calculation():
    a, b, c = (Number(float(n), name) for n, name in ((1, "a"), (-2, "b"), (3, "c")))
    apart = Operation("product", (Operation("sum", (a, b)), Operation("difference", (a, Operation("sum", (b, c))))))
    assert latex(apart, "names") == r"\left(a + b\right) \, \left(a - \left(b + c\right)\right)"
    assert latex(apart, "values") == r"\left(1 + (-2)\right) \cdot \left(1 - \left((-2) + 3\right)\right)"
    assert derivation(Cell("q", (0, 0), 1.0, Number(1.0))) == lines_of("Q_{1,1} &= 1")


@pytest.mark.parametrize(
    ("value", "four", "eight"),
    [
        (0.0, "0", "0"), (-0.0, "0", "0"), (-2.5, "-2.5", "-2.5"), (1 / 3, "0.3333", "0.33333333"),
        (123456.789, r"1.235 \cdot 10^{5}", "123456.79"), (1e-7, r"1 \cdot 10^{-7}", r"1 \cdot 10^{-7}"),
        (math.inf, r"\infty", r"\infty"), (-math.inf, r"-\infty", r"-\infty"), (math.nan, r"\text{NaN}", r"\text{NaN}"),
    ],
)  # fmt: skip
def test_numbers(value, four, eight):
    assert (number(value), number(value, 8)) == (four, eight)
    assert number(value, 2) == four  # fewer digits would not be enough to follow a calculation


@pytest.mark.parametrize(
    ("value", "three", "five"),
    [
        (-0.0, "0", "0"), (-2.5, "−2.5", "−2.5"), (0.9999, "1", "0.9999"), (1234.0, "1230", "1234"),
        (123456.7, "1.23·10⁵", "1.2346·10⁵"), (-3.21e-15, "−3.21·10⁻¹⁵", "−3.21·10⁻¹⁵"),
        (-math.inf, "−∞", "−∞"), (math.nan, "NaN", "NaN"),
    ],
)  # fmt: skip
def test_numbers_in_prose(value, three, five):
    assert (significant(value), significant(value, 5)) == (three, five)


@pytest.mark.parametrize(
    ("prose", "typed"),
    [
        ("÷√d_k, and W^O", r"÷$\sqrt{d_k}$, and $W^O$"),
        ("√d_model for d_model", r"$\sqrt{d_{\text{model}}}$ for $d_{\text{model}}$"),
        ("√3 and k_d = 1", r"$\sqrt{3}$ and k_d = 1"),
        (r"$d_k$ and \sqrt{d_k} stay", r"$d_k$ and \sqrt{d_k} stay"),
        ("n, d_k.", "n, $d_k$."),
    ],
)
def test_prose_is_typeset(prose, typed):
    assert typeset(prose) == typed


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("**a**", "`**a**`"),
        ("$x$", "`$x$`"),
        ("a`b", "``a`b``"),
        ("``", "``` `` ```"),
        ("<b>", "`<b>`"),
        (" a ", "`  a  `"),
    ],
)
def test_a_visitors_text_is_never_markup(text, markdown):
    assert literal(text) == markdown


def test_every_matrix_has_its_symbol_and_its_words():
    assert SYMBOLS.keys() >= {*MATRICES, "q", "k", "v", "scores", "scaled", "masked", "weights", "output", "terms"}
    assert all(symbol and words for symbol, words, *_ in SYMBOLS.values())


def test_one_symbol_means_one_matrix_of_several_heads():
    shown = head_matrices(example("story"), example("story").multi_head())
    assert shown["output"].symbol == "Y"  # Y is the output of all heads, because Z is the output of one head
    symbols = [matrix.symbol for matrix in shown.values()]
    assert len({*symbols}) == len(symbols)


def test_a_result_that_its_rounded_summands_do_not_add_up_to_is_called_near():
    for a, b, signs in ((3.10841, -4.10841, ["=", "=", r"\approx", r"\approx"]), (3.25, -4.5, ["=", "=", "=", "="])):
        products = (
            Operation("product", (Number(a, "a"), Number(2.0))),
            Operation("product", (Number(b, "b"), Number(1))),
        )
        term = Operation("sum", products)
        written = derivation(Cell("output", (0, 0), evaluate(term), term))
        assert [line.split(" ")[0] for line in written[1:]] == signs


SHARED = Path(pages.shared.__file__).parent
SPELLED = ("−∞", r"-\infty", "np.inf")  # a module that contains one of these texts writes numbers as text itself


def texts_for_infinity(path):
    """Return the strings in a Python file that are a text for infinity."""
    constants = (node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant))
    return {value for value in constants if value in SPELLED}


def test_only_one_module_spells_numbers():
    spellers = {str(path.relative_to(SHARED)) for path in SHARED.rglob("*.py") if texts_for_infinity(path)}
    assert "notation/numbers.py" in spellers, "the rule finds nothing any more: look for what numbers.py writes now"
    check_rule(
        spellers - {"notation/numbers.py"},
        "Only notation/numbers.py spells numbers.",
        "call one of its functions, or add one there.",
    )


@pytest.mark.parametrize(
    ("difference", "size", "said"),
    [
        (0.0, 1, "nothing"),
        (3.553e-15, 1, "nothing but rounding"),
        (1e-8, 1, "up to 1·10⁻⁸"),
        (1e-8, 1e4, "nothing but rounding"),  # the compared numbers are in the thousands
        (1e-15, 0, "nothing but rounding"),
        (0.25, 1e4, "up to 0.25"),
    ],
)
def test_a_difference_in_words(difference, size, said):
    assert by_how_much(difference, size) == said
