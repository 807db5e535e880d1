"""Test what is highlighted when a visitor points at a number: exactly the shown numbers that it was computed from."""

import re
from collections import defaultdict
from dataclasses import replace
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from attention_core import MultiHeadProjections, multi_head_attention, softmax_steps
from attention_core.arithmetic import operands, rules_of
from attention_core.arithmetic.formulas import Formula, entries_of
from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import WITH_SWITCH, naive_softmax_steps
from attention_core.museum import EXHIBITS
from lit_cells import (
    Board,
    board_of,
    cells_of_calculation,
    items,
    lit_by,
    lit_cells,
    sent_equations,
    some_cells,
)
from pages.shared.controls import controls_of
from pages.shared.equation import formulas_of, matrices_of
from pages.shared.equation.matrices import attention_matrices, head_matrices, softmax_matrices, term_matrices
from pages.shared.notation.symbols import symbol_of_id
from pagesutil import KINDS, VIEWS
from simulating import drawn_equations, open_page
from strategies import random_numbers

SHOWN, AND = list(EXAMPLES), ("?", "&")  # the signs before the first parameter of a link and before each further one
STEPS = [f"/attention?step={step}" for step in range(1, 11)]
# Views that show the same numbers in every example.
ALIKE = "your_sentence|spot_the_bug|softmax_axes.*(shares|powers)|encoding$|rotation|distance|formulas|draws|beliefs"
ALIKE += "|induction_head|real_heads|next_word"
OF_AN_EXAMPLE = [path for path in [*VIEWS, *STEPS] if not re.search(ALIKE, path)]
# Views that depend on other settings as well as on the example.
MORE = [
    "/softmax_axes?source=array&axis=whole&constant=710",
    "/softmax_axes?axis=columns",
    "/attention?step=5&mask=causal&example=book",
    "/attention?step=7&mask=padding&scale=none&token=1",
    "/attention?step=4&scale=none&mistake=divided_by_d_k",
    "/multi_head?example=cat&heads=4&sharing=grouped&off=1&rewire=swap_alone",
    "/multi_head?example=heads_512&heads=64",
    "/multi_head?example=translation&sharing=all&look=attentions",
    "/positional_encoding?root=off",
    "/positional_encoding?example=context&look=alibi&head=3&heads=4",
    "/positional_encoding?look=rope&asks=2&answers=0",
    "/training_step",
    "/training_step?look=back&taken=3&mask=causal&token=1&wrong=keys_transposed",
    "/training_step?times=10&example=french&look=jacobian",
    "/cross_attention?example=hand&queries=2&keys=1&word=1",
    "/cross_attention?example=context&itself=on",
    *(f"/your_sentence?look={look}&heads=4&causal=on" for look in ("again", "computed")),
    "/your_sentence?look=computed&source=cat&positions=on",
    "/induction_head?layers=1&after=140",
    "/next_word?look=cache&at=1&more=2",
    "/next_word?look=loss&came=roof",
    "/next_word?look=head&attends=off",
    "/next_word?temperature=2&top_k=3&top_p=0.8&verb=chased",
    *(f"/real_model?look=causes&experiment={each}&guess={each}-0" for each in ("capitals", "induction", "number")),
    *(f"/spot_the_bug?exhibit={each.name}&aid={aid}" for each in EXHIBITS for aid in ("beside", "answer")),
    "/check_my_matrix?answer=1 2;3 4;5 6",
    "/check_my_matrix?asked=mixed&answer=1 2 3 4 5;0 0 0 0 0;1 1 1 1 1",
    "/check_my_matrix?asked=encoding&answer=1 2",
    "/check_my_matrix?source=queries&own_q=1 2&own_k=3 4&own_v=5&answer=6",
    "/check_my_matrix?source=scores&own_scores=1 2;3 4&answer=0.5 0.5;1 0",
    "/check_my_matrix?source=weights&own_x=1 2&own_w_q=3;4&own_w_k=1;1&own_w_v=1;2&asked=weights&answer=1",
]
MISTAKEN = [
    f"/{page}?mistake={mistake.name}"
    for page, kind in KINDS.items()
    for mistake in WITH_SWITCH
    if page != "real_model" and mistake.name in getattr(controls_of(kind).get("mistake"), "options", ())
]
PATHS = [
    # Each view is opened with half of the examples, and each example in half of the views.
    *(f"{path}{AND['?' in path]}example={n}" for i, path in enumerate(OF_AN_EXAMPLE) for n in SHOWN[i % 2 :: 2]),
    *(f"{path}{AND['?' in path]}layout={layout}" for path in [*VIEWS, *STEPS] for layout in ("rows", "columns")),
    *MORE,
    *MISTAKEN,
]

