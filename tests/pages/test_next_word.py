"""Test the page of the next word: its sentences are true, its buttons work, and its views agree."""

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
from attention_core.mistakes.next_word import CACHE_MISTAKES, SAMPLING_MISTAKES, correct_step
from attention_core.next_word import sample
from attention_core.softmax import softmax
from attention_core.writing.small_model import (
    SMOLLM2,
    Drawing,
    attention_share,
    draw_word,
    next_word,
    step_multiplications,
    word_loss,
    write_on,
)
from attention_core.writing.story_model import VERBS, beginning, story_model
from language_models import MATRICES, SETTINGS, path_of_the_model, write
from pages.next_word.real import MOST, Writer
from pages.shared.equation import matrices_of
from pages.shared.model_access import asking
from simulating import drawn_equations, open_page, page_text, press, visit_of, with_edit

PAGE, MOST_CELLS = "next_word", 150


def next_word_probabilities(verb, **how):
    """Return the probability of each next word after the beginning with this verb, by word."""
    model = story_model()
    trace = next_word(model, beginning(verb), **how)
    return dict(zip(model.words, trace.chances[-1].tolist(), strict=True))


# --- the story ---


@pytest.mark.lowest
def test_the_sentence_goes_on_sensibly_and_without_attention_it_does_not():
    drank, chased = next_word_probabilities("drank"), next_word_probabilities("chased")
    assert max(drank, key=drank.__getitem__) == "milk"
    assert max(chased, key=chased.__getitem__) == "mouse"
    assert drank["milk"] > 5 * drank["mouse"]
    off = [next_word_probabilities(verb, attends=False) for verb in VERBS]
    assert off[0] == off[1]
    assert off[0]["milk"] == off[0]["mouse"] == off[0]["roof"] == max(off[0].values())


@pytest.mark.lowest
def test_by_hand():
    """Check the probabilities of the next words by hand, from the numbers on the page."""
    weight = np.exp(4 / np.sqrt(2)) / (np.exp(4 / np.sqrt(2)) + 3)
    logits = [2 + 2 * weight, 2, 2, -2 * weight, -3 + 2 * weight]
    np.testing.assert_allclose([*next_word_probabilities("drank").values()], softmax(logits), rtol=1e-12)


@pytest.mark.lowest
def test_the_first_screen_has_few_cells():
    matrices = [m for lines in drawn_equations(open_page(PAGE)).values() for m in matrices_of(lines)]
    cells = sum(m.values.shape[1] * (1 if m.only_row is not None else len(m.values)) for m in matrices)
    assert cells <= MOST_CELLS


@pytest.mark.lowest
def test_the_page_says_the_likeliest_word_and_that_without_attention_there_is_none():
    assert "The likeliest word is **milk**, with a probability of **0.73**" in page_text(open_page(PAGE))
    assert "The likeliest word is **mouse**" in page_text(open_page(PAGE, verb="chased"))
    assert "milk, mouse and roof have **equal probabilities, 0.32 each**" in page_text(open_page(PAGE, attends="off"))


@pytest.mark.lowest
def test_a_word_is_drawn_and_appended_until_the_sentence_ends_and_all_begins_again():
    app = open_page(PAGE)
    tokens, model = beginning("drank"), story_model()
    while tokens[-1] != "." and len(tokens) < 8:
        expected = draw_word(Drawing(), next_word(model, tokens).logits[-1], len(tokens) - 4).drawn
        tokens = (*tokens, model.words[int(expected)])
        app = press(app, "Draw a word")
        assert f"**{' '.join(tokens)}" in page_text(app)
    assert write_on(model, beginning("drank"), 4, Drawing()) == tokens
    assert visit_of(press(app, "Start again")).parameters.more == 0


@pytest.mark.lowest
def test_an_edit_of_the_vocabulary_changes_the_chances():
    app = with_edit(open_page(PAGE), {"kind": "edit", "id": "vocabulary", "cells": [[2, 3, 9.0]], "done": True})
    assert "The likeliest word is **roof**" in page_text(app)


@pytest.mark.lowest
def test_an_edit_of_a_matrix_of_the_head_does_not_touch_that_of_other_pages():
    app = with_edit(
        open_page(PAGE, look="head"), {"kind": "edit", "id": "w_q_next", "cells": [[0, 0, 0.0]], "done": True}
    )
    assert visit_of(app).example.w_q.shape == (6, 4)
    # a quarter of the attention still goes to the verb, so the answer stays the same
    assert "The likeliest word is **milk**" in page_text(app)


# --- mistakes ---


