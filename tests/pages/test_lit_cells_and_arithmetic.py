"""Test that the cells which the browser highlights for a cell are the cells in that cell's arithmetic."""

import math
from dataclasses import replace

import numpy as np
import pytest

from attention_core import MultiHeadProjections, multi_head_attention, softmax_steps
from attention_core.examples import example
from attention_core.mistakes import naive_softmax_steps
from lit_cells import Cell, cells_of_calculation, read_by
from pages.shared.equation.matrices import attention_matrices, head_matrices, softmax_matrices, term_matrices
from strategies import random_numbers

SMALL = ("hand", "book", "columns", "context", "translation", "cat")

of_small_examples = pytest.mark.parametrize("name", SMALL)


def lit_with(matrix, i, j, shapes):
    """Return the cells (id, row, column) that are highlighted with cell [i, j], if all matrices are shown."""
    return set[Cell]().union(*(read_by(rule, i, j, shapes) for rule in matrix.reads))


def shapes_of(matrices):
    return {matrix.id: matrix.values.shape for matrix in matrices.values()}


def cells(matrix):
    """Yield all (row, column) of a matrix."""
    return np.ndindex(matrix.values.shape)


# --- one head ---


@pytest.mark.parametrize("kind", ["none", "causal", "padding"])
@of_small_examples
def test_one_head(name, kind):
    this = example(name)
    trace = this.attention(mask=this.mask(kind))
    matrices = attention_matrices(this, trace)
    shapes = shapes_of(matrices)
    for matrix in (matrices[name] for name in ("q", "k", "v", "scores", "scaled", "masked", "weights", "output")):
        for i, j in cells(matrix):
            forbidden = matrix.id == "masked" and math.isinf(matrix.values[i, j])
            # A masked score highlights the score that it replaces, although its −∞ is not computed from that score.
            expected = {("scaled", i, j)} if forbidden else cells_of_calculation(trace, matrix.id, i, j)
            assert lit_with(matrix, i, j, shapes) == expected


@of_small_examples
def test_what_is_given_lights_up_nothing(name):
    this = example(name)
    for matrices in (attention_matrices(this, this.attention()), head_matrices(this, this.multi_head())):
        for given in this.matrices():
            assert matrices[given].reads == ()


@of_small_examples
def test_terms(name):
    this = example(name)
    trace = this.attention()
    for token, _ in enumerate(this.tokens):
        matrices = dict(attention_matrices(this, trace)) | term_matrices(this, trace, token)
        for i, j in cells(matrices["terms"]):
            assert matrices["terms"].id == f"terms.{token}"
            assert lit_with(matrices["terms"], i, j, shapes_of(matrices)) == cells_of_calculation(
                trace, "terms", token, i, j
            )


# --- several heads ---


def check_heads(trace, matrices):
    shapes = shapes_of(matrices)
    for h in range(trace.n_heads):
        for name in ("scores", "scaled", "masked", "weights", "heads", "shares"):
            for i, j in cells(matrices[f"{name}.{h}"]):
                assert lit_with(matrices[f"{name}.{h}"], i, j, shapes) == cells_of_calculation(trace, name, h, i, j)
    for name in ("concat", "output"):
        for i, j in cells(matrices[name]):
            assert lit_with(matrices[name], i, j, shapes) == cells_of_calculation(trace, name, i, j)


@of_small_examples
def test_several_heads(name):
    this = example(name)
    check_heads(this.multi_head(), head_matrices(this, this.multi_head()))


def test_heads_that_share_keys_and_values():
    this = example("translation")
    w_q, w_k, w_v, w_o = random_numbers(4, 8), random_numbers(4, 4), random_numbers(4, 6), random_numbers(12, 4)
    weights = MultiHeadProjections(w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o)
    trace = multi_head_attention(this.x, weights, 4, n_kv_heads=2)
    matrices = head_matrices(this, trace)
    check_heads(trace, matrices | {"w_o": replace(matrices["w_o"], values=w_o)})


# --- a softmax by itself ---

SCORES = [[1, 0.5, 0.2, 3], [1, -1, 7, 3], [2, 12, 13, 3]]


def softmax_view(trace):
    """Return the matrices that a page shows for a softmax, and a dictionary of shapes by id."""
    matrices = softmax_matrices(trace, "here", (), ())
    return matrices, shapes_of(matrices) | {"scores": trace.scores.shape}


def with_core_names(cells):
    """Return the cells with the core's names of their matrices: the ending "_here" of the ids is removed."""
    return {(id.removesuffix("_here"), row, column) for id, row, column in cells}


@pytest.mark.parametrize("axis", [-1, 1, 0, -2, None])
def test_a_softmax(axis):
    trace = softmax_steps(SCORES, axis, 1.5, 2.0)
    matrices, shapes = softmax_view(trace)
    for name, matrix in matrices.items():
        assert matrix.id == f"{name}_here"
        for i, j in cells(matrix):
            assert with_core_names(lit_with(matrix, i, j, shapes)) == cells_of_calculation(trace, name, i, j)


@pytest.mark.parametrize("axis", [-1, 0, None])
def test_a_softmax_without_its_maximum(axis):
    trace = naive_softmax_steps(SCORES, axis)
    matrices, shapes = softmax_view(trace)
    assert cells_of_calculation(trace, "powers", 0, 0) == {("scores", 0, 0)}
    for name in ("powers", "weights", "entropies"):
        for i, j in cells(matrices[name]):
            assert with_core_names(lit_with(matrices[name], i, j, shapes)) == cells_of_calculation(trace, name, i, j)
