"""Test the questions that visitors ask the language model, here a tiny model.

Visitors take turns in slices of time, and an answer is kept for everyone who asks the same.
"""

from dataclasses import replace
from types import SimpleNamespace

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.language_model import answer as answers
from attention_core.language_model.answer import Answer, AnswerCache, Question, Turns, answer
from attention_core.language_model.gguf import SETTING
from attention_core.language_model.model import RIGHT_PARTS, run_model
from language_models import HEADS, LAYERS, MATRICES, SETTINGS, write
from pages.shared.model_access import asking
from pages.shared.model_access.asking import Asking
from strategies import law
from visiting import new_visitor, visiting

A, B = (Question(tokens=tokens, weights=True, layers=(1,)) for tokens in ((1, 5, 9), (1, 9)))


@pytest.fixture
def clock():
    """Give the test a clock. The test sets the time by assigning to `clock.now`."""
    return SimpleNamespace(now=0.0)


@pytest.fixture(autouse=True)
def _alone(tmp_path, monkeypatch, clock):
    """Give each test its own tiny model, its own queue of visitors, and an empty store of answers."""
    path = write(tmp_path / "toy.gguf", SETTINGS, MATRICES, {})
    monkeypatch.setenv(SETTING, str(path))
    monkeypatch.setattr(asking, "_OPENED", {})
    monkeypatch.setattr(asking, "TURNS", Turns(clock=lambda: clock.now))
    monkeypatch.setattr(asking, "CACHE", AnswerCache())
    with visiting(new_visitor()):
        yield


@pytest.fixture
def toy():
    """Give the test the tiny language model."""
    return asking.model()


def asking_begun(clock, *questions):
    """Return an `Asking`, which holds the questions of one visitor, after it has begun with `questions`."""
    new = Asking(clock=lambda: clock.now)
    new.begin(questions)
    return new


# --- answers ---


def test_an_answer_is_what_the_model_says(toy):
    found, trace = answer(toy, A), run_model(toy, A.tokens, keep=[1])
    powers = np.exp(trace.logits.astype(float))
    shares = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.losses, [-np.log(shares[0, 5]), -np.log(shares[1, 9])], rtol=1e-6)
    assert (found.next_tokens == np.argsort(-shares, axis=1)[:, :10]).all()
    np.testing.assert_allclose(found.probabilities, np.sort(shares, axis=1)[:, :-11:-1], rtol=1e-6)
    assert (found.weights == trace.weights).all()
    assert found.weights is not None
    assert found.weights.shape == (LAYERS, HEADS, 3, 3)
    assert (found.layers[1].q == trace.layers[1].q).all()
    np.testing.assert_allclose(found.layers[1].norms ** 2, (trace.layers[1].x ** 2).sum(axis=1), rtol=1e-5)
    assert not found.losses.flags.writeable


def test_questions_are_equal_if_all_their_fields_are():
    assert Question(tokens=(1,)) == Question(tokens=(1,))
    assert len({Question(tokens=(1,)), Question(tokens=(2,)), Question(tokens=(1,), parts_name="cut")}) == 3
    assert Question(tokens=(1,)) != Question(tokens=(1,), positions=(5,))


# --- turns ---


def test_first_come_first_served():
    line = Turns(clock=lambda: 0.0)
    assert [line.before(who) for who in "abc"] == [0, 1, 2]
    assert [line.before(who) for who in "cab"] == [2, 0, 1]
    line.leave("a")
    assert [line.before(who) for who in "cba"] == [1, 0, 2]
    line.leave("nobody")


def test_a_visitor_who_stops_asking_loses_the_turn(clock):
    line = Turns(clock=lambda: clock.now)
    assert [line.before(who) for who in "ab"] == [0, 1]
    clock.now = answers.PAUSE_ALLOWED
    assert line.before("b") == 1
    clock.now += 0.1
    assert line.before("b") == 0
    assert line.before("a") == 1  # "a" asks again, and is now last in the queue


def test_a_visitor_who_stops_waiting_leaves_the_queue(clock):
    line = Turns(clock=lambda: clock.now)
    assert [line.before(who) for who in "abc"] == [0, 1, 2]
    for _ in range(20):  # "b" asks no more
        clock.now += answers.SILENCE / 10
        line.used("a", answers.SILENCE / 10)
        assert line.before("a") == 0
    assert line.before("c") == 1


def test_a_turn_in_which_the_model_works_has_no_end(clock):
    line = Turns(clock=lambda: clock.now)
    assert [line.before(who) for who in "ab"] == [0, 1]
    for _ in range(100):
        clock.now += 0.2  # works
        line.used("a", 0.2)
        clock.now += 0.3  # is on its way to the browser and back
        assert [line.before(who) for who in "ab"] == [0, 1]


def test_who_was_alone_may_pause(clock):
    line = Turns(clock=lambda: clock.now)
    for _ in range(5):
        assert line.before("a") == 0
        clock.now += answers.SILENCE
    assert [line.before(who) for who in "ab"] == [0, 1]


