"""The worked arithmetic of a cell gives that cell, for every cell of every trace."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import causal_mask, self_attention, sinusoidal, softmax_steps
from attention_core.arithmetic import Number, Operation, evaluate, explain, explain_sinusoidal, operands
from attention_core.examples import EXAMPLES, example

HEAD_MATRICES = ("scores", "scaled", "masked", "weights")
SHARED = ("x", "q", "k", "v", "output")


def all_cells(matrix):
    return np.ndindex(matrix.shape)


def check_matrix(trace, name, matrix):
    for index in all_cells(matrix):
        cell = explain(trace, name, index)
        assert cell.value == matrix[index]
        if math.isinf(cell.value):
            assert evaluate(cell.term) == cell.value
        else:
            assert evaluate(cell.term) == pytest.approx(cell.value, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("masked", [False, True], ids=["unmasked", "causal"])
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_cell_of_one_head(name, masked):
    this = example(name)
    trace = this.attention(mask=causal_mask(len(this.tokens), len(this.key_tokens)) if masked else None)
    for matrix in (*SHARED, *HEAD_MATRICES, "w_q", "w_k", "w_v", "context"):
        check_matrix(trace, matrix, getattr(trace, matrix))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_cell_of_several_heads(name):
    trace = example(name).multi_head()
    for matrix in HEAD_MATRICES:
        check_matrix(trace, matrix, getattr(trace.heads, matrix))
    for matrix in (*SHARED, "concat", "shares"):
        check_matrix(trace, matrix, getattr(trace, matrix))
    check_matrix(trace, "heads", trace.heads.output)


@pytest.mark.parametrize("axis", [-1, 0, None])
@pytest.mark.parametrize("base", [2.0, math.e])
def test_every_cell_of_a_softmax(axis, base):
    trace = softmax_steps([[1, 0.5, 0.2, 3], [1, -1, 7, 3], [2, 12, 13, 3]], axis, 1.5, base)
    for matrix in ("scores", "powers", "weights"):
        check_matrix(trace, matrix, getattr(trace, matrix))


@given(st.integers(0, 40), st.integers(1, 8), st.sampled_from([100.0, 10000.0]))
@settings(deadline=None)
def test_every_cell_of_the_sinusoidal_encoding(position, pairs, base):
    right = sinusoidal(position + 1, 2 * pairs, base)[position]
    for column, value in enumerate(right):
        cell = explain_sinusoidal(position, column, 2 * pairs, base)
        assert evaluate(cell.term) == cell.value == pytest.approx(value, abs=1e-12)


def test_a_score_by_hand():
    cell = explain(example("hand").attention(), "scores", (1, 0))
    assert [(a.value, b.value) for a, b in (product.terms for product in cell.term.terms)] == [(0, 0), (1, 4), (2, 2), (0, 4)]
    assert cell.value == 8
    assert cell.term.terms[1] == Operation("product", (Number(1.0, "q", (1, 1)), Number(4.0, "k", (0, 1))))


def test_operands_name_what_a_cell_reads():
    cell = explain(example("hand").attention(), "q", (2, 1))
    assert operands(cell.term) == {("x", (2, f)) for f in range(5)} | {("w_q", (f, 1)) for f in range(5)}


def test_a_bias_is_the_last_summand():
    cell = explain(example("columns").attention(), "k", (0, 3))
    assert cell.term.terms[-1] == Number(example("columns").b_k[3], "b_k", (3,))


def test_an_additive_mask_is_added():
    trace = self_attention(np.eye(2), np.eye(2), np.eye(2), np.eye(2), mask=np.array([[0.0, -2.0], [-np.inf, 0.0]]))
    for matrix in ("masked", "weights", "output"):
        check_matrix(trace, matrix, getattr(trace, matrix))


def test_a_row_that_may_look_nowhere_gets_nothing():
    trace = self_attention(np.eye(2), np.eye(2), np.eye(2), np.eye(2), mask=np.zeros((2, 2), dtype=bool))
    assert explain(trace, "weights", (0, 1)).term == Number(0.0)
    check_matrix(trace, "weights", trace.weights)


@pytest.mark.parametrize(
    ("name", "index", "message"),
    [
        ("z", (0, 0), r"matrix must be one of x, context, .*; got z: choose"),
        ("q", (0, 9), r"cell of q must lie within \(3, 4\); got \(0, 9\): count from 0"),
        ("q", (0,), r"cell of q must lie within \(3, 4\); got \(0,\)"),
    ],
)
def test_a_cell_that_is_not_there(name, index, message):
    with pytest.raises(ValueError, match=message):
        explain(example("hand").attention(), name, index)
