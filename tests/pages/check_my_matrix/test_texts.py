"""Test that a text pasted on "Check my matrix" stays as it is.

It may be unreadable or long, and the visitor may go to another page and come back.

Also public walkthroughs, and what examples hide.
"""

import json
import re
import tomllib

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosedError

from attention_core.diagnosis.stages import possible_mistakes
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.training import Aim, training_trace
from attention_core.mistakes import WRITTEN_OUT, blind_spots
from attention_core.mistakes.backward import WRONG_GRADIENTS
from attention_core.reading.matrix_text import write_matrix
from attention_core.rotation import encode
from crowd import connect_visitor, messages_of_run, opening_message, run
from pages.shared.controls.example_kinds import LONGEST, LONGEST_IN_LINK, TextArea
from pages.shared.notation.prose import typeset
from pages.shared.share import link_dialog
from pages.shared.state import address
from pages.shared.state.widgets import MOST_TOGETHER
from pagesutil import KINDS
from serving import ROOT
from simulating import captions, go, heading, link_of, notices, open_page, page_text, visit_of, visitor_of
from visiting import visiting

AREA = TextArea("Result")


@pytest.mark.lowest
def test_a_link_holds_short_texts_as_they_are():
    for text in ("", " ", "1\t2\n3", "é" * LONGEST_IN_LINK):
        assert AREA.in_link(text)
        assert AREA.decode(AREA.encode(text)) == text
    for text in ("1" * (LONGEST_IN_LINK + 1), "1\0", "\ud800"):
        assert not AREA.in_link(text)
        with pytest.raises(ValueError, match=r"^a text of at most 2000 characters, with no control character"):
            AREA.decode(text)


@pytest.mark.lowest
def test_unreadable_text_is_pointed_at_and_stays():
    text = "[[1, 2],\n [3 **x**]]"
    app = open_page("check_my_matrix", answer=text)
    assert app.error[0].value.startswith("Line 2, column 5: A cell must hold one number, but this cell holds `**x**`")
    assert app.code[0].value == " [3 **x**]]\n    ^"
    assert app.text_area(key="check_my_matrix.answer").value == text
    assert link_of(app)["answer"] == text


@pytest.mark.lowest
def test_what_was_pasted_survives_the_way_to_another_page_and_back():
    app = open_page("check_my_matrix")
    long = write_matrix(np.random.default_rng(0).normal(size=(30, 30)), 4)
    app.text_area(key="check_my_matrix.answer").set_value(long).run()
    assert "too many for a link" in captions(app)
    assert "answer" not in link_of(app)
    app = go(go(app, "attention"), "check_my_matrix")
    (area,) = [area for area in app.text_area if area.label == "Your result"]
    assert area.value == long


@pytest.mark.lowest
def test_a_long_text_survives_a_link_to_its_page():
    app = open_page("check_my_matrix")
    app.text_area(key="check_my_matrix.answer").set_value("1 " * 2000).run()
    app = go(app, "attention")
    app.query_params["mask"] = "causal"
    app = go(app, "check_my_matrix")
    assert visit_of(app).parameters.answer == "1 " * 2000


@pytest.mark.lowest
def test_a_link_holds_no_longer_text():
    app = open_page("check_my_matrix", answer="1 " * 1001)
    assert "at most 2000 characters" in notices(app)
    assert visit_of(app).parameters.answer == ""


@pytest.mark.lowest
@pytest.mark.parametrize("text", ["1 " * 2000, "1 2\f3 4"])
def test_a_file_brings_what_no_link_holds(text):
    written = link_dialog.write(link_dialog.State("check_my_matrix", {"source": "scores"}, {"answer": text}))
    state = link_dialog.read(written.encode())
    app = open_page("attention")
    with visiting(visitor_of(app)):
        address.open_state(state.page, KINDS[state.page], state.texts)
    app.query_params.update(state.query)
    assert visit_of(go(app, "check_my_matrix")).parameters.answer == text


