"""Test the page of positional encoding: its numbers are those of the core and of the notebook, in every example.

Also numberings, and the pictures of its waves.
"""

import re
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import compare_formulas, embed_positions, shuffle_tokens, sinusoidal
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.positions import in_bits, number_tokens, position_numbers, step_lengths
from lit_cells import lit_by, sent_equations
from pages.positional_encoding.code import code
from pages.shared.charts.png import LEVELS, colours, png_without_colours
from pages.shared.notation.numbers import number, significant
from pages.shared.notation.palette import NEGATIVE, POSITIVE, Theme, tint_code
from pagesutil import KINDS
from simulating import captions, equations, matrices, open_page, page_text, visit_of
from strategies import law

PAGE = "positional_encoding"
LOOKS = ("bag", "numbering", "encoding", "rotation", "distance", "formulas", "rope", "alibi")
FORMULAS = ("paper", "doubled", "shifted")


def shown_values(app, name):
    """Return the numbers of the matrix with this id on the page."""
    return np.array(matrices(app)[name]["values"], dtype=float)


@pytest.mark.lowest
@pytest.mark.many
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_in_every_view(name, look, layout):
    app = open_page(PAGE, example=name, look=look, layout=layout)
    assert not app.exception
    assert visit_of(app).notices == ()


@pytest.mark.lowest
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


@pytest.mark.lowest
def test_the_mouse_chased_the_cat():
    app = open_page(PAGE, example="cat", order="swapped", first="1", second="4")
    assert "“The mouse chased the cat” are two texts with the same tokens." in page_text(app)


@pytest.mark.lowest
def test_an_edit_reaches_the_first_layer():
    x = [[5, 0, 0, 2, 0], [1, 0, 1, 0, 0], [0, 1, 0, 1, 1]]
    app = open_page(PAGE, example="hand", x=";".join(",".join(map(str, row)) for row in x), root="on")
    np.testing.assert_allclose(shown_values(app, "positioned"), embed_positions(x).positioned)


@pytest.mark.lowest
def test_without_the_root_the_input_itself_is_added_to():
    app = open_page(PAGE)
    assert "embedded" not in matrices(app)
    np.testing.assert_allclose(
        shown_values(app, "positioned"), shown_values(app, "x") + shown_values(app, "sinusoidal")
    )


@pytest.mark.lowest
def test_the_root_is_there_so_that_positions_do_not_drown_a_row():
    app = open_page(PAGE, root="on")
    row, scaled, place = (np.linalg.norm(shown_values(app, name)[0]) for name in ("x", "embedded", "sinusoidal"))
    assert row < place < scaled
    lengths = [f"{row:g}", f"{scaled:.2f}", f"{place:.2f}"]
    assert f"has length {lengths[0]}, then {lengths[1]}. Its encoding has length {lengths[2]}." in page_text(app)
    assert "outweigh" not in page_text(open_page(PAGE))


@pytest.mark.lowest
def test_an_odd_width_says_what_was_done():
    assert "the encoding of width 6 without its last cosine" in page_text(open_page(PAGE, example="hand"))
    assert "without its last cosine" not in page_text(open_page(PAGE, example="book"))
    assert "the last feature has no partner" in page_text(open_page(PAGE, example="book", look="rope"))


@pytest.mark.lowest
def test_the_three_formulas_at_width_512():
    said = page_text(open_page(PAGE, look="formulas"))
    assert "| cosine of positions 2 and 10 | 0.72252 | 0.86000 | " in said
    found = compare_formulas(100, 512)
    paper, doubled, shifted = (found[name] for name in FORMULAS)
    assert f"| pairs that hardly move | {paper.still:.1%} | {doubled.still:.1%} | {shifted.still:.1%} |" in said
    rounding = "nothing but rounding"
    assert (
        f"| similarity at one distance differs by | {rounding} | {rounding} | up to {significant(shifted.spread, 4)} |"
        in said
    )
    squared = [f"up to {significant(trace.off_base_squared, 4)}" for trace in (paper, shifted)]
    assert f"| differs from base 100,000,000 by | {squared[0]} | {rounding} | {squared[1]} |" in said
    assert doubled.off_base_squared < 1e-12 < 1 < paper.off_base_squared


@pytest.mark.lowest
def test_any_two_positions_can_be_compared():
    said = page_text(open_page(PAGE, look="formulas", wide="64", length="20", one="3", other="400"))
    similar = compare_formulas(20, 64, between=(3, 400))["paper"].similar
    assert f"| cosine of positions 3 and 400 | {similar:.5f} | " in said


@pytest.mark.lowest
def test_at_width_4_a_farther_position_is_more_similar():
    said = page_text(open_page(PAGE, look="distance"))
    assert "At width 4, positions at distance **6** are more similar (0.98) than at distance **1** (0.77)." in said
    assert "At width 8, positions at distance **6** are more similar (0.95) than at distance **1** (0.88)." in said


@pytest.mark.lowest
def test_where_nearer_is_more_similar_the_page_does_not_claim_otherwise():
    assert "At width 8, nearer is always more similar among these 3 positions." in page_text(
        open_page(PAGE, look="distance", positions="3")
    )


