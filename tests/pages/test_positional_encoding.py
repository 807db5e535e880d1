"""Test the page of positional encoding: its numbers are those of the core and of the notebook, in every example."""

import re

import numpy as np
import pytest

from attention_core import compare_formulas, embed_positions, shuffle_tokens
from attention_core.examples import EXAMPLES, example
from lit_cells import lit_by, sent_equations
from pages.shared.notation.numbers import number
from simulating import captions, equations, matrices, open_page, page_text, visit_of

pytestmark = pytest.mark.lowest
PAGE = "positional_encoding"
LOOKS = ("bag", "numbering", "encoding", "rotation", "distance", "formulas", "rope", "alibi")
FORMULAS = ("paper", "doubled", "shifted")


def shown_values(app, name):
    """Return the numbers of the matrix with this id on the page."""
    return np.array(matrices(app)[name]["values"], dtype=float)


@pytest.mark.many
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_in_every_view(name, look, layout):
    app = open_page(PAGE, example=name, look=look, layout=layout)
    assert not app.exception
    assert visit_of(app).notices == ()


@pytest.mark.parametrize("name", ["hand", "cat", "context"])
def test_a_shuffle_without_and_with_positions(name):
    app, this = open_page(PAGE, example=name, order="reversed", root="on"), example(name)
    order = tuple(range(len(this.x)))[::-1]
    for suffix, positions in (("bag", False), ("placed", True)):
        trace = shuffle_tokens(this, order, positions=positions)
        np.testing.assert_allclose(shown_values(app, f"difference_{suffix}"), trace.difference, atol=1e-15)
        assert matrices(app)[f"moved_{suffix}"]["rowLabels"] == list(this.tokens[::-1])
    assert np.abs(shown_values(app, "difference_bag")).max() < 1e-12
    assert np.abs(shown_values(app, "difference_placed")).max() > 0.1


def test_the_mouse_chased_the_cat():
    app = open_page(PAGE, example="cat", order="swapped", first="1", second="4")
    assert "“The mouse chased the cat” are two texts with the same tokens." in page_text(app)


def test_an_edit_reaches_the_first_layer():
    x = [[5, 0, 0, 2, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 1]]
    app = open_page(PAGE, example="hand", x=";".join(",".join(map(str, row)) for row in x), root="on")
    np.testing.assert_allclose(shown_values(app, "positioned"), embed_positions(x).positioned)


def test_without_the_root_the_input_itself_is_added_to():
    app = open_page(PAGE)
    assert "embedded" not in matrices(app)
    np.testing.assert_allclose(
        shown_values(app, "positioned"), shown_values(app, "x") + shown_values(app, "sinusoidal")
    )


def test_the_root_is_there_so_that_positions_do_not_drown_a_row():
    app = open_page(PAGE, root="on")
    row, scaled, place = (np.linalg.norm(shown_values(app, name)[0]) for name in ("x", "embedded", "sinusoidal"))
    assert row < place < scaled
    lengths = [f"{row:g}", f"{scaled:.2f}", f"{place:.2f}"]
    assert f"has length {lengths[0]}, then {lengths[1]}. Its encoding has length {lengths[2]}." in page_text(app)
    assert "outweigh" not in page_text(open_page(PAGE))


def test_an_odd_width_says_what_was_done():
    assert "the encoding of width 6 without its last cosine" in page_text(open_page(PAGE, example="hand"))
    assert "without its last cosine" not in page_text(open_page(PAGE, example="book"))
    assert "the last feature has no partner" in page_text(open_page(PAGE, example="book", look="rope"))


def test_the_three_formulas_at_width_512():
    said = page_text(open_page(PAGE, look="formulas"))
    assert "| cosine of positions 2 and 10 | 0.72252 | 0.86000 | " in said
    found = compare_formulas(100, 512)
    paper, doubled, shifted = (found[name] for name in FORMULAS)
    assert f"| pairs that hardly move | {paper.still:.1%} | {doubled.still:.1%} | {shifted.still:.1%} |" in said
    rounding = "nothing but rounding"
    assert (
        f"| similarity at one distance differs by | {rounding} | {rounding} | up to ${number(shifted.spread)}$ |"
        in said
    )
    squared = [f"up to ${number(trace.off_base_squared)}$" for trace in (paper, shifted)]
    assert f"| differs from base 100,000,000 by | {squared[0]} | {rounding} | {squared[1]} |" in said
    assert doubled.off_base_squared < 1e-12 < 1 < paper.off_base_squared


def test_any_two_positions_can_be_compared():
    said = page_text(open_page(PAGE, look="formulas", wide="64", length="20", one="3", other="400"))
    similar = compare_formulas(20, 64, between=(3, 400))["paper"].similar
    assert f"| cosine of positions 3 and 400 | {similar:.5f} | " in said


