"""Test the worked arithmetic of single cells against terms that are written by hand."""

import math

import numpy as np
import pytest

from attention_core import self_attention, softmax_steps
from attention_core.arithmetic import Number, Operation, Term, evaluate, explain, operands
from attention_core.examples import example


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
