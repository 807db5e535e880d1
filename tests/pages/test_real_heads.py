"""Test the page of real heads, with the model and without it: the wall of all heads, the matrices, and the texts."""

import base64
import struct
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core.language_model.gguf import SETTING
from attention_core.language_model.model import Head, run_model
from attention_core.language_model.roles import roles
from attention_core.language_model.shipped import HEADS, TEXTS, shipped_reading
from attention_core.language_model.tokens import BEGIN
from language_models import LAYERS
from lit_cells import board_of, reads_of_cell, sent_equations
from pages.real_heads import lesson
from pages.shared.model_access import asking
from pages.shared.real_heads import reading, tour
from pages.shared.real_heads.reading import changes_if_moved, scores_at_every_position
from pagesutil import KINDS
from simulating import after_the_answer, matrices, open_page, panels, press, visit_of
from visiting import new_visitor, visiting

PAGE = "real_heads"
DEFAULT: Any = KINDS[PAGE]()


def page_text(app):
    return "\n".join(each.value for each in [*app.markdown, *app.warning, *app.info, *app.caption])


def commands(app):
    """Return the commands that the page shows as code."""
    return [code.value for code in app.code]


# --- without the model ---


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("text", TEXTS)
def test_every_text_stands_there_without_the_model(text):
    app = open_page(PAGE, text=text, look="numbers")
    assert not app.exception
    kept = shipped_reading(text)
    np.testing.assert_allclose(matrices(app)["weights"]["values"], kept.attention(Head(18, 6)).weights)
    np.testing.assert_allclose(matrices(app)["guesses"]["values"], kept.probabilities[:6, None])
    assert matrices(app)["q"]["shape"] == [len(kept.tokens), 64]


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("look", ["numbers", "positions"])
def test_a_head_of_which_weights_alone_are_shipped_asks_for_the_model(look):
    app = open_page(PAGE, head="3.3", look=look)
    assert not app.exception
    assert read_by_weights(app) == set()
    np.testing.assert_allclose(matrices(app)["weights"]["values"], shipped_reading("list").maps[3, 3] / 255)
    assert "in steps of 1/255" in page_text(app)
    assert commands(app) == [asking.COMMAND]


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
def test_a_text_of_ones_own_asks_for_the_model():
    app = open_page(PAGE, text="own")
    assert not app.exception
    assert "which is not on this machine" in page_text(app)
    assert commands(app) == [asking.COMMAND]
    assert matrices(app) == {}


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
def test_a_file_that_is_no_model_is_said(tmp_path, monkeypatch):
    (tmp_path / "bad.gguf").write_bytes(b"no model")
    monkeypatch.setenv(SETTING, str(tmp_path / "bad.gguf"))
    app = open_page(PAGE, text="own")
    assert not app.exception
    assert "The model’s file bad.gguf cannot be opened" in page_text(app)


# --- with a model ---


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
def test_a_text_of_ones_own_is_read(toy):
    app = after_the_answer(open_page(PAGE, text="own", own="the the", head="1.2"))
    assert not app.exception
    tokens = (toy.vocabulary.numbers[BEGIN], *toy.vocabulary.encode("the the"))
    trace = run_model(toy, tokens)
    np.testing.assert_allclose(matrices(app)["weights"]["values"], trace.weights[1, 2], atol=2e-3)
    shares = np.exp(trace.logits[-1].astype(float))
    np.testing.assert_allclose(
        np.ravel(matrices(app)["guesses"]["values"]), np.sort(shares / shares.sum())[:-7:-1], rtol=1e-5
    )
    assert matrices(app)["weights"]["rowLabels"] == ["start", "t", "he", "the"]
    assert "4 tokens" in page_text(app)
    assert not app.get("progress")


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
def test_while_it_reads_it_says_how_far_it_is(toy):
    app = open_page(PAGE, text="own", own="the the")
    (bar,) = app.get("progress")
    assert bar.proto.text == "The model reads."
    assert matrices(app) == {}
    asking.TURNS.before("another")
    other = open_page(PAGE, text="own", own="he he")
    assert other.get("progress")[0].proto.text == "The model is busy. People before you: 2."
    assert "weights" in matrices(after_the_answer(app))


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
def test_a_head_that_the_model_does_not_have_is_its_last(toy):
    app = after_the_answer(open_page(PAGE, text="own", own="the the", head="18.6"))
    assert f"L{LAYERS - 1}H3" in page_text(app)


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize(
    ("own", "told"),
    [
        (" ", "must have at least one word"),
        ("a" * 60, "may have 31 tokens here, but this one has 60. Leave 29"),
    ],
)
def test_what_cannot_be_read_says_why(toy, own, told):
    app = open_page(PAGE, text="own", own=own)
    assert not app.exception
    assert told in page_text(app)
    assert matrices(app) == {}


