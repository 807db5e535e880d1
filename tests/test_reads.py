"""What the browser lights up for a cell is what the cell's arithmetic reads."""

import math
from dataclasses import replace

import pytest

from attention_core import MultiHeadWeights, multi_head_attention
from attention_core.examples import example
from lighting import Board
from lighting import lit as lit_on
from pages.shared.equation.head_matrices import head_matrices
from pages.shared.equation.matrices import attention_matrices, term_matrices
from reading_cells import cells, corners, lit, read, read_from, shapes_of
from strategies import drawn

SMALL = ("hand", "book", "columns", "context", "translation", "cat")

of_small_examples = pytest.mark.parametrize("name", SMALL)


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
            # A forbidden score lights up the score that it stands for, though its −∞ is not computed from it.
            expected = {("scaled", i, j)} if forbidden else read(trace, matrix.id, i, j)
            assert lit(matrix, i, j, shapes) == expected


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
            assert lit(matrices["terms"], i, j, shapes_of(matrices)) == read(trace, "terms", token, i, j)


# --- several heads ---


def check_heads(trace, matrices):
    shapes = shapes_of(matrices)
    for h in range(trace.n_heads):
        for name in ("heads", "shares"):
            for i, j in cells(matrices[f"{name}.{h}"]):
                assert lit(matrices[f"{name}.{h}"], i, j, shapes) == read(trace, name, h, i, j)
        for i, j in cells(matrices[f"weights.{h}"]):
            # The scores of a head are not shown, so its weights light up the queries and keys that those come from.
            expected = read_from(trace, "weights", h, i, j, until=("q", "k"))
            assert lit(matrices[f"weights.{h}"], i, j, shapes) == expected
    for name in ("concat", "output"):
        for i, j in cells(matrices[name]):
            assert lit(matrices[name], i, j, shapes) == read(trace, name, i, j)


@of_small_examples
def test_several_heads(name):
    this = example(name)
    check_heads(this.multi_head(), head_matrices(this, this.multi_head()))


def test_heads_that_share_keys_and_values():
    this = example("translation")
    w_q, w_k, w_v, w_o = drawn(4, 8), drawn(4, 4), drawn(4, 6), drawn(12, 4)
    weights = MultiHeadWeights(w_q=w_q, w_k=w_k, w_v=w_v, w_o=w_o)
    trace = multi_head_attention(this.x, weights, 4, n_kv_heads=2)
    matrices = head_matrices(this, trace)
    check_heads(trace, matrices | {"w_o": replace(matrices["w_o"], values=w_o)})


# --- through what is not on the page ---

# What a page may show of a computation. An example has biases, and one has a context.
PAGES = [
    ("x", "q", "k", "v", "scores", "weights", "output"),
    ("x", "w_k", "v"),
    ("w_q", "k", "b_v"),
    ("context", "weights"),
]
of_each_kind = pytest.mark.parametrize("name", ["hand", "columns", "context"])


def on_the_page(matrices, names):
    """A page that shows some of these matrices, and the rules of the others."""
    board = Board()
    for name in names:
        if name in matrices:
            board.add(name, matrices[name].values.shape)
    return board, next(iter(matrices.values())).computation.rules


@pytest.mark.parametrize("names", PAGES, ids=",".join)
@of_each_kind
def test_one_head_lights_up_the_nearest_that_is_shown(name, names):
    this = example(name)
    trace = this.attention()
    matrices = attention_matrices(this, trace)
    board, rules = on_the_page(matrices, names)
    for matrix in (matrices[name] for name in ("q", "k", "v", "scores", "scaled", "masked", "weights", "output")):
        for i, j in corners(matrix):
            assert lit_on(matrix.reads, i, j, board, rules) == read_from(trace, matrix.id, i, j, until=names)


@pytest.mark.parametrize("names", [*PAGES, ("q", "weights.0"), ("w_q", "w_v", "heads.1")], ids=",".join)
@of_each_kind
def test_several_heads_light_up_the_nearest_that_is_shown(name, names):
    this = example(name)
    trace = this.multi_head()
    matrices = head_matrices(this, trace)
    board, rules = on_the_page(matrices, names)
    for id in ("q", "v", "weights.1", "heads.1", "shares.0", "concat", "output"):
        bare, _, head = id.partition(".")
        for i, j in corners(matrices[id]):
            expected = read_from(trace, bare, *map(int, head), i, j, until=names)
            assert lit_on(matrices[id].reads, i, j, board, rules) == expected