@pytest.mark.lowest
def test_each_mistake_in_drawing_changes_the_chances_where_it_shows():
    logits = next_word(story_model(), beginning("drank")).logits[-1]
    drawing = draw_word(Drawing(temperature=2.0, top_k=4, top_p=0.8), logits, 0)
    for mistake in SAMPLING_MISTAKES:
        assert np.abs(mistake.chances(drawing) - drawing.probabilities).max() > 0.01, mistake.name
        app = open_page(PAGE, temperature="2", top_k="4", top_p="0.8", sampling=mistake.name)
        assert "A probability is off by up to" in page_text(app)
        assert mistake.title in page_text(app)


@pytest.mark.lowest
def test_wrong_chances_by_hand():
    drawing = draw_word(Drawing(top_p=0.5), np.log([0.4, 0.4, 0.2]), 0)
    found = {mistake.name: mistake.chances(drawing).tolist() for mistake in SAMPLING_MISTAKES}
    assert found["crossing_word_left_out"] == [1, 0, 0]
    assert found["not_shared_out"] == pytest.approx([0.4, 0.4, 0])
    assert found["softmax_again"] == pytest.approx(softmax([0.4, 0.4, 0]).tolist())
    assert found["always_the_likeliest"] == [1, 0, 0]
    doubled = draw_word(Drawing(temperature=2.0), np.log([0.8, 0.2]), 0)
    of_it = {mistake.name: mistake.chances(doubled).tolist() for mistake in SAMPLING_MISTAKES}
    assert of_it["temperature_multiplied"] == pytest.approx([16 / 17, 1 / 17])
    positive = draw_word(Drawing(), np.array([3.0, 1.0, -2.0]), 0)
    assert {s.name: s.chances(positive).tolist() for s in SAMPLING_MISTAKES}["drawn_from_logits"] == [0.75, 0.25, 0]


@pytest.mark.lowest
def test_each_mistake_with_a_cache_changes_the_output():
    head = next_word(story_model(), beginning("drank")).head
    for mistake in CACHE_MISTAKES:
        right, wrong = (
            correct_step(head.q, head.k, head.v, positions=mistake.positions),
            mistake.step(head.q, head.k, head.v),
        )
        assert np.abs(right.output - wrong.output).max() > 0.1
        assert f"**{mistake.title}.**" in page_text(open_page(PAGE, look="cache", caching=mistake.name))
    plain = correct_step(head.q, head.k, head.v, positions=False)
    np.testing.assert_allclose(plain.output[0], head.output[-1], atol=1e-12)


# --- what else it says ---


@pytest.mark.lowest
def test_a_quarter_of_a_block_is_attention():
    assert attention_share(SMOLLM2) == 0.25
    text = page_text(open_page(PAGE, look="block"))
    assert "**3.54 million**" in text
    assert "**0.88 million** of them, 25%" in text
    assert "attention has 20% of all its numbers" in text


@pytest.mark.lowest
def test_a_cache_saves_as_many_times_as_there_are_tokens():
    for n in (1, 5, 1024):
        with_it, without = (step_multiplications(SMOLLM2, n, cache=cache) for cache in (True, False))
        assert without == n * with_it


@pytest.mark.lowest
def test_the_old_rows_change_only_without_a_mask():
    text = page_text(open_page(PAGE, look="cache"))
    assert "changes the old rows by **0**" in text
    model, tokens = story_model(), beginning("drank")
    rows = [next_word(model, tokens[:n], mask=np.ones((n, n), dtype=bool)).summed[:3] for n in (3, 4)]
    assert f"would change by up to **{np.abs(rows[1] - rows[0]).max():.2f}**" in text


@pytest.mark.lowest
def test_the_gradient_is_what_a_small_move_changes():
    model, tokens = story_model(), beginning("drank")
    for at in [(0, 0), (0, 1), (1, 0)]:
        tiny = word_loss(model, tokens, "milk", by=1e-6, at=at)
        assert tiny.slope == pytest.approx(tiny.gradient[at], abs=1e-6)
    found = word_loss(model, tokens, "milk", by=0.1, at=(0, 0))
    assert found.loss == pytest.approx(-np.log(found.chance))
    assert found.gradient[0, 0] < 0
    assert found.moved < found.loss
    with pytest.raises(ValueError, match=r"word must be one of milk, .*; got bread"):
        word_loss(model, tokens, "bread", by=0.1, at=(0, 0))


@pytest.mark.lowest
def test_another_number_of_the_matrix_can_be_moved():
    text = page_text(open_page(PAGE, look="loss", cell="w_q_next.0.1"))
    assert "the number from *article* to *looks for a noun*" in text
    assert "makes this number **smaller**" in text


@pytest.mark.lowest
def test_tokens_that_the_model_does_not_have():
    with pytest.raises(ValueError, match=r"tokens must be one or more of The, cat, .*; got dog: choose"):
        next_word(story_model(), ("The", "dog"))


PAGE_NEXT_WORD_REAL = "next_word"
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
    app = open_page(PAGE_NEXT_WORD_REAL, look="real")
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
    app = open_page(PAGE_NEXT_WORD_REAL, look="real", text="own", own="the the", top_k="1")
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