# In these matrices every token depends on all tokens, so the inputs are highlighted. Their arithmetic begins with their
# weights.
WHOLE_LAYERS = {"shuffled": {"embedded"}, "moved": {"embedded"}}


def core_name_of(id):
    """Return the core's name for the matrix with this id, without endings such as "_mistake"."""
    name = symbol_of_id(id)
    assert name, f"the matrix {id} has no record in SYMBOLS of notation/records.py: add one"
    return name


def sources_on(app):
    """Return, for each matrix in the computations on the page, the names of the matrices that it is computed from."""
    return sources_in(
        {id(m.computation.trace): m.computation.trace for m in matrices_on(app) if m.computation}.values()
    )


def sources_in(traces):
    """Return, for each matrix in some computations, the names of the matrices that it is computed from."""
    sources = defaultdict(set, WHOLE_LAYERS)
    for name, (_, formula) in (rule for trace in traces for rule in rules_of(trace).items()):
        assert isinstance(formula, Formula)
        sources[name] |= {entry.matrix.name for entry in entries_of(formula.pattern)} - {name}
    return sources


def ancestors(name, sources):
    """Return the names of all matrices that the matrix `name` is computed from, directly or over several steps.

    `sources` holds, for each matrix, those that it is directly computed from.
    """
    found, waiting = set(), [name]
    while waiting:
        further = sources.get(waiting.pop(), set()) - found
        found |= further
        waiting += further
    return found


def may_be_dark(id, board, sources):
    """Return whether a page may highlight nothing when a visitor points at the matrix `id`.

    `board` holds the matrices that the page shows, and `sources` the names of those that a matrix is computed from.
    Return True in four cases: the page shows no matrix from which `id` is computed; a visitor pasted `id`; `id` is the
    correct matrix next to a mistake; `id` is a wrong matrix with another shape than the correct one.
    """
    other_shape = id.endswith("_mistake") and board.shapes[id] != board.shapes.get(id.replace("_mistake", "_right"))
    if id.endswith(("_right", "_yours")) or other_shape:
        return True
    like = [other for other in board.shapes if suffix(id).startswith(suffix(other)) or other.endswith("_given")]
    head = part_of(id)[1]
    shown = {core_name_of(other) for other in like if part_of(other)[1] in ("", head) or not head}
    return not shown & ancestors(core_name_of(id), sources)


def part_of(id):
    """Return two parts of a matrix id: the name of the matrix, and the number of its head, or "" if it has no head."""
    name, _, head = id.partition(".")
    return name, head


def suffix(id):
    """Return the ending of a matrix id that the core's name does not have, such as "_mistake"."""
    return part_of(id)[0].removeprefix(core_name_of(id))


def reads_others(cell):
    """Return whether a calculation uses cells of other matrices. One that is not known may use some."""
    return cell is None or any(name != cell.name for name, _ in operands(cell.term))


def are_known(term, board, sources):
    """Return whether every matrix in a formula is known.

    A matrix is known if the page shows it, if `board` has a formula or given numbers for it, or if it is computed from
    no other matrix (`sources`).
    """
    if not isinstance(term, list):
        return True
    if term[:1] != ["@"]:
        return all(are_known(part, board, sources) for part in term)
    return all(
        id in board.shapes or board.formulas.get(id, {}).keys() & {"of", "given"} or not sources[core_name_of(id)]
        for id in term[1]
    )


@pytest.mark.many
@pytest.mark.parametrize("path", PATHS)
def test_every_number_lights_up_what_it_is_computed_from(path):
    address = urlsplit(path)
    app = open_page(address.path.strip("/") or "home", **dict(parse_qsl(address.query)))
    assert not app.exception
    equations, sources = sent_equations(app), sources_on(app)
    board = board_of(equations)
    by_id = {matrix.id: matrix for matrix in matrices_on(app)}
    shown = [item for equation in equations for item in items(equation)]
    for id in board.formulas.keys() - {item["id"] for item in shown if item["lights"] is not None}:
        assert are_known(board.formulas[id].get("of"), board, sources), id
    for item in shown:
        id, lights = item["id"], item["lights"]
        assert are_known(lights, board, sources), (id, lights)
        dark = {cell for cell in some_cells(item) if not lit_cells(id, *cell, board, lights)}
        dark = {cell for cell in dark if reads_others(by_id[id].cell(*cell))}
        computation = by_id[id].computation
        own = sources_in([computation.trace]) if computation else sources
        assert not dark or may_be_dark(id, board, own), (id, dark)
    check_that_an_id_stands_for_one_matrix(app)


def matrices_on(app):
    """Return all matrices on the page."""
    return [matrix for lines in drawn_equations(app).values() for matrix in matrices_of(lines)]


