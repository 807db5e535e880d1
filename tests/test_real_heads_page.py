"""The page of real heads: with the model and without it, the wall, the boards, and what it says of them."""

import base64
import struct
import zlib
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core.language_model import finding, turns
from attention_core.language_model.finding import SETTING
from attention_core.language_model.kept import Kept
from attention_core.language_model.model import run_model
from attention_core.language_model.pieces import BEGIN
from attention_core.language_model.roles import Head, roles
from attention_core.language_model.shipped import HEADS, TEXTS, shipped
from gguf_writing import write
from pages.shared.lessons.language_model import asking, at_hand
from pages.shared.lessons.real_heads import reading, tour, wall, words
from pages.shared.lessons.real_heads.moved import anywhere, moved
from pagesutil import KINDS
from simulating import matrices, opened, visit_of, visitor_of
from toy_model import LAYERS, MATRICES, SETTINGS
from visiting import new_visitor, visiting

PAGE = "real_heads"
DEFAULT: Any = KINDS[PAGE]()


@pytest.fixture(autouse=True)
def _nothing_asked(monkeypatch):
    monkeypatch.setattr(asking, "TURNS", turns.Turns())
    monkeypatch.setattr(asking, "KEPT", Kept())
    monkeypatch.setattr(at_hand, "_OPENED", {})
    monkeypatch.setattr(finding, "PACKAGE", "no-such-package")
    reading._question.cache_clear()  # type: ignore[attr-defined]


@pytest.fixture
def toy(tmp_path, monkeypatch):
    monkeypatch.setenv(SETTING, str(write(tmp_path / "toy.gguf", SETTINGS, MATRICES, {})))
    return at_hand.model()


def said(app):
    return "\n".join(each.value for each in [*app.markdown, *app.warning, *app.info, *app.caption])


def read(**link):
    found = reading.reading_of(replace(DEFAULT, **link))
    assert found
    return found


def commands(app):
    return [code.value for code in app.code]


def answered(app):
    """The page once the browser's timer has ticked until the model has answered."""
    here = visitor_of(app)
    with visiting(here):
        while here.kept[asking.Asking].open:
            here.kept[asking.Asking].go_on()
    return app.run()


# --- without the model ---


@pytest.mark.parametrize("text", TEXTS)
def test_every_text_stands_there_without_the_model(text):
    app = opened(PAGE, text=text, look="numbers")
    assert not app.exception
    kept = shipped(text)
    np.testing.assert_allclose(matrices(app)["weights"]["values"], kept.attention(Head(18, 6)).weights)
    np.testing.assert_allclose(matrices(app)["guesses"]["values"], kept.shares[:6, None])
    assert matrices(app)["q"]["shape"] == [len(kept.tokens), 64]


@pytest.mark.parametrize("look", ["numbers", "positions"])
def test_a_head_of_which_weights_alone_are_shipped_asks_for_the_model(look):
    app = opened(PAGE, head="3.3", look=look)
    assert not app.exception
    assert matrices(app)["weights"]["reads"] == []
    np.testing.assert_allclose(matrices(app)["weights"]["values"], shipped("list").maps[3, 3] / 255)
    assert "in steps of 1/255" in said(app)
    assert commands(app) == [at_hand.COMMAND]


def test_a_text_of_ones_own_asks_for_the_model():
    app = opened(PAGE, text="own")
    assert not app.exception
    assert "which is not on this machine" in said(app)
    assert commands(app) == [at_hand.COMMAND]
    assert matrices(app) == {}


def test_a_file_that_is_no_model_is_said(tmp_path, monkeypatch):
    (tmp_path / "bad.gguf").write_bytes(b"no model")
    monkeypatch.setenv(SETTING, str(tmp_path / "bad.gguf"))
    app = opened(PAGE, text="own")
    assert not app.exception
    assert "The model’s file bad.gguf cannot be opened" in said(app)


# --- with a model ---


def test_a_text_of_ones_own_is_read(toy):
    app = answered(opened(PAGE, text="own", own="the the", head="1.2"))
    assert not app.exception
    tokens = (toy.vocabulary.numbers[BEGIN], *toy.vocabulary.encode("the the"))
    trace = run_model(toy, tokens)
    np.testing.assert_allclose(matrices(app)["weights"]["values"], trace.weights[1, 2], atol=2e-3)
    shares = np.exp(trace.logits[-1].astype(float))
    np.testing.assert_allclose(
        np.ravel(matrices(app)["guesses"]["values"]), np.sort(shares / shares.sum())[:-7:-1], rtol=1e-5
    )
    assert matrices(app)["weights"]["rowLabels"] == ["start", "t", "he", "the"]
    assert "4 tokens" in said(app)
    assert not app.get("progress")


