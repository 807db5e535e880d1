"""Test training on the page: it runs in slices, shows its progress, can be stopped, and is kept for other visitors."""

import re

import pytest

from attention_core.induction.snapshots import STEPS, ModelId
from attention_core.induction.training_run import EVERY, run_after_step, start
from pages.shared.lessons.induction_head import live, models
from simulating import link_of, open_page, page_text, visit_of, visitor_of

PAGE, LAST = "induction_head", STEPS[-1]


@pytest.fixture(autouse=True)
def _nothing_trained():
    """Forget the trained models before and after each test."""
    models.forget_models()
    yield
    models.forget_models()


def button(app, label):
    """Return the button with this label."""
    (found,) = [each for each in app.button if each.label == label]
    return found


def train_on_page(app):
    """Press the button, let the browser's timer tick until the training is finished, and return the app."""
    app = button(app, "Train it now").click().run()
    for _ in range(400):
        if not watched_training(app).goes_on:
            return app.run()
        app = app.run()
    raise AssertionError("the training goes on and on")


def watched_training(app):
    """Return the training that the visitor of `app` watches."""
    return visitor_of(app).kept[live.Watched]


@pytest.mark.long
@pytest.mark.once
def test_a_training_runs_in_slices_to_its_end_and_leaves_all_its_steps():
    app = train_on_page(open_page(PAGE, seed="3", after="160"))
    assert not app.exception
    assert visit_of(app).parameters.after == str(LAST)
    assert models.steps_of(visit_of(app).parameters) == STEPS
    assert len(models.measurements_of(visit_of(app).parameters)) == LAST // EVERY + 1
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