@pytest.mark.lowest
def test_a_file_without_a_text_takes_away_the_one_that_is_there():
    app = open_page("check_my_matrix")
    app.text_area(key="check_my_matrix.answer").set_value("1 " * 2000).run()
    app = go(app, "attention")
    with visiting(visitor_of(app)):
        address.open_state("check_my_matrix", KINDS["check_my_matrix"], {})
    assert visit_of(go(app, "check_my_matrix")).parameters.answer == ""


@pytest.mark.lowest
def test_a_text_beyond_all_measure_is_refused_and_said():
    app = open_page("check_my_matrix", answer="1 2")
    app.text_area(key="check_my_matrix.answer").set_value("1" * (LONGEST + 1)).run()
    assert visit_of(app).parameters.answer == "1 2"
    assert "must be a text of at most 200,000 characters" in notices(app)


@pytest.mark.lowest
def test_a_long_sentence_is_refused_with_a_word():
    app = open_page("your_sentence", text="one two")
    app.text_input(key="your_sentence.text").set_value("word " * 100).run()
    assert visit_of(app).parameters.text == "one two"
    assert "must be one line of at most 400 characters" in notices(app)


@pytest.mark.lowest
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


@pytest.mark.lowest
@pytest.mark.long
def test_texts_that_are_too_long_together_are_refused_and_said():
    app = open_page("check_my_matrix", steps="on")
    for name in AREAS:
        app.text_area(key=f"check_my_matrix.{name}").set_value("1 " * (LONGEST // 2)).run()
        assert ("all texts of a page together may have 1.3 MB" in notices(app)) == (name == AREAS[-1])
    kept = [getattr(visit_of(app).parameters, name) for name in AREAS]
    assert list(map(len, kept)) == [LONGEST] * 6 + [0]


@pytest.mark.lowest
def test_what_a_page_keeps_and_one_text_more_fit_into_a_message():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    others = 50_000  # bytes for the names of the widgets and for the address
    assert MOST_TOGETHER + len("∞".encode()) * LONGEST + others <= 1e6 * config["server"]["maxMessageSize"]


@pytest.mark.lowest
@pytest.mark.long
def test_a_server_takes_no_message_of_another_length(server):
    async def flood():
        async with connect_visitor(server) as socket:
            asked = opening_message("check_my_matrix")
            asked.rerun_script.widget_states.widgets.add(id="any", string_value="x" * 2_000_000)
            return [message async for message in messages_of_run(socket, asked)]

    with pytest.raises(ConnectionClosedError, match="message too big"):
        run(flood())


HELD = ROOT / "tests" / "data" / "walkthroughs"
WALKTHROUGHS = json.loads((HELD / "manifest.json").read_text("utf-8"))
TEXTS = {name: (HELD / f"{name}.txt").read_text("utf-8") for name in WALKTHROUGHS}


def page_filled_from(name, text):
    """Paste `text` as the result, press the button that puts its matrices into their fields, and return the page.

    `name` is the walkthrough whose link opens the page.
    """
    app = open_page("check_my_matrix", **WALKTHROUGHS[name]["link"])
    (field,) = [area for area in app.text_area if area.label == "Your result"]
    app = field.set_value(text).run()
    app = next(button for button in app.button if button.label.startswith("Fill all fields")).click().run()
    assert not app.exception
    assert not app.error
    return app


@pytest.mark.parametrize("name", WALKTHROUGHS)
def test_it_agrees_or_its_mistake_is_found(name):
    app = page_filled_from(name, TEXTS[name])
    assert heading(app) == WALKTHROUGHS[name]["heading"]
    assert WALKTHROUGHS[name]["says"] in page_text(app)


@pytest.mark.many
@pytest.mark.parametrize("name", WALKTHROUGHS)
def test_it_is_not_right_with_another_last_number(name):
    before, last, after = re.split(r"(-?[0-9]+\.[0-9]+)(?!.*[0-9]\.[0-9])", TEXTS[name], flags=re.DOTALL)
    assert heading(page_filled_from(name, f"{before}{float(last) + 7:.4f}{after}")) != "## Right"


MASKS = ("none", "causal", "padding")
DEFAULT = example(next(iter(EXAMPLES)))


def mistakes_hidden_in(trace):
    """Return the usual mistakes that can be made in a trace without changing its numbers."""
    return blind_spots(trace, [mistake for mistake in possible_mistakes(trace) if mistake in WRITTEN_OUT])


def traces(example):
    """Yield the correct traces of an example."""
    for mask in MASKS:
        yield example.attention(mask=example.mask(mask))
        yield example.multi_head(mask=example.mask(mask))
    yield encode(example.x, np.arange(len(example.x)))


@pytest.mark.parametrize("name", ["story", "hand"])
def test_no_mistake_of_the_catalogue_hides_in_numbers_that_were_made_for_this(name):
    for trace in traces(example(name)):
        assert mistakes_hidden_in(trace) == ()


def test_the_default_is_the_story_and_cuts_into_several_heads():
    assert DEFAULT.name == "story"
    assert DEFAULT.n_heads > 1
    assert not np.array_equal(DEFAULT.w_o, DEFAULT.w_o.T)


@pytest.mark.parametrize("wrong", WRONG_GRADIENTS, ids=lambda wrong: wrong.name)
def test_no_mistake_of_the_way_back_hides_in_the_default(wrong):
    token, mask = (1, "causal") if wrong.name == "mask_forgotten" else (4, "none")
    trace = training_trace(DEFAULT, Aim(token=token, target=1, mask=mask))
    found = wrong.gradient(trace.forward, trace.back.grad_output)
    learned = ("grad_w_q", "grad_w_k", "grad_w_v")
    off = [np.abs(getattr(found, name) - getattr(trace.back, name)).max() for name in learned]
    assert max(off) > 0.005


@pytest.mark.parametrize("asked", ["output", "mixed"])
@pytest.mark.parametrize("name", ["story", "columns", "cat", "translation"])
def test_what_an_example_hides_is_said_beside_the_result(name, asked):
    this = example(name)
    trace = this.multi_head() if asked == "mixed" else this.attention()
    hidden = [typeset(mistake.title) for mistake in mistakes_hidden_in(trace)]
    said = captions(open_page("check_my_matrix", example=name, asked=asked))
    assert ("With these inputs, " in said) == bool(hidden) == (name != "story")
    assert all(title in said for title in hidden)
    if name != "story" and asked == "mixed":
        assert "Wᴼ is transposed" in said


@pytest.mark.parametrize("name", ["columns", "cat", "translation"])
def test_an_example_with_a_symmetric_w_o_says_so(name):
    this = example(name)
    np.testing.assert_array_equal(this.w_o, this.w_o.T)
    assert "W^O is symmetric" in this.about


def test_large_numbers_are_not_searched():
    assert "With these inputs" not in captions(open_page("check_my_matrix", example="heads_512"))


def test_a_right_result_names_hidden_mistakes_but_no_correct_formula():
    """Check that the page names the mistakes that give the same numbers as a correct result, but no correct formula."""
    app = open_page("check_my_matrix", example="story", answer=write_matrix(DEFAULT.attention().output, 4))
    assert "divided by 2" not in page_text(app)
    output = example("translation").attention().output
    told = page_text(open_page("check_my_matrix", example="translation", answer=write_matrix(output, 4)))
    both = r"“The scores are divided by $\sqrt{d_{\text{model}}}$” and “The scores are divided by $\sqrt{d_v}$”"
    assert f"In this example, the mistakes {both} give the same numbers, up to 0.005." in told
    square = example("square").attention()
    app = open_page("check_my_matrix", example="square", answer=write_matrix(square.output, 4))
    assert " mistakes give the correct numbers in this example, up to 0.005: " in page_text(app)


def test_the_caption_of_an_example_gives_the_widths_of_one_head():
    for name in ("story", "hand"):
        this = example(name)
        assert f"With one head, n = {len(this.tokens)}, d_model = {this.x.shape[1]}, d_k = {this.w_q.shape[1]}" in this.about  # fmt: skip  # noqa: E501
        assert this.n_heads > 1
