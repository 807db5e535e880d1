"""Test that a text pasted on "Check my matrix" stays as it is.

It may be unreadable or long, and the visitor may go to another page and come back.
"""

import tomllib

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosedError

from attention_core.reading.matrix_text import write_matrix
from crowd import connect_visitor, messages_of_run, opening_message, run
from pages.shared.controls.example_kinds import LONGEST, LONGEST_IN_LINK, TextArea
from pages.shared.share import state_file
from pages.shared.state import address
from pages.shared.state.widgets import MOST_TOGETHER
from pagesutil import KINDS
from serving import ROOT
from simulating import captions, go, link_of, notices, open_page, visit_of, visitor_of
from visiting import visiting

pytestmark = pytest.mark.lowest
AREA = TextArea("Result")


def test_a_link_holds_short_texts_as_they_are():
    for text in ("", " ", "1\t2\n3", "é" * LONGEST_IN_LINK):
        assert AREA.in_link(text)
        assert AREA.decode(AREA.encode(text)) == text
    for text in ("1" * (LONGEST_IN_LINK + 1), "1\0", "\ud800"):
        assert not AREA.in_link(text)
        with pytest.raises(ValueError, match=r"^a text of at most 2000 characters, with no control character"):
            AREA.decode(text)


def test_unreadable_text_is_pointed_at_and_stays():
    text = "[[1, 2],\n [3 **x**]]"
    app = open_page("check_my_matrix", answer=text)
    assert app.error[0].value.startswith("Line 2, column 5: A cell must hold one number, but this cell holds `**x**`")
    assert app.code[0].value == " [3 **x**]]\n    ^"
    assert app.text_area(key="check_my_matrix.answer").value == text
    assert link_of(app)["answer"] == text


def test_what_was_pasted_survives_the_way_to_another_page_and_back():
    app = open_page("check_my_matrix")
    long = write_matrix(np.random.default_rng(0).normal(size=(30, 30)), 4)
    app.text_area(key="check_my_matrix.answer").set_value(long).run()
    assert "too many for a link" in captions(app)
    assert "answer" not in link_of(app)
    app = go(go(app, "attention"), "check_my_matrix")
    (area,) = [area for area in app.text_area if area.label == "Your result"]
    assert area.value == long


def test_a_long_text_survives_a_link_to_its_page():
    app = open_page("check_my_matrix")
    app.text_area(key="check_my_matrix.answer").set_value("1 " * 2000).run()
    app = go(app, "attention")
    app.query_params["mask"] = "causal"
    app = go(app, "check_my_matrix")
    assert visit_of(app).parameters.answer == "1 " * 2000


def test_a_link_holds_no_longer_text():
    app = open_page("check_my_matrix", answer="1 " * 1001)
    assert "at most 2000 characters" in notices(app)
    assert visit_of(app).parameters.answer == ""


@pytest.mark.parametrize("text", ["1 " * 2000, "1 2\f3 4"])
def test_a_file_brings_what_no_link_holds(text):
    written = state_file.write(state_file.State("check_my_matrix", {"source": "scores"}, {"answer": text}))
    state = state_file.read(written.encode())
    app = open_page("attention")
    with visiting(visitor_of(app)):
        address.open_state(state.page, KINDS[state.page], state.texts)
    app.query_params.update(state.query)
    assert visit_of(go(app, "check_my_matrix")).parameters.answer == text


def test_a_file_without_a_text_takes_away_the_one_that_is_there():
    app = open_page("check_my_matrix")
    app.text_area(key="check_my_matrix.answer").set_value("1 " * 2000).run()
    app = go(app, "attention")
    with visiting(visitor_of(app)):
        address.open_state("check_my_matrix", KINDS["check_my_matrix"], {})
    assert visit_of(go(app, "check_my_matrix")).parameters.answer == ""


def test_a_text_beyond_all_measure_is_refused_and_said():
    app = open_page("check_my_matrix", answer="1 2")
    app.text_area(key="check_my_matrix.answer").set_value("1" * (LONGEST + 1)).run()
    assert visit_of(app).parameters.answer == "1 2"
    assert "must be a text of at most 200,000 characters" in notices(app)


def test_a_long_sentence_is_refused_with_a_word():
    app = open_page("your_sentence", text="one two")
    app.text_input(key="your_sentence.text").set_value("word " * 100).run()
    assert visit_of(app).parameters.text == "one two"
    assert "must be one line of at most 400 characters" in notices(app)


@pytest.mark.parametrize(("layout", "shape"), [("rows", (65, 2)), ("columns", (2, 65))])
def test_more_tokens_than_can_be_diagnosed_are_refused(layout, shape):
    app = open_page("check_my_matrix", source="weights", layout=layout)
    (area,) = [area for area in app.text_area if area.label == "X"]
    app = area.set_value(write_matrix(np.ones(shape), 0)).run()
    assert "can have 64 tokens, but this matrix has 65" in app.error[0].value
    assert "Paste what is still missing: X" in app.info[0].value
    (area,) = [area for area in app.text_area if area.label == "X"]
    app = area.set_value(write_matrix(np.ones(shape[::-1]), 0)).run()
    assert len(app.error) == 0
    assert "Paste what is still missing: W_Q" in app.info[0].value


AREAS = ("answer", "given_q", "given_k", "given_v", "given_scores", "given_scaled", "given_weights")


@pytest.mark.long
def test_texts_that_are_too_long_together_are_refused_and_said():
    app = open_page("check_my_matrix", steps="on")
    for name in AREAS:
        app.text_area(key=f"check_my_matrix.{name}").set_value("1 " * (LONGEST // 2)).run()
        assert ("all texts of a page together may have 1.3 MB" in notices(app)) == (name == AREAS[-1])
    kept = [getattr(visit_of(app).parameters, name) for name in AREAS]
    assert list(map(len, kept)) == [LONGEST] * 6 + [0]


def test_what_a_page_keeps_and_one_text_more_fit_into_a_message():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    others = 50_000  # bytes for the names of the widgets and for the address
    assert MOST_TOGETHER + len("∞".encode()) * LONGEST + others <= 1e6 * config["server"]["maxMessageSize"]


@pytest.mark.long
def test_a_server_takes_no_message_of_another_length(server):
    async def flood():
        async with connect_visitor(server) as socket:
            asked = opening_message("check_my_matrix")
            asked.rerun_script.widget_states.widgets.add(id="any", string_value="x" * 2_000_000)
            return [message async for message in messages_of_run(socket, asked)]

    with pytest.raises(ConnectionClosedError, match="message too big"):
        run(flood())
