"""Test that the worked arithmetic of a cell gives the number in that cell.

Every cell of every trace is tested. Of a very wide matrix, many cells are tested.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import contributions, self_attention, sinusoidal, softmax_steps
from attention_core.arithmetic import (
    Number,
    Operation,
    evaluate,
    explain,
    explain_all,
    explain_sinusoidal,
    shape_of,
)
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
    for column, value in enumerate(right):
        cell = explain_sinusoidal(position, column, 2 * pairs, base)
        assert evaluate(cell.term) == cell.value == pytest.approx(value, abs=1e-12)


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