def check_that_an_id_stands_for_one_matrix(app):
    """Check that matrices with the same id show the same numbers. One of them may show fewer rows or columns."""
    values = {}
    for matrix in matrices_on(app):
        other = values.setdefault(matrix.id, matrix.values)
        rows, columns = map(min, zip(other.shape, matrix.values.shape, strict=True))
        np.testing.assert_array_equal(other[:rows, :columns], matrix.values[:rows, :columns], err_msg=matrix.id)


@pytest.mark.parametrize(("example", "read"), [("hand", {"scaled"}), ("book", set())])
def test_next_to_a_mistake_only_matrices_with_the_same_numbers_light_up(example, read):
    """Check what the page highlights if a visitor points at the correct weights next to a mistake."""
    equations = sent_equations(open_page("attention", step="5", mistake="scores_as_weights", example=example))
    assert {id for id, *_ in lit_by(equations, "weights_right", 1, 0)} == read


SMALL = ("hand", "book", "columns", "context", "translation", "cat")

of_small_examples = pytest.mark.parametrize("name", SMALL)


def lit_with(matrix, i, j, board):
    """Return the cells (id, row, column) that are highlighted with cell [i, j] on a board that shows all matrices."""
    assert matrix.lights is None
    return lit_cells(matrix.id, i, j, board)


def board_with_all(matrices):
    """Return a board that shows these matrices, and all from which they are computed."""
    board = Board(formulas_of([*matrices.values()]))
    for id, formula in board.formulas.items():
        board.add(id, formula["shape"])
    return board


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
    board = board_with_all(matrices)
    for matrix in (matrices[name] for name in ("q", "k", "v", "scores", "scaled", "masked", "weights", "output")):
        for i, j in cells(matrix):
            assert lit_with(matrix, i, j, board) == cells_of_calculation(trace, matrix.id, i, j)


@of_small_examples
def test_what_is_given_lights_up_nothing(name):
    this = example(name)
    for matrices in (attention_matrices(this, this.attention()), head_matrices(this, this.multi_head())):
        board = board_with_all(matrices)
        for given in this.matrices():
            assert not any(lit_with(matrices[given], i, j, board) for i, j in cells(matrices[given]))


@of_small_examples
def test_terms(name):
    this = example(name)
    trace = this.attention()
    for token, _ in enumerate(this.tokens):
        matrices = dict(attention_matrices(this, trace)) | term_matrices(this, trace, token)
        board = board_with_all(matrices)
        for i, j in cells(matrices["terms"]):
            assert matrices["terms"].id == f"terms.{token}"
            assert lit_with(matrices["terms"], i, j, board) == cells_of_calculation(trace, "terms", token, i, j)


# --- several heads ---


def check_heads(trace, matrices):
    board = board_with_all(matrices)
    for h in range(trace.n_heads):
        for name in ("scores", "scaled", "masked", "weights", "heads", "shares"):
            for i, j in cells(matrices[f"{name}.{h}"]):
                assert lit_with(matrices[f"{name}.{h}"], i, j, board) == cells_of_calculation(trace, name, h, i, j)
    for name in ("concat", "output"):
        for i, j in cells(matrices[name]):
            assert lit_with(matrices[name], i, j, board) == cells_of_calculation(trace, name, i, j)


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
    """Return the matrices that a page shows for a softmax, and a board with them."""
    matrices = softmax_matrices(trace, "here", (), ())
    return matrices, board_with_all(matrices)


def with_core_names(cells):
    """Return the cells with the core's names of their matrices: the ending "_here" of the ids is removed."""
    return {(id.removesuffix("_here"), row, column) for id, row, column in cells}


@pytest.mark.parametrize("axis", [-1, 1, 0, -2, None])
def test_a_softmax(axis):
    trace = softmax_steps(SCORES, axis, 1.5, 2.0)
    matrices, board = softmax_view(trace)
    for name, matrix in matrices.items():
        assert matrix.id == f"{name}_here"
        for i, j in cells(matrix):
            assert with_core_names(lit_with(matrix, i, j, board)) == cells_of_calculation(trace, name, i, j)


@pytest.mark.parametrize("axis", [-1, 0, None])
def test_a_softmax_without_its_maximum(axis):
    trace = naive_softmax_steps(SCORES, axis)
    matrices, board = softmax_view(trace)
    assert cells_of_calculation(trace, "powers", 0, 0) == {("scores", 0, 0)}
    for name in ("powers", "weights", "entropies"):
        for i, j in cells(matrices[name]):
            assert with_core_names(lit_with(matrices[name], i, j, board)) == cells_of_calculation(trace, name, i, j)