@pytest.mark.lowest
def test_what_looks_equal_gets_more_digits():
    said = page_text(open_page(PAGE, look="distance", width="512", positions="100"))
    far, near = re.findall(r"At width 512.*?\((.*?)\).*?\((.*?)\)", said)[0]
    assert far > near


@pytest.mark.lowest
def test_large_encodings_are_pictures_and_any_cell_has_its_arithmetic():
    app = open_page(PAGE, look="encoding", width="512", positions="512", position="511", column="512")
    assert not equations(app)
    value = np.cos(511 / 10000 ** (510 / 512))
    assert f"= {number(value)}\n$$" in page_text(app)
    assert "became the last" not in captions(app)


@pytest.mark.lowest
def test_what_lies_beyond_the_encoding_becomes_the_last_and_says_so():
    app = open_page(PAGE, look="encoding", width="100", positions="20", position="300", column="300")
    assert "position 19 and wave 100" in captions(app)
    assert "pair 7 became the last" in captions(open_page(PAGE, look="rotation", pair="7"))
    assert "head 12 became the last" in captions(open_page(PAGE, look="alibi", head="12"))


@pytest.mark.lowest
@pytest.mark.parametrize("size", ["64", "65", "66"])
def test_where_numbers_end_and_pictures_begin(size):
    app = open_page(PAGE, look="encoding", width=str(int(size) // 2 * 2), positions=size)
    assert bool(equations(app)) == (size == "64")


@pytest.mark.lowest
def test_the_smallest_sizes():
    for look in ("encoding", "distance", "rotation"):
        assert not open_page(PAGE, look=look, width="2", positions="1", shift="0", position="0").exception
    assert not open_page(PAGE, look="formulas", wide="2", length="2").exception


@pytest.mark.lowest
def test_rope_scores_are_constant_along_diagonals():
    for pairing in ("halves", "neighbours"):
        scores = shown_values(open_page(PAGE, look="rope", pairing=pairing), "scores_turned_rope")
        for k in range(-5, 6):
            assert np.ptp(np.diagonal(scores, k)) < 1e-12


@pytest.mark.lowest
def test_alibi_adds_its_penalty_to_the_scores():
    app = open_page(PAGE, example="hand", look="alibi", heads="4", head="2")
    np.testing.assert_array_equal(shown_values(app, "bias_alibi"), -np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]) / 16)
    np.testing.assert_allclose(
        shown_values(app, "masked"), shown_values(app, "scaled") + shown_values(app, "bias_alibi")
    )
    # only the slope of the second head is highlighted
    assert lit_by(sent_equations(app), "bias_alibi", 0, 1) == {("slopes_alibi", 0, 1)}
    assert (shown_values(app, "weights") != shown_values(app, "weights_plain")).any()


@pytest.mark.lowest
def test_a_small_slope_is_shown_with_its_digits():
    shown_with = {name: item["decimals"] for name, item in matrices(open_page(PAGE, look="alibi")).items()}
    # the smallest slope of 8 heads is 0.0039, which needs 4 decimals
    assert shown_with["slopes_alibi"] == shown_with["bias_alibi"] == 4
    assert shown_with["weights"] == 0
    assert matrices(open_page(PAGE, look="alibi", heads="1"))["slopes_alibi"]["decimals"] == 4
    assert matrices(open_page(PAGE, look="alibi", heads="3"))["slopes_alibi"]["decimals"] == 4


@pytest.mark.lowest
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", ["story", "hand", "book"])
def test_rounding_is_called_rounding(name, look):
    app = open_page(PAGE, example=name, look=look)
    assert not re.search(r"10\^\{-1\d\}", page_text(app) + captions(app))


@pytest.mark.lowest
def test_a_cell_of_shuffled_tokens_is_named_by_who_stands_there_now():
    app = open_page(PAGE, example="hand", order="reversed", cell="shuffled_placed.0.1")
    assert "of the output of `mice` at its new position" in page_text(app)
    assert "of `cats`, plus the encoding" in page_text(open_page(PAGE, example="hand", cell="positioned.0.1"))


@pytest.mark.lowest
def test_a_token_that_only_the_context_has_cannot_be_chosen():
    app = open_page(PAGE, example="context", look="rope", answers="3")
    assert any("`answers=3`" in notice for notice in visit_of(app).notices)


def page_text_of_numbering(**link):
    """Return the text of the page about numbering, opened with the parameters in `link`."""
    return "\n".join(text.value for text in open_page(PAGE, look="numbering", **link).markdown)


def test_places_by_hand():
    assert position_numbers(3, 2).tolist() == [[1, 1], [2, 2], [3, 3]]
    assert in_bits(6, 3).tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1]]
    assert in_bits(2, 512)[1].tolist() == [1] + [0] * 511