HONEST = -1  # who calls every 0.1 seconds


@law
@given(st.lists(st.tuples(st.floats(0.1, 2.9), st.floats(0.01, 0.5)), max_size=8), st.floats(0, 5))
@hypothesis.example([(2.7, 0.2)] * 5, 3.0)
def test_nobody_waits_long_for_visitors_for_whom_the_model_rests(others, arrives):
    """`others` has the pause of each other visitor after each part of the work, and how long this part takes."""
    clock = SimpleNamespace(now=0.0)
    line, worked = Turns(clock=lambda: clock.now), 0.0
    calls = [(0.0, who) for who in range(len(others))] + [(arrives, HONEST)]
    while clock.now < 1000:  # in place of for ever
        calls.sort(key=lambda call: call[0])
        at, who = calls.pop(0)
        clock.now = max(clock.now, at)
        has_the_turn = line.before(who) == 0
        if who == HONEST:
            if has_the_turn:
                break
            calls.append((clock.now + 0.1, who))
            continue
        pause, work = others[who]
        if has_the_turn:
            clock.now += work
            line.used(who, work)
            worked += work
        calls.append((clock.now + pause, who))
    rests = answers.PAUSE_ALLOWED + 2 * 0.1
    assert clock.now - arrives < len(others) * rests + (1 + answers.PAUSE_A_SECOND) * worked + 1


# --- asking ---


def test_two_visitors_are_answered_one_after_the_other(clock):
    one, other = asking_begun(clock, A, B), asking_begun(clock, B)
    one.go_on()
    other.go_on()
    assert [*one.answers] == [A]
    assert [*other.answers] == [B]  # the first visitor leaves the queue between two questions
    one.go_on()
    assert one.open_questions == ()
    assert one.answers[B] is other.answers[B]  # the model was asked only once for both visitors


def test_a_slice_ends_and_the_next_goes_on(clock, monkeypatch):
    monkeypatch.setattr(asking, "SLICE", -1.0)
    one, other = asking_begun(clock, A), asking_begun(clock, B)
    one.go_on()
    other.go_on()
    assert (one.done, one.before, other.done, other.before) == (0, 0, 0, 1)
    monkeypatch.setattr(asking, "SLICE", 10.0)
    one.go_on()
    other.go_on()
    assert not one.open_questions + other.open_questions


def test_a_visitor_with_a_new_question_loses_the_turn(clock, monkeypatch):
    monkeypatch.setattr(asking, "SLICE", -1.0)
    one, other = asking_begun(clock, A), asking_begun(clock, B)
    one.go_on()
    other.go_on()
    one.begin((B,))
    other.go_on()
    one.go_on()
    assert (one.before, other.before) == (1, 0)


def test_the_wait_and_the_answer_have_limits(clock, monkeypatch):
    monkeypatch.setattr(asking, "SLICE", -1.0)
    one, other = asking_begun(clock, A), asking_begun(clock, B)
    one.go_on()
    clock.now = asking.LONGEST + 1
    one.go_on()
    assert one.failed == ""  # only computing counts
    one.computed = asking.LONGEST + 1
    one.go_on()
    assert one.failed == (
        "An answer may take 20 seconds of computing. Only 0 layers were done in time. Ask for a shorter text."
    )
    clock.now = asking.PATIENCE + 1
    asking.TURNS.before("somebody")
    other.go_on()
    assert other.failed == "You waited for 60 seconds. People still before you: 1. Ask again in a few minutes."
    assert asking.TURNS.before("next") == 1
    other.begin((B,))
    assert other.open_questions == (B,)


def test_a_model_that_cannot_be_opened_is_said(clock, monkeypatch):
    monkeypatch.setenv(SETTING, "nowhere.gguf")
    one = asking_begun(clock, A)
    one.go_on()
    assert one.failed.startswith("The model’s file nowhere.gguf cannot be opened. ")
    assert asking.TURNS.before("next") == 0


def test_what_fails_keeps_nobody_waiting(clock):
    def wrong(layer, heads):
        raise ZeroDivisionError

    one = asking_begun(clock, replace(A, parts_name="wrong", parts=replace(RIGHT_PARTS, change=wrong)))
    with pytest.raises(ZeroDivisionError):
        one.go_on()
    assert one.steps is None
    assert asking.TURNS.before("next") == 0
    one.begin((A,))
    asking.TURNS.leave("next")
    one.go_on()
    assert one.open_questions == ()


def test_answers_are_kept_within_a_bound(toy):
    size = answer(toy, A).bytes
    kept, questions = (
        AnswerCache(most_bytes=2 * size),
        [Question(tokens=(1, 5, n), weights=True, layers=(1,)) for n in (1, 2, 3)],
    )
    answers: list[Answer] = [answer(toy, A) for _ in questions]
    for question, each in zip(questions, answers, strict=True):
        kept.keep(question, each)
        assert kept.get(questions[0]) or question is questions[2]
    assert [kept.get(question) is not None for question in questions] == [True, False, True]
    assert kept.bytes == 2 * size
