"""Test what is highlighted if the sources of a cell are hidden: the nearest cells that are shown."""

import pytest

from attention_core.examples import example
from lit_cells import Board, computed_from, lit_cells
from pages.shared.equation import formulas_of
from pages.shared.equation.matrices import attention_matrices, head_matrices

# The matrices of a computation that a page may show. One example has biases, and one has a context.
PAGES = [
    ("x", "q", "k", "v", "scores", "weights", "output"),
    ("x", "w_k", "v"),
    ("w_q", "k", "b_v"),
    ("context", "weights"),
]
of_each_kind = pytest.mark.parametrize("name", ["hand", "columns", "context"])


def page_with(matrices, names):
    """Return a board that shows the matrices in `names`, with the formulas of all `matrices`."""
    board = Board(formulas_of([*matrices.values()]))
    for name in names:
        if name in matrices:
            board.add(name, matrices[name].values.shape)
    return board


def corners(matrix):
    last_row, last_column = (n - 1 for n in matrix.values.shape)
    return {(0, 0), (0, last_column), (last_row, 0), (last_row, last_column)}


@pytest.mark.parametrize("names", PAGES, ids=",".join)
@of_each_kind
def test_one_head_lights_up_the_nearest_that_is_shown(name, names):
    this = example(name)
    trace = this.attention()
    matrices = attention_matrices(this, trace)
    board = page_with(matrices, names)
    for matrix in (matrices[name] for name in ("q", "k", "v", "scores", "scaled", "masked", "weights", "output")):
        for i, j in corners(matrix):
            expected = computed_from(trace, matrix.id, i, j, until=names)
            assert lit_cells(matrix.id, i, j, board) == expected


@pytest.mark.many
@pytest.mark.parametrize("names", [*PAGES, ("q", "weights.0"), ("w_q", "w_v", "heads.1")], ids=",".join)
@of_each_kind
def test_several_heads_light_up_the_nearest_that_is_shown(name, names):
    this = example(name)
    trace = this.multi_head()
    matrices = head_matrices(this, trace)
    board = page_with(matrices, names)
    for id in ("q", "v", "weights.1", "heads.1", "shares.0", "concat", "output"):
        bare, _, head = id.partition(".")
        for i, j in corners(matrices[id]):
            expected = computed_from(trace, bare, *map(int, head), i, j, until=names)
            assert lit_cells(id, i, j, board) == expected
