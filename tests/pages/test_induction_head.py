"""Test the page of the induction model: which model it shows, what it says, its matrices, and training it."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from attention_core.induction.model import ALPHABET, N_SEQUENCES, letters_in, measure, run, symbol_numbers
from attention_core.induction.training import EVERY, SEEDS, STEPS, ModelId, find_model, run_after_step, start
from lit_cells import board_of, reads_of_cell, sent_equations
from pages.induction_head import lesson, live
from pagesutil import KINDS
from simulating import link_of, matrices, open_page, page_text, visit_of, visitor_of

pytestmark = pytest.mark.lowest
PAGE, LAST = "induction_head", STEPS[-1]
DEFAULT: Any = KINDS[PAGE]()


@pytest.fixture(autouse=True)
def _nothing_trained():
    live.forget_models()
    yield
    live.forget_models()


def button(app, label):
    (found,) = [each for each in app.button if each.label == label]
    return found


# --- which model is shown ---


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, ModelId(0, 2, LAST)),
        ({"after": "140"}, ModelId(0, 2, 140)),
        ({"seed": "4", "after": "0"}, ModelId(4, 2, 0)),
        ({"seed": "4", "after": "140"}, ModelId(4, 2, LAST)),
        ({"seed": "4", "layers": "1"}, ModelId(4, 1, 0)),
    ],
)
def test_what_is_not_trained_yet_is_the_next_later_one_or_the_last(asked, found):
    assert live.shown_model(replace(DEFAULT, **asked)) == found


def test_the_page_says_what_has_to_be_trained_first():
    assert f"after 0 and {LAST} steps. **Train it**" in page_text(open_page(PAGE, seed="4"))
    assert "after 0 steps. **Train it**" in page_text(open_page(PAGE, seed="4", layers="1"))
    assert "at hand" not in page_text(open_page(PAGE))


# --- what it says ---


@pytest.mark.parametrize("seed", SEEDS)
def test_the_page_has_the_measured_numbers_of_every_seed(seed):
    app = open_page(PAGE, seed=str(seed))
    found = measure(find_model(ModelId(seed, 2, LAST)))
    assert f"a loss of **{found.loss:.2f}** nats" in page_text(app)
    assert f"**{found.accuracy:.0%}** of the repeated symbols" in page_text(app)
    assert f"{N_SEQUENCES} new sequences" in page_text(app)
    assert "So the model expects **R** next" in page_text(app)


def test_the_page_has_the_weights_of_both_heads_for_this_text():
    first, last = (np.array(matrices(open_page(PAGE))[f"weights_{head}"]["values"]) for head in ("first", "second"))
    back = np.mean([first[i, i - 1] for i in range(1, len(first))])
    told = page_text(open_page(PAGE))
    assert f"Here the first head attends to the letter before with {back:.2f} on average; in the second head" in told
    assert f"the last A attends to R, which followed the first A, with {last[-1, 3]:.2f}." in told
    assert "which followed" not in page_text(open_page(PAGE, text="ABC"))
    assert "Here" not in page_text(open_page(PAGE, text="A"))


@pytest.mark.parametrize("seed", SEEDS)
def test_of_every_seed_the_second_head_finds_what_the_first_has_brought(seed):
    app = open_page(PAGE, seed=str(seed), look="second")
    own, brought, whole = (
        np.array(matrices(app)[name]["values"]) for name in ("scores_own", "scores_brought", "scores_second")
    )
    np.testing.assert_allclose(own + brought, whole)
    assert brought[7].argmax() == 3  # for the last A, the head finds R, which followed the first A
    told = page_text(app)
    assert f"**{brought[7, 3]:.2f}** of it comes from the output of the first head at this" in told
    assert f"{own[7, 3]:.2f} comes from the R itself and its position".replace("-", "−") in told


def test_the_order_of_changes_comes_from_the_measurements():
    told = lesson.first_change_text(live.measurements_of(DEFAULT))
    back, found, fell = (int(step) for step in re.findall(r"\*\*(\d+)\*\*", told))
    assert 0 < back < found <= fell
    assert "Train it" in lesson.first_change_text(live.measurements_of(replace(DEFAULT, seed="4")))


def test_causes_are_named_only_for_a_trained_model():
    table = lesson.causes_table(ModelId(0, 2, LAST))
    assert [line.split(" | ")[2] for line in table.splitlines()[2:]] == [
        f"{measure(find_model(ModelId(0, 2, LAST)), first).accuracy:.2f}" for first in lesson.FIRST
    ] + [f"{measure(find_model(ModelId(0, 1, LAST))).accuracy:.2f}"]
    for seed in SEEDS:
        assert "needs a first head that attends one place back" in lesson.causes_text(ModelId(seed, 2, LAST))
    assert "has not learned its task yet" in lesson.causes_text(ModelId(0, 2, 0))
    assert "a single layer" in lesson.causes_text(ModelId(0, 1, LAST))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_first_head_looks_back_as_far_as_letters_are_read(seed):
    order = np.random.default_rng(0).permuted(np.tile(np.arange(32), (50, 1)), axis=1)
    weights = run(find_model(ModelId(seed, 2, LAST)), order).layers[0].head.weights
    back = np.diagonal(weights, offset=-1, axis1=1, axis2=2).mean(axis=0)
    assert back[: lesson.MOST_LETTERS - 4].min() > 0.5
    assert back[lesson.MOST_LETTERS + 1 :].max() < 0.25


# --- letters ---


def test_letters_are_read_whatever_their_case_and_no_more_than_fit():
    assert lesson.letters_of(replace(DEFAULT, text="b i, r")) == ("B", "I", "R")
    assert len(lesson.letters_of(replace(DEFAULT, text="a" * 30))) == lesson.MOST_LETTERS
    assert "the first 20 letters are read, 10 more are left out" in page_text(open_page(PAGE, text="a" * 30))
    assert "the model does not know `ä7`" in page_text(open_page(PAGE, text="Bär 7"))
    assert lesson.left_out_text(DEFAULT.text) == ""


@pytest.mark.parametrize("text", [" ", "ä !", "7"])
@pytest.mark.parametrize("look", ["learned", "causes", "first", "second"])
def test_without_letters_it_asks_for_some(text, look):
    app = open_page(PAGE, text=text, look=look)
    assert not app.exception
    assert any("Write some letters" in each.value for each in app.info)
    assert matrices(app) == {}


@pytest.mark.parametrize("text", ["A", "AA", "abcdefghijklmnopqrst"])
@pytest.mark.parametrize("look", ["first", "second"])
def test_any_letters_have_their_boards(text, look):
    app = open_page(PAGE, text=text, look=look, first="previous")
    assert not app.exception
    assert f"weights_{look}" in matrices(app)


# --- boards ---


def test_guesses_are_those_of_the_model():
    letters = letters_in(DEFAULT.text)
    trace = run(find_model(ModelId(0, 2, LAST)), symbol_numbers(letters))
    shown = matrices(open_page(PAGE))["guesses"]
    nexts = [*letters[1:], ALPHABET[trace.logits[-1].argmax()]]
    assert shown["rowLabels"] == [f"→ {then}" for then in nexts]
    powers = np.exp(trace.logits)
    shares = powers / powers.sum(axis=1, keepdims=True)
    expected = [[shares[i, ALPHABET.index(then)]] for i, then in enumerate(nexts)]
    np.testing.assert_allclose(shown["values"], expected)
    assert lesson.next_symbols(trace).tolist() == [ALPHABET.index(then) for then in nexts]


def test_replaced_weights_are_computed_from_no_matrix():
    own, replaced = (board_of(sent_equations(open_page(PAGE, **link))) for link in ({}, {"first": "previous"}))
    assert reads_of_cell(("weights_first", 1, 0), own) != []
    assert reads_of_cell(("weights_first", 1, 0), replaced) == []
    assert reads_of_cell(("weights_second", 1, 0), replaced) != []


def test_a_cell_of_the_second_head_has_its_arithmetic():
    app = open_page(PAGE, look="second", cell="scores_second.7.3")
    assert "S_{8,4}" in page_text(app)


def train_on_page(app):
    """Press the button, let the browser's timer tick until the training is finished, and return the app."""
    app = button(app, "Train it now").click().run()
    for _ in range(400):
        if not watched_training(app).goes_on:
            return app.run()
        app = app.run()
    raise AssertionError("the training goes on and on")


