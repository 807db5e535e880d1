"""What the browser lights up for a cell of a softmax is what the cell's arithmetic reads."""

import pytest

from attention_core import softmax_steps
from attention_core.slips import naive_softmax_steps
from pages.shared.equation.matrices import softmax_matrices
from reading_cells import cells, lit, read, shapes_of

SCORES = [[1, 0.5, 0.2, 3], [1, -1, 7, 3], [2, 12, 13, 3]]


def softmax_view(trace):
    matrices = softmax_matrices(trace, "here", (), ())
    return matrices, shapes_of(matrices) | {"scores": trace.scores.shape}


def at_home(cells):
    """Cells by the names of the core."""
    return {(id.removesuffix("_here"), row, column) for id, row, column in cells}


@pytest.mark.parametrize("axis", [-1, 1, 0, -2, None])
def test_a_softmax(axis):
    trace = softmax_steps(SCORES, axis, 1.5, 2.0)
    matrices, shapes = softmax_view(trace)
    for name, matrix in matrices.items():
        assert matrix.id == f"{name}_here"
        for i, j in cells(matrix):
            assert at_home(lit(matrix, i, j, shapes)) == read(trace, name, i, j)


@pytest.mark.parametrize("axis", [-1, 0, None])
def test_a_softmax_without_its_maximum(axis):
    trace = naive_softmax_steps(SCORES, axis)
    matrices, shapes = softmax_view(trace)
    for i, j in cells(matrices["powers"]):
        # The line that would have been searched for its maximum stays lit.
        assert at_home(lit(matrices["powers"], i, j, shapes)) > read(trace, "powers", i, j) == {("scores", i, j)}
    for name in ("weights", "entropies"):
        for i, j in cells(matrices[name]):
            assert at_home(lit(matrices[name], i, j, shapes)) == read(trace, name, i, j)