# --- the wall ---


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
def test_the_wall_has_every_map_in_its_place():
    text = shipped_reading("quote")
    maps = text.maps.shape[0]
    png = base64.b64decode(lesson.picture(text, columns=False))
    width, height = struct.unpack(">II", png[16:24])
    n = len(text.tokens)
    assert (width, height) == (maps * n, 9 * n)
    at = png.index(b"IDAT") + 4
    pixels = np.frombuffer(zlib.decompress(png[at:]), np.uint8).reshape(height, width + 1)[:, 1:]
    tile = pixels[6 * n : 7 * n, 18 * n : 19 * n].astype(int) - 127
    np.testing.assert_allclose(tile / 127, text.maps[18, 6] / 255, atol=0.005)
    assert lesson.picture(text, columns=True) != lesson.picture(text, columns=False)


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("place", [None, [1], [30, 0], [0, 9], [-1, 0], [1.0, 2], ["1", 2], "12", [True, 1], {}])
def test_what_is_no_head_chooses_none(place):
    with visiting(new_visitor(PAGE)) as visitor:
        lesson.choose(place, shipped_reading("list"))
        assert visitor.visit.parameters == DEFAULT


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
def test_a_press_chooses_a_head():
    with visiting(new_visitor(PAGE)) as visitor:
        lesson.choose([16, 0], shipped_reading("list"))
        chosen: Any = visitor.visit.parameters
        assert chosen.head == Head(16, 0)


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("link", ["30.0", "1.9", "1", "a.b", "1.2.3", "01.2", ""])
def test_a_link_to_no_head_is_left_out(link):
    app = open_page(PAGE, head=link)
    assert not app.exception
    assert visit_of(app).parameters.head == Head(18, 6)


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
@pytest.mark.parametrize("text", TEXTS)
def test_each_text_opens_with_a_head_that_does_something_visible(text):
    """Check that each text opens with a head that does something visible in this text."""
    app = open_page(PAGE, text="list" if text != "list" else "days")
    (texts,) = [group for group in app.button_group if group.label == "A text"]
    app = texts.set_value(text).run()
    head = visit_of(app).parameters.head
    maps = shipped_reading(text).maps[head] / 255
    strongest = max(maps[i, j] for i in range(2, len(maps)) for j in range(1, i))
    sink = maps[1:, 0].mean()
    assert strongest >= 0.5 or sink > 0.9
    assert tour.role_of(head) or text == "kinds"


@pytest.mark.lowest
@pytest.mark.usefixtures("no_model")
def test_a_link_without_a_head_opens_the_head_that_it_always_opened():
    assert visit_of(open_page(PAGE, text="capital")).parameters.head == Head(18, 6)


def read_by_weights(app):
    """Return the cells from which the first weight is computed."""
    return set().union(*reads_of_cell(("weights", 0, 0), board_of(sent_equations(app))))


def reading_with(**link):
    """Return the real model's numbers for the text that the page shows. `link` replaces parameters of the page."""
    found = reading.reading_of(replace(DEFAULT, **link))
    assert found
    return found


def test_the_tour_shows_each_head_on_a_text():
    for number, role in enumerate(tour.roles_of_tour()):
        app = open_page(PAGE)
        app = press(app, panels(app)["tour"][number]["label"])
        assert not app.exception
        assert visit_of(app).parameters.head == role.head
        assert read_by_weights(app) != set()  # the app ships the queries and keys of this head


def test_the_tour_says_what_was_measured():
    table = tour.table()
    for role in roles():
        if role.name in tour.TOLD:
            assert f"{role.head.name} |" in table
            assert f"| {role.score:.2f} | {role.control:.2f}" in table
    assert table.count("**fails**") == 1
    assert "to the dog with 0.61" in tour.failing_role_text()
    assert tour.role_of(Head(9, 4)) == "pronoun"
    assert tour.role_of(Head(0, 0)) == ""


@pytest.mark.parametrize("text", TEXTS)
def test_the_sink_in_numbers(text):
    kept, told = shipped_reading(text), lesson.sink_text(reading_with(text=text))
    more = [kept.maps[layer, head, 1:, 0].mean() > 127.5 for layer in range(30) for head in range(9)]
    assert f"**{sum(more)} of 270** heads" in told
    others = f"for the other tokens it is {kept.norms[18, 1:].mean():,.0f} on average."
    assert f"is {kept.norms[18, 0]:,.0f}; {others}" in told
    assert "Its value is the shortest" in told


@pytest.mark.parametrize("head", HEADS, ids=lambda head: head.name)
def test_where_a_text_stands_changes_nothing_and_a_gap_does(head):
    found = changes_if_moved(shipped_reading("list").attention(head))
    assert max(found.together) < 1e-12
    assert found.apart > 1e-6


def test_scores_along_a_diagonal_are_one_number_and_that_of_the_text():
    trace = shipped_reading("list").attention(Head(18, 6))
    scores = scores_at_every_position(trace, 7, 4).scores
    for offset in range(-7, 8):
        assert np.ptp(np.diagonal(scores, offset)) < 1e-9
    assert scores[7, 4] == pytest.approx(trace.scores[7, 4])


def test_what_is_saved_by_sharing_is_said_in_bytes():
    told = lesson.shared_keys_text(reading_with())
    assert "L18H6, L18H7, L18H8 share" in told
    assert [f"| {count} | {size:,} |" in told for count, size in ((9, 69_120), (3, 23_040), (1, 7_680))] == [True] * 3
