"""Test that the worked arithmetic of a cell gives the number in that cell.

Every cell of every trace is tested. Of a very wide matrix, many cells are tested.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import contributions, sample, self_attention, sinusoidal, softmax_steps
from attention_core.arithmetic import (
    CellCalculations,
    Number,
    Operation,
    Term,
    evaluate,
    explain,
    explain_all,
    operands,
    shape_of,
)
from attention_core.arithmetic.attention_rules import softmax_rules
from attention_core.arithmetic.formula_data import as_data
from attention_core.arithmetic.formulas import Formula
from attention_core.arithmetic.position_rules import average_rules, averages_of, counts_of, encoding_rules
from attention_core.arithmetic.training_rules import kept_rules, loss_rules
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import naive_softmax_steps
from strategies import law, random_numbers

OF_EACH_HEAD = ("scores", "scaled", "masked", "weights")
SMALL = [name for name in EXAMPLES if example(name).x.size <= 64]
MOST_CHECKED = 100
NOTEBOOK_ARRAY = [[1, 0.5, 0.2, 3], [1, -1, 7, 3], [2, 12, 13, 3]]


def check_matrix(trace, name, matrix):
    """Check that the calculation shown for each cell of `matrix` gives the number in that cell."""
    found = [(cell.index, cell.value, evaluate(cell.term)) for cell in cells_of(trace, name, matrix)]
    indices, values, evaluated = zip(*found, strict=True)
    expected = [matrix[index] for index in indices]
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_allclose(evaluated, expected, rtol=1e-12, atol=1e-12)


def cells_of(trace, name, matrix):
    """Return cells of `matrix` with their calculations, in row order. `matrix` is the matrix `name` of `trace`.

    If the matrix has more than MOST_CHECKED cells, return only that many, evenly spread from the first cell to the
    last.
    """
    if matrix.size > MOST_CHECKED:
        places = np.linspace(0, matrix.size - 1, MOST_CHECKED).astype(int)
        return [explain(trace, name, index) for index in zip(*np.unravel_index(places, matrix.shape), strict=True)]
    cells = list(explain_all(trace, name))
    assert [cell.index for cell in cells] == list(np.ndindex(matrix.shape))
    return cells


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_cell_of_one_head(name):
    trace = example(name).attention()
    for matrix in ("q", "k", "v", *OF_EACH_HEAD, "output"):
        check_matrix(trace, matrix, getattr(trace, matrix))
    check_matrix(trace, "terms", contributions(trace))


@pytest.mark.parametrize("kind", ["causal", "padding"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_cell_that_a_mask_touches(name, kind):
    trace = example(name).attention(mask=example(name).mask(kind))
    for matrix in ("masked", "weights", "output"):
        check_matrix(trace, matrix, getattr(trace, matrix))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_cell_of_several_heads(name):
    trace = example(name).multi_head()
    for matrix in OF_EACH_HEAD:
        check_matrix(trace, matrix, getattr(trace.heads, matrix))
    for matrix in ("concat", "shares", "output"):
        check_matrix(trace, matrix, getattr(trace, matrix))
    check_matrix(trace, "heads", trace.heads.output)


@pytest.mark.parametrize("name", SMALL)
def test_several_heads_project_as_one_does(name):
    one, several = example(name).attention(), example(name).multi_head()
    for matrix in ("q", "k", "v"):
        assert list(explain_all(several, matrix)) == list(explain_all(one, matrix))


@pytest.mark.parametrize("name", SMALL)
def test_a_given_number_is_its_own_calculation(name):
    this = example(name)
    for trace, without in ((this.attention(), {"w_o"}), (this.multi_head(), set())):
        for matrix, values in this.matrices().items():
            if matrix in without:
                assert shape_of(trace, matrix) == ()
                continue
            assert shape_of(trace, matrix) == values.shape
            for index in np.ndindex(values.shape):
                cell = explain(trace, matrix, index)
                assert cell.term == Number(float(values[index]), matrix, index)


@pytest.mark.parametrize("steps", [softmax_steps, naive_softmax_steps])
@pytest.mark.parametrize("axis", [-1, 0, 1, -2, None])
@pytest.mark.parametrize(("temperature", "base"), [(1.0, math.e), (1.5, math.e), (1.0, 2.0), (0.3, 3.0)])
def test_every_cell_of_a_softmax(steps, axis, temperature, base):
    trace = steps(NOTEBOOK_ARRAY, axis, temperature, base)
    for matrix in ("scores", "powers", "weights", "entropies"):
        check_matrix(trace, matrix, getattr(trace, matrix))


@pytest.mark.parametrize("steps", [softmax_steps, naive_softmax_steps])
@pytest.mark.parametrize("axis", [-1, 0, None])
@pytest.mark.parametrize("constant", [0, 10, -5])
def test_a_constant_that_is_added_to_every_score_is_a_term(steps, axis, constant):
    given = np.array([*NOTEBOOK_ARRAY, [0.0, -1, -2, -3]])
    trace = steps(given + constant, axis)
    rules = softmax_rules(trace, given=given, constant=constant, subtracts=steps is softmax_steps)
    for matrix in ("powers", "weights", "entropies"):
        check_matrix(CellCalculations(rules), matrix, getattr(trace, matrix))
    term = explain(CellCalculations(rules), "powers", (3, 1)).term
    terms = [("scores", (i, j)) for i, j in np.ndindex(4, 4) if axis is None or (i, j)[1 + axis] == (3, 1)[1 + axis]]
    assert operands(term) == ({*terms} if steps is softmax_steps else {("scores", (3, 1))})
    assert ("constant" in repr(term)) == (constant != 0)


@pytest.mark.parametrize(
    ("settings", "is_known"),
    [({}, True), ({"top_p": 1.0}, True), ({"top_k": 3}, True), ({"top_k": 2}, False), ({"top_p": 0.9}, False)],
)
def test_which_words_are_kept_is_known_only_if_no_word_can_be_left_out(settings, is_known):
    logits = np.array([[0.0, 0.0, 0.0], [2.0, 1.0, -1.0]])
    trace = sample(logits[-1], temperature=1.5, **settings)
    rules = kept_rules(trace, logits)
    check_matrix(CellCalculations(rules), "kept", trace.probabilities[None])
    formula = rules["kept"][1]
    assert isinstance(formula, Formula)
    kind, known, *_ = as_data(formula.pattern, {}, lambda name, part: name)
    assert (kind, known) == ("?", [1, 1, 1] if is_known else None)


def test_what_overflows_is_explained_all_the_same():
    trace = naive_softmax_steps([[800.0, 0.0]])
    power = explain(trace, "powers", (0, 0))
    assert power.value == evaluate(power.term) == math.inf
    for name in ("weights", "entropies"):
        cell = explain(trace, name, (0, 0))
        assert math.isnan(cell.value)
        assert math.isnan(evaluate(cell.term))


@law
@given(st.integers(0, 40), st.integers(1, 8), st.sampled_from([100.0, 10000.0]))
def test_every_cell_of_the_sinusoidal_encoding(position, pairs, base):
    right = sinusoidal(position + 1, 2 * pairs, base)[position]
    worked = encoding_rules(position + 1, 2 * pairs, base)
    for column, value in enumerate(right):
        cell = explain(worked, "sinusoidal", (position, column))
        assert cell.value == value
        assert evaluate(cell.term) == pytest.approx(value, abs=1e-12)


def test_an_additive_mask_is_added():
    trace = self_attention(np.eye(2), np.eye(2), np.eye(2), np.eye(2), mask=np.array([[0.0, -2.0], [-np.inf, 0.0]]))
    for matrix in ("masked", "weights", "output"):
        check_matrix(trace, matrix, getattr(trace, matrix))
    assert explain(trace, "masked", (0, 1)).term == Operation(
        "sum", (Number(0.0, "scaled", (0, 1)), Number(-2.0, "mask", (0, 1)))
    )


def test_a_scale_of_ones_own_is_a_factor():
    trace = self_attention(random_numbers(2, 3), *(random_numbers(3, 3, seed=s) for s in range(3)), scale=0.3)
    assert explain(trace, "scaled", (0, 1)).term == Operation(
        "product", (Number(trace.scores[0, 1], "scores", (0, 1)), Number(0.3, "scale"))
    )
    check_matrix(trace, "scaled", trace.scaled)


def test_a_row_with_every_key_masked_has_weights_of_0():
    trace = self_attention(np.eye(2), np.eye(2), np.eye(2), np.eye(2), mask=np.zeros((2, 2), dtype=bool))
    assert explain(trace, "weights", (0, 1)).term == Number(0.0)
    check_matrix(trace, "weights", trace.weights)


@pytest.mark.parametrize(
    ("name", "index", "message"),
    [
        ("z", (0, 0), r"matrix must be one of x, context, .*; got z: choose"),
        ("q", (0, 9), r"cell of q must lie within \(3, 4\); got \(0, 9\): count from 0"),
        ("q", (-1, 0), r"cell of q must lie within \(3, 4\); got \(-1, 0\)"),
        ("q", (0,), r"cell of q must lie within \(3, 4\); got \(0,\)"),
    ],
)
def test_a_cell_that_is_not_there(name, index, message):
    trace = example("hand").attention()
    with pytest.raises(ValueError, match=message):
        explain(trace, name, index)


def test_every_cell_of_a_matrix_that_is_not_there():
    with pytest.raises(ValueError, match="matrix must be one of"):
        explain_all(example("hand").attention(), "z")


def parts(term: Term) -> tuple[Term, ...]:
    """Return the terms that the operation `term` combines. `term` must be an operation."""
    assert isinstance(term, Operation)
    return term.terms


def test_a_score_by_hand():
    cell = explain(example("hand").attention(), "scores", (1, 0))
    factors = [[evaluate(factor) for factor in parts(product)] for product in parts(cell.term)]
    assert factors == [[0, 0], [1, 4], [2, 2], [0, 4]]
    assert cell.value == 8
    assert parts(cell.term)[1] == Operation("product", (Number(1.0, "q", (1, 1)), Number(4.0, "k", (0, 1))))


def test_a_term_by_hand():
    trace = example("hand").attention()
    cell = explain(trace, "terms", (1, 2, 0))
    assert cell.term == Operation("product", (Number(trace.weights[1, 2], "weights", (1, 2)), Number(6.0, "v", (2, 0))))


def test_an_entropy_by_hand():
    cell = explain(softmax_steps([[0.0, 0.0, -math.inf]]), "entropies", (0, 0))
    halves = [Number(0.5, "weights", (0, j)) for j in range(2)]  # a weight of 0 adds nothing to the entropy
    surprises = [Operation("log", (Operation("quotient", (Number(1.0), half)),)) for half in halves]
    assert parts(cell.term) == tuple(Operation("product", pair) for pair in zip(halves, surprises, strict=True))
    assert cell.value == pytest.approx(math.log(2))


def test_operands_name_what_a_cell_reads():
    cell = explain(example("hand").attention(), "q", (2, 1))
    assert operands(cell.term) == {("x", (2, f)) for f in range(5)} | {("w_q", (f, 1)) for f in range(5)}


def test_a_bias_is_the_last_summand():
    this = example("columns")
    assert this.b_k is not None
    cell = explain(this.attention(), "k", (0, 3))
    assert parts(cell.term)[-1] == Number(this.b_k[3], "b_k", (3,))


def test_keys_are_read_from_the_context():
    this = example("context")
    assert operands(explain(this.attention(), "k", (3, 1)).term) >= {("context", (3, f)) for f in range(4)}
    assert operands(explain(this.multi_head(), "v", (3, 1)).term) >= {("context", (3, f)) for f in range(4)}


def test_integer_and_single_precision_matrices_are_explained_as_they_are():
    for dtype in (np.int64, np.float32):
        x, w = np.array([[1, 2], [3, 4]], dtype), np.array([[1, 1], [2, 0]], dtype)
        cell = explain(self_attention(x, w, w, w), "q", (1, 0))
        assert evaluate(cell.term) == cell.value == 11
        assert all(isinstance(evaluate(factor), float) for product in parts(cell.term) for factor in parts(product))


# The first column has the mean 2 and the distances −3, −1, 1, 3 from it. The sum of their squares is 20, which is
# divided by 3, and the root is divided by 2 (the root of 4). The second column never changes.
VALUES = np.array([[-1.0, 5], [1, 5], [3, 5], [5, 5]])
ERROR = (20 / 3) ** 0.5 / 2


def test_means_errors_and_counts_by_hand():
    np.testing.assert_allclose(averages_of(VALUES), [[2, ERROR], [5, 0]])
    assert counts_of(VALUES).tolist() == [[1], [0]]


@pytest.mark.parametrize("name", ["averages", "counts"])
def test_each_cell_is_what_its_arithmetic_gives(name):
    worked = average_rules("losses", VALUES)
    matrix, _ = worked.rules[name]
    for place in np.ndindex(matrix.shape):
        cell = explain(worked, name, place)
        assert cell is not None
        assert evaluate(cell.term) == pytest.approx(matrix[place])


@pytest.mark.parametrize(
    ("symbol", "terms", "value"),
    [
        ("sum", (1e308, 1e308, -1e308), np.inf),
        ("sum", (np.inf, 1.0, -np.inf), np.nan),
        ("sum", (1e16, 1.0, -1e16), 1.0),
        ("quotient", (1.0, 0.0), np.inf),
        ("log", (np.inf,), np.inf),
        ("log", (0.0,), -np.inf),
    ],
)
def test_numbers_beyond_the_greatest_are_infinite_and_no_error(symbol, terms, value):
    np.testing.assert_equal(evaluate(Operation(symbol, tuple(map(Number, terms)))), value)


def test_the_loss_of_a_word_without_any_probability_is_infinite():
    values, term = loss_rules(np.array([[1.0, 0.0]]), 1)["word_loss"]
    assert values.tolist() == [[np.inf]]
    assert evaluate(term(0, 0)) == np.inf