@law
@given(st.integers(2, 60), st.integers(1, 8).map(lambda half: 2 * half), st.sampled_from([10.0, 100.0, 10000.0]))
def test_every_step_of_waves_is_one_and_the_same(n, d, base):
    steps = step_lengths(sinusoidal(n, d, base))
    np.testing.assert_allclose(steps, steps[0], rtol=1e-9)


def test_bits_jump_the_most_where_all_change():
    steps = step_lengths(in_bits(16, 4)) ** 2
    np.testing.assert_allclose(steps, [1, 2, 1, 3, 1, 2, 1, 4, 1, 2, 1, 3, 1, 2, 1])


def test_on_the_story_counting_swamps_and_waves_do_not():
    found = {way: each.trace.weights for way, each in number_tokens(example("story")).items()}
    assert found["nowhere"][4].argmax() == found["in_waves"][4].argmax() == 0  # token 0 is "cat"
    assert found["in_bits"][4].argmax() != 0
    assert (found["counted"][:, 4] > 0.99).all()  # every token gives all of its attention to the last position


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_page_says_what_the_numbers_are(name):
    app, this = open_page(PAGE, look="numbering", example=name), example(name)
    rows = [each.trace.weights[-1] for each in number_tokens(this).values()]
    shown = np.array(matrices(app)["numbered"]["values"], dtype=float)
    np.testing.assert_allclose(shown, np.stack(rows)[:, : shown.shape[1]])
    text = "\n".join(text.value for text in app.markdown)
    assert f"with counting, to “{this.key_tokens[rows[1].argmax()]}”" in text


def test_the_page_names_the_numbers_of_the_story():
    text = page_text_of_numbering()
    assert "the row of “it” has length 1.41, and the row of position 1,000 has length 2,449.49" in text
    assert "from 7 to 8 all 4 bits change, a step of length 2. From 8 to 9 one bit changes, a step of 1." in text
    assert f"the same length, {step_lengths(sinusoidal(2, 8))[0]:.2f}, and “it” attends most to “cat” (0.87)" in text
    assert "1,024 rows, and none for the next position" in text


def test_a_cell_has_the_arithmetic_of_its_way():
    text = page_text_of_numbering(cell="numbered.1.0")
    assert "with positions written like this: `1, 2, 3 …`" in text
    assert "the weight for `cat`" in text
    scores = {("numbered_scores", 1, key) for key in range(len(example("story").key_tokens))}
    assert lit_by(sent_equations(open_page(PAGE, look="numbering")), "numbered", 1, 0) == scores


@pytest.mark.parametrize("sizes", [(0, 2), (2, 0)])
def test_errors(sizes):
    for way in (position_numbers, in_bits):
        with pytest.raises(ValueError, match="must be a whole number of at least 1"):
            way(*sizes)


@pytest.mark.parametrize("look", LOOKS)
def test_the_code_says_whole_sentences(look):
    says = [block.says for block in code(KINDS[PAGE](**{"look": look}), example("story")).blocks if block.says]
    assert says
    assert [text for text in says if not text.endswith(".")] == []


THEMES = ("light", "dark")


def png_chunks(data):
    """Return the chunks of a PNG by kind, after checking the checksum of each."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = {}, 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + body),)
        chunks[kind], at = body, at + 12 + length
    return chunks


def pixels(values, theme: Theme = "light"):
    """Return the colour (red, green, blue) of each pixel in the picture of `values`, and the opacity of each pixel."""
    before, after = png_without_colours(np.array(values, dtype=float))
    chunks = png_chunks(before + colours(theme) + after)
    columns, rows = struct.unpack(">II", chunks[b"IHDR"][:8])
    lines = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), dtype=np.uint8).reshape(rows, columns + 1)
    assert not lines[:, 0].any()
    levels = lines[:, 1:]
    shades = np.frombuffer(chunks[b"PLTE"], dtype=np.uint8).reshape(-1, 3)
    return shades[levels], np.frombuffer(chunks[b"tRNS"], dtype=np.uint8)[levels]


@pytest.mark.parametrize("theme", THEMES)
def test_colours_tell_the_sign_and_clearness_the_size(theme):
    shades, alphas = pixels([[-1, 0, 1], [0.5, -0.5, 2]], theme)
    negative, positive = ([*tint_code(tint, theme)] for tint in (NEGATIVE, POSITIVE))
    assert shades.shape == (2, 3, 3)
    np.testing.assert_array_equal(shades[:, :2], [[negative, positive], [positive, negative]])
    np.testing.assert_array_equal(alphas, [[2 * LEVELS, 0, 2 * LEVELS], [LEVELS - 1, LEVELS - 1, 2 * LEVELS]])


def test_every_size_keeps_its_shape():
    assert pixels(np.zeros((512, 2)))[1].shape == (512, 2)
    assert pixels(np.zeros((1, 512)))[1].shape == (1, 512)


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (100, 512)])
def test_the_parts_can_be_joined_in_base_64(shape):
    """Check that the parts of a PNG may be encoded in base64 one by one: each part has a multiple of 3 bytes."""
    before, _ = png_without_colours(np.zeros(shape))
    assert [len(part) % 3 for part in (before, *map(colours, THEMES))] == [0, 0, 0]