def watched_training(app):
    return visitor_of(app).kept[live.Watched]


@pytest.mark.long
def test_a_training_runs_in_slices_to_its_end_and_leaves_all_its_steps():
    app = train_on_page(open_page(PAGE, seed="3", after="160"))
    assert not app.exception
    assert visit_of(app).parameters.after == str(LAST)
    assert live.steps_of(visit_of(app).parameters) == STEPS
    assert len(live.measurements_of(visit_of(app).parameters)) == LAST // EVERY + 1
    assert "train it" not in page_text(app)
    assert not button(app, "Train it now").disabled
    assert watched_training(app).training_run is None
    later = open_page(PAGE, seed="3", after="160")  # another visitor asks for the same training
    assert "After **160 steps**" in page_text(later)


@pytest.mark.long
def test_a_training_shows_how_far_it_is_and_can_be_stopped():
    app = button(open_page(PAGE, seed="2"), "Train it now").click().run()
    assert button(app, "Train it now").disabled
    (bar,) = app.get("progress")
    assert re.match(rf"Seed 2, two layers: step \d+ of {LAST}, loss 3\.\d\d, \d% right", bar.proto.text)
    while watched_training(app).training_run.training.step < STEPS[1]:
        app = app.run()
    app = button(app, "Stop").click().run()
    assert not app.get("progress")
    assert visit_of(app).parameters.after == str(STEPS[1])
    assert link_of(app) == {"seed": "2", "after": str(STEPS[1])}
    assert f"after 0, {STEPS[1]} and {LAST} steps" in page_text(app)


def test_another_training_takes_the_place_of_the_first():
    here = live.Watched()
    here.begin(1, 2)
    here.begin(4, 1)
    assert here.training_run is not None
    assert here.training_run.now == ModelId(4, 1, 0)


def test_slices_of_visitors_take_turns():
    one, other = live.Watched(), live.Watched()
    one.begin(0, 2)
    other.begin(1, 2)
    with live._TURN:
        one.go_on()
    assert one.training_run is not None
    assert one.training_run.training.step == 0
    one.go_on()
    other.go_on()
    assert one.training_run.training.step > 0
    assert not live._TURN.locked()


def test_a_slice_ends_once_its_time_is_over():
    ticks = iter(range(100))
    training_run = live.after_a_slice(start(0, 1), 3, clock=lambda: float(next(ticks)))
    assert training_run.training.step == 2  # the time is measured at the beginning and before each step
    assert live.SLICE <= 0.05


def test_a_course_is_measured_on_its_way_and_changes_nothing_before():
    before = start(5, 1)
    after = before
    for _ in range(EVERY):
        after = run_after_step(after)
    assert [step for step, _ in after.points] == [0, EVERY]
    assert [step for step, _ in before.points] == [0]
    assert set(after.kept) == {0}