def test_while_it_reads_it_says_how_far_it_is(toy):
    app = opened(PAGE, text="own", own="the the")
    (bar,) = app.get("progress")
    assert bar.proto.text == "The model reads."
    assert matrices(app) == {}
    asking.TURNS.before("another")
    other = opened(PAGE, text="own", own="he he")
    assert other.get("progress")[0].proto.text == "The model is busy: 2 before you."
    assert "weights" in matrices(answered(app))


def test_a_head_that_the_model_does_not_have_is_its_last(toy):
    app = answered(opened(PAGE, text="own", own="the the", head="18.6"))
    assert f"L{LAYERS - 1}H3" in said(app)


@pytest.mark.parametrize(
    ("own", "told"),
    [(" ", "must have a word at least"), ("a" * 60, "may have 31 tokens here; this one has 60: leave 29 out")],
)
def test_what_cannot_be_read_says_why(toy, own, told):
    app = opened(PAGE, text="own", own=own)
    assert not app.exception
    assert told in said(app)
    assert matrices(app) == {}


# --- the wall ---


def test_the_wall_has_every_map_in_its_place():
    text = shipped("quote")
    maps = text.maps.shape[0]
    png = base64.b64decode(wall.picture(text, columns=False))
    width, height = struct.unpack(">II", png[16:24])
    n = len(text.tokens)
    assert (width, height) == (maps * n, 9 * n)
    at = png.index(b"IDAT") + 4
    pixels = np.frombuffer(zlib.decompress(png[at:]), np.uint8).reshape(height, width + 1)[:, 1:]
    tile = pixels[6 * n : 7 * n, 18 * n : 19 * n].astype(int) - 127
    np.testing.assert_allclose(tile / 127, text.maps[18, 6] / 255, atol=0.005)
    assert wall.picture(text, columns=True) != wall.picture(text, columns=False)


@pytest.mark.parametrize("place", [None, [1], [30, 0], [0, 9], [-1, 0], [1.0, 2], ["1", 2], "12", [True, 1], {}])
def test_what_is_no_head_chooses_none(place):
    with visiting(new_visitor(PAGE)) as visitor:
        wall.choose(place, shipped("list"))
        assert visitor.visit.parameters == DEFAULT


def test_a_press_chooses_a_head():
    with visiting(new_visitor(PAGE)) as visitor:
        wall.choose([16, 0], shipped("list"))
        chosen: Any = visitor.visit.parameters
        assert chosen.head == Head(16, 0)


@pytest.mark.parametrize("link", ["30.0", "1.9", "1", "a.b", "1.2.3", "01.2", ""])
def test_a_link_to_no_head_is_left_out(link):
    app = opened(PAGE, head=link)
    assert not app.exception
    assert visit_of(app).parameters.head == Head(18, 6)


# --- what it says ---


def test_the_tour_shows_each_head_on_a_text():
    for number, role in enumerate(tour.told()):
        app = opened(PAGE)
        (button,) = [each for each in app.button if each.key == f"real_heads.tour.{number}"]
        app = button.click().run()
        assert not app.exception
        assert visit_of(app).parameters.head == role.head
        assert matrices(app)["weights"]["reads"] != []  # its queries and keys are shipped


def test_the_tour_says_what_was_measured():
    table = tour.table()
    for role in roles():
        if role.name in tour.TOLD:
            assert f"{role.head.name} |" in table
            assert f"| {role.score:.2f} | {role.control:.2f}" in table
    assert table.count("**fails**") == 1
    assert "0.61 to the dog" in tour.fails()
    assert tour.role_of(Head(9, 4)) == "pronoun"
    assert tour.role_of(Head(0, 0)) == ""


@pytest.mark.parametrize("text", TEXTS)
def test_the_sink_in_numbers(text):
    kept, told = shipped(text), words.sink(read(text=text))
    more = [kept.maps[layer, head, 1:, 0].mean() > 127.5 for layer in range(30) for head in range(9)]
    assert f"**{sum(more)} of 270** heads" in told
    assert f"is {kept.norms[18, 0]:,.0f}, that of the others {kept.norms[18, 1:].mean():,.0f} on average." in told
    assert "Its value is the shortest of all" in told


@pytest.mark.parametrize("head", HEADS, ids=lambda head: head.name)
def test_where_a_text_stands_changes_nothing_and_a_gap_does(head):
    found = moved(shipped("list").attention(head))
    assert max(found.together) < 1e-12
    assert found.apart > 1e-6


def test_scores_along_a_diagonal_are_one_number_and_that_of_the_text():
    trace = shipped("list").attention(Head(18, 6))
    scores = anywhere(trace, 7, 4).scores
    for offset in range(-7, 8):
        assert np.ptp(np.diagonal(scores, offset)) < 1e-9
    assert scores[7, 4] == pytest.approx(trace.scores[7, 4])


def test_what_is_saved_by_sharing_is_said_in_bytes():
    told = words.shared(read())
    assert "L18H6, L18H7, L18H8 share" in told
    assert [f"| {count} | {size:,} |" in told for count, size in ((9, 69_120), (3, 23_040), (1, 7_680))] == [True] * 3
