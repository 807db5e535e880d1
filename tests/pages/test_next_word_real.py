"""Test the next word in a real model: the shipped numbers, and a model that writes in its turn until it is stopped."""

import numpy as np
import pytest

from attention_core.language_model.answer import read_more_tokens
from attention_core.language_model.gguf import SETTING
from attention_core.language_model.shipped import (
    LIKELIEST,
    TEXTS,
    next_words_of,
    shipped_next_words,
    shipped_reading,
    write_greedily,
)
from attention_core.next_word import sample
from attention_core.writing.small_model import Drawing, draw_word
from language_models import MATRICES, SETTINGS, path_of_the_model, write
from pages.next_word.real import MOST, Writer
from pages.shared.model_access import asking
from simulating import open_page, page_text

PAGE = "next_word"
PROMPT = (259, 7, 9)


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Give the test a tiny language model with random weights, which takes the place of the real model."""
    monkeypatch.setenv(SETTING, str(write(tmp_path / "toy.gguf", SETTINGS, MATRICES, {})))
    monkeypatch.setattr(asking.TURNS, "_heard", {})
    return asking.model()


def run_to_the_end(writer):
    """Let the writer continue until it stops, and return the writer."""
    while writer.goes_on:
        writer.go_on(0.01)
    return writer


def tokens_without_cache(model, n, drawing):
    """Return `n` tokens that the model writes without a cache: it reads the whole text again for each token."""
    written = []
    for place in range(n):
        logits = read_more_tokens(model, (*PROMPT, *written)).logits
        written.append(int(draw_word(drawing, logits, place).drawn))
    return tuple(written)


# --- shipped ---


@pytest.mark.parametrize("name", TEXTS)
def test_the_shipped_numbers_agree_with_those_of_the_heads(name):
    found, text = shipped_next_words(name), shipped_reading(name)
    assert found.pieces == text.pieces
    assert found.likeliest[: len(text.nexts)] == text.nexts
    np.testing.assert_allclose(found.chances[: len(text.nexts)], text.probabilities, atol=1e-4)
    assert len(found.likeliest) == LIKELIEST
    assert len(found.guesses) == 31
    assert found.guesses[-1] == found.likeliest[0] == found.written[0]
    assert found.of_the_last[-1] == found.guess_chances[-1] == pytest.approx(found.chances[0], abs=1e-4)
    assert (found.of_the_last <= found.guess_chances).all()


def test_without_the_model_the_shipped_numbers_are_shown_and_how_to_get_it(monkeypatch):
    monkeypatch.setattr(asking, "find_model", lambda: None)
    app = open_page(PAGE, look="real")
    assert not app.exception
    assert "The likeliest of 49,152 tokens is `Paris`, with a probability of 81%" in page_text(app)
    assert asking.COMMAND in [each.value for each in app.code]


@pytest.mark.long
def test_the_shipped_numbers_are_the_models():
    from attention_core.language_model.model import open_model

    model = open_model(path_of_the_model())
    so_far = read_more_tokens(model, shipped_reading("capital").tokens)
    found, kept = next_words_of(model, so_far, write_greedily(model, so_far, 3)), shipped_next_words("capital")
    assert found.likeliest[:5] == kept.likeliest[:5]
    assert found.written == kept.written[:3]
    np.testing.assert_allclose(found.of_the_last, kept.of_the_last, atol=1e-3)


# --- live ---


@pytest.mark.parametrize("drawing", [Drawing(), Drawing(temperature=2.0, top_k=9, top_p=0.8, seed=5), Drawing(top_k=1)])
def test_it_writes_as_it_would_without_a_cache(toy, drawing):
    writer = Writer()
    writer.begin(PROMPT, drawing, 6)
    run_to_the_end(writer)
    wanted = tokens_without_cache(toy, 6, drawing)
    stops = wanted.index(259) + 1 if 259 in wanted else 6
    assert writer.written == wanted[:stops]
    assert not asking.TURNS._heard


def test_a_text_is_read_once_for_all_that_is_written_on_it(toy):
    writer = Writer()
    writer.begin(PROMPT, Drawing(), 1)
    run_to_the_end(writer)
    read = writer.read
    writer.begin(PROMPT, Drawing(seed=1), 1)
    assert writer.read is read
    assert len(run_to_the_end(writer).written) == 1
    writer.begin((1, 2), Drawing(), 1)
    assert writer.read is None


def test_it_can_be_stopped_and_keeps_what_is_written(toy):
    writer = Writer()
    writer.begin(PROMPT, Drawing(), MOST)
    while len(writer.written) < 2:
        writer.go_on(0.001)
    writer.stop()
    kept = writer.written
    writer.go_on()
    assert writer.written == kept
    assert not asking.TURNS._heard


def test_two_who_write_take_turns_token_by_token(toy):
    one, other = Writer(), Writer()
    one.begin(PROMPT, Drawing(), 5)
    other.begin(PROMPT, Drawing(seed=3), 5)
    lead = []
    while one.goes_on and other.goes_on:
        one.go_on(1.0)
        other.go_on(1.0)
        lead.append(len(one.written) - len(other.written))
    assert max(map(abs, lead)) <= 1


def test_who_waits_too_long_is_told(toy):
    now = [0.0]
    asking.TURNS.before("somebody else")
    writer = Writer(clock=lambda: now[0])
    writer.begin(PROMPT, Drawing(), 2)
    writer.go_on()
    assert writer.before == 1
    now[0] = asking.PATIENCE + 1
    asking.TURNS.before("somebody else")
    writer.go_on()
    assert "People still before you: 1" in writer.failed
    assert not writer.goes_on


def test_the_page_writes_when_asked_and_shows_the_text(toy):
    app = open_page(PAGE, look="real", text="own", own="the the", top_k="1")
    (button,) = [each for each in app.button if each.label == "One token"]
    app = button.click().run()
    assert not app.exception
    from simulating import visitor_of

    writer = visitor_of(app).kept[Writer]
    run_to_the_end(writer)
    app = app.run()
    assert not app.exception
    assert "**goes on:**" in page_text(app)
    assert "**What comes next?**" in page_text(app)
    greedy = int(sample(read_more_tokens(toy, writer.prompt).logits, top_k=1).drawn)
    assert writer.written == (greedy,)