def test_at_width_4_a_farther_position_is_more_similar():
    said = page_text(open_page(PAGE, look="distance"))
    assert "At width 4, positions at distance **6** are more similar (0.98) than at distance **1** (0.77)." in said
    assert "At width 8, positions at distance **6** are more similar (0.95) than at distance **1** (0.88)." in said


def test_where_nearer_is_more_similar_the_page_does_not_claim_otherwise():
    assert "At width 8, nearer is always more similar among these 3 positions." in page_text(
        open_page(PAGE, look="distance", positions="3")
    )


def test_what_looks_equal_gets_more_digits():
    said = page_text(open_page(PAGE, look="distance", width="512", positions="100"))
    far, near = re.findall(r"At width 512.*?\((.*?)\).*?\((.*?)\)", said)[0]
    assert far > near


def test_large_encodings_are_pictures_and_any_cell_has_its_arithmetic():
    app = open_page(PAGE, look="encoding", width="512", positions="512", position="511", column="512")
    assert not equations(app)
    value = np.cos(511 / 10000 ** (510 / 512))
    assert f"&= {number(value)}" in page_text(app)
    assert "became the last" not in captions(app)


def test_what_lies_beyond_the_encoding_becomes_the_last_and_says_so():
    app = open_page(PAGE, look="encoding", width="100", positions="20", position="300", column="300")
    assert "position 19 and wave 100" in captions(app)
    assert "pair 7 became the last" in captions(open_page(PAGE, look="rotation", pair="7"))
    assert "head 12 became the last" in captions(open_page(PAGE, look="alibi", head="12"))


@pytest.mark.parametrize("size", ["64", "65", "66"])
def test_where_numbers_end_and_pictures_begin(size):
    app = open_page(PAGE, look="encoding", width=str(int(size) // 2 * 2), positions=size)
    assert bool(equations(app)) == (size == "64")


def test_the_smallest_sizes():
    for look in ("encoding", "distance", "rotation"):
        assert not open_page(PAGE, look=look, width="2", positions="1", shift="0", position="0").exception
    assert not open_page(PAGE, look="formulas", wide="2", length="2").exception


def test_rope_scores_are_constant_along_diagonals():
    for pairing in ("halves", "neighbours"):
        scores = shown_values(open_page(PAGE, look="rope", pairing=pairing), "scores_turned_rope")
        for k in range(-5, 6):
            assert np.ptp(np.diagonal(scores, k)) < 1e-12


def test_alibi_adds_its_penalty_to_the_scores():
    app = open_page(PAGE, example="hand", look="alibi", heads="4", head="2")
    np.testing.assert_array_equal(shown_values(app, "bias_alibi"), -np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]) / 16)
    np.testing.assert_allclose(
        shown_values(app, "masked"), shown_values(app, "scaled") + shown_values(app, "bias_alibi")
    )
    # only the slope of the second head is highlighted
    assert lit_by(sent_equations(app), "bias_alibi", 0, 1) == {("slopes_alibi", 0, 1)}
    assert (shown_values(app, "weights") != shown_values(app, "weights_plain")).any()


def test_a_small_slope_is_shown_with_its_digits():
    shown_with = {name: item["decimals"] for name, item in matrices(open_page(PAGE, look="alibi")).items()}
    # the smallest slope of 8 heads is 0.0039, which needs 4 decimals
    assert shown_with["slopes_alibi"] == shown_with["bias_alibi"] == 4
    assert shown_with["weights"] == 0
    assert matrices(open_page(PAGE, look="alibi", heads="1"))["slopes_alibi"]["decimals"] == 4
    assert matrices(open_page(PAGE, look="alibi", heads="3"))["slopes_alibi"]["decimals"] == 4


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", ["story", "hand", "book"])
def test_rounding_is_called_rounding(name, look):
    app = open_page(PAGE, example=name, look=look)
    assert not re.search(r"10\^\{-1\d\}", page_text(app) + captions(app))


def test_a_cell_of_shuffled_tokens_is_named_by_who_stands_there_now():
    app = open_page(PAGE, example="hand", order="reversed", cell="shuffled_placed.0.1")
    assert "of the output of `mice` at its new position" in page_text(app)
    assert "of `cats`, plus the encoding" in page_text(open_page(PAGE, example="hand", cell="positioned.0.1"))


def test_a_token_that_only_the_context_has_cannot_be_chosen():
    app = open_page(PAGE, example="context", look="rope", answers="3")
    assert any("`answers=3`" in notice for notice in visit_of(app).notices)
