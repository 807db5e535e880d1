"""Test the page "A step of training": its sentences are true, its buttons work, and its exports check themselves."""

import re
from dataclasses import replace
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import torch_on_numpy
from attention_core.examples import EXAMPLES, Example, example
from attention_core.experiments.training import Aim, train, training_trace
from attention_core.mistakes.backward import WRONG_GRADIENTS
from pages.shared.controls import controls_of
from pages.shared.equation import matrices_of
from pages.shared.notation.numbers import significant
from pages.shared.takehome.script import torch_script
from pages.training_step import board, comparisons, state
from pages.training_step.code import INSTEAD
from pages.training_step.state import TrainingState, aim_of, training_state
from pagesutil import KINDS, values_of
from simulating import controls_in_panels, drawn_equations, open_page, page_text, press, visit_of
from strategies import law
from taken_home import screen_at

pytestmark = pytest.mark.lowest


def steps_taken(app):
    return visit_of(app).parameters.taken


def settings(**changed) -> Any:
    """Return the parameters of the page: those in `changed`, and default values for all others."""
    return KINDS["training_step"](**changed)


def test_steps_go_on_and_back_and_begin_again():
    app = open_page("training_step")
    app = press(app, "One step")
    assert steps_taken(app) == 1
    app = press(app, "10 steps")
    assert steps_taken(app) == 11
    app = press(app, "One step back")
    assert steps_taken(app) == 10
    assert steps_taken(press(app, "Start again")) == 0


def numbers_at(**link):
    """Return how many numbers the page shows in the state of this link."""
    lines = [line for lines in drawn_equations(open_page("training_step", **link)).values() for line in lines]
    return sum(m.values[0].size if m.only_row is not None else m.values.size for m in matrices_of(lines))


@pytest.mark.parametrize("look", ["row", "back"])
def test_each_step_of_the_way_back_has_few_numbers(look):
    found = {step: numbers_at(look=look, step=step) for step in board.STEPS}
    assert max(found.values()) <= 150, found
    assert min(found.values()) > 0, found


def test_a_link_from_before_there_were_steps_opens_the_way_back():
    assert list(drawn_equations(open_page("training_step", look="back"))) == ["loss"]


@pytest.mark.parametrize(
    ("step", "about", "shown"),
    [("loss", "softmax", "softmax"), ("loss", "projections", "w_q"), ("size", "softmax", "size"), ("loss", "", "loss")],
)
def test_a_scene_from_before_there_were_steps_shows_what_it_is_about(monkeypatch, step, about, shown):
    monkeypatch.setattr(board, "focus", lambda: about and f"training_step.equation.{about}")
    assert board.step_shown(settings(step=step)) == shown


@pytest.mark.parametrize("link", [{}, {"token": "0", "target": "0"}, {"example": "french"}, {"taken": "5"}], ids=str)
def test_the_gradient_of_w_q_is_the_row_of_x_times_the_gradient_of_the_query(link):
    """Check the last line of the equation: (row of X)ᵀ times the gradient of the query is the gradient of W^Q."""
    app = open_page("training_step", step="w_q", **link)
    found = {m.id: m for m in matrices_of(drawn_equations(app)["row"])}
    token = found["grad_q"].only_row
    row = visit_of(app).example.x[token]
    np.testing.assert_allclose(np.outer(row, found["grad_q"].values[token]), found["grad_w_q"].values, atol=1e-12)


def test_the_named_token_has_the_lowest_gradient_and_it_is_negative():
    """Check the token that the page names: more attention to this token would reduce the loss most."""
    here = training_trace(example("story"), Aim(token=4, target=1))
    said = board.row_text("values", here, example("story"), settings())
    named = re.search(r"attention weight for “(\w+)” gets the gradient \*\*\$?(\S+?)\$?\*\*", said)
    assert named is not None
    column = example("story").key_tokens.index(named[1])
    assert float(named[2].replace("−", "-")) == pytest.approx(here.back.grad_weights[4, column], abs=0.01)
    assert here.back.grad_weights[4, column] == here.back.grad_weights[4].min() < 0


def test_the_settings_are_in_a_fold_that_says_how_many_are_changed():
    app = open_page("training_step", mask="causal", token="0")
    assert {"mask", "rate"}.isdisjoint(controls_in_panels(app))
    folds = [*app.expander, *app.status]  # with an icon, AppTest of older versions takes a fold for a status
    assert [fold.label for fold in folds if "trained" in fold.label] == ["What is trained, and how: 2 changed"]
    app.session_state["training_settings"] = True
    assert {"mask", "rate", "learns", "times"} <= controls_in_panels(app.run()).keys()


@pytest.mark.parametrize("taken", [0, 1, 5, 9, 10, 23])
@pytest.mark.parametrize("name", ["story", "wide"])
def test_a_training_that_is_continued_is_the_same_as_one_from_the_beginning(name, taken):
    parameters = settings(taken=taken)
    here, aim = training_state(parameters, example(name)), aim_of(parameters, example(name))
    trained = train(example(name), aim, lr=parameters.rate, steps=taken)
    np.testing.assert_allclose(here.losses, trained.losses, rtol=0, atol=1e-12)
    np.testing.assert_allclose(here.example.w_q, trained.example.w_q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        here.trace.back.grad_w_v, training_trace(trained.example, aim).back.grad_w_v, rtol=0, atol=1e-12
    )


def test_a_later_training_takes_only_the_steps_that_nobody_has_taken(monkeypatch):
    taken, shown = [], settings(rate=0.01, taken=98)
    monkeypatch.setattr(state, "train", lambda *given, **more: taken.append(more["steps"]) or train(*given, **more))
    training_state(shown, example("story"))
    assert sum(taken) == 98
    taken.clear()
    training_state(replace(shown, taken=99), example("story"))
    assert sum(taken) < state.KEPT_EVERY


MOST_NUMBERS = 10_000_000  # of W^Q, in all forward passes of one page


@law
@given(st.sampled_from(["heads_512", "wide", "story"]), st.fixed_dictionaries({
    name: values_of(controls_of(KINDS["training_step"])[name]) for name in ("taken", "look", "wrong", "learns", "rate")
}))  # fmt: skip
@hypothesis.example("heads_512", {"taken": 200, "look": "learned", "rate": 0.1})
@hypothesis.example("heads_512", {"taken": 199, "look": "check", "wrong": "tokens_not_summed"})
def test_a_page_computes_no_more_than_its_budget(name, chosen):
    computed, attention = [], Example.attention

    def counted(self, **given):
        computed.append(self.w_q.size)
        return attention(self, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Example, "attention", counted)
        link = {name: str(value) for name, value in chosen.items()}
        app = open_page("training_step", **link, example=name)
    assert not app.exception
    assert sum(computed) < MOST_NUMBERS


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_comparison_with_a_mistake_takes_as_many_steps_as_it_says(name):
    here, wrong = training_state(settings(), example(name)), WRONG_GRADIENTS[0]
    found = state.wrong_gradients(wrong, here.trace)
    said = state._verdict_text(wrong, here, found, 0.1)
    steps = state.compared_steps(example(name))
    assert 1 <= steps <= 50
    losses = [train(example(name), here.trace.aim, lr=0.1, steps=steps, **more).losses[-1]
              for more in ({"backward_pass": wrong.gradient}, {})]  # fmt: skip
    assert f"After {steps} more steps the loss is **{significant(losses[0])}**" in said
    assert f"and {significant(losses[1])} without" in said


def test_the_last_step_is_the_last():
    app = open_page("training_step", taken="200")
    assert all(controls_in_panels(app)[label]["disabled"] for label in ("One step", "10 steps"))


def test_what_was_learned_is_a_result_and_cannot_be_edited():
    for link, editable in (({}, True), ({"taken": "1"}, False), ({"taken": "1", "learns": "what"}, True)):
        lines = drawn_equations(open_page("training_step", step="w_q", look="back", **link))["projections"]
        (w_q,) = [m for line in lines for m in line.items if getattr(m, "id", "") == "w_q"]
        assert w_q.editable == editable


@pytest.mark.parametrize("name", EXAMPLES)
def test_sentences_about_large_scores_are_true(name):
    found = comparisons.sharpness(example(name), Aim(token=0, target=0))
    said = comparisons.large_scores_text(found, "it")
    dies = found[10.0].gradients["w_q"] < found[1.0].gradients["w_q"] / 10
    assert said.startswith("**Large scores stop learning.**") == dies


# the steps of the example "heads_512" take long
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "heads_512"])
def test_where_values_learn_alone_no_weight_moves_and_the_other_way_round(name):
    found = comparisons.changes_by_learned_matrices(example(name), Aim(token=0, target=0), 0.1)
    assert found["what"].weights_moved == 0 < found["what"].values_moved
    assert found["where"].values_moved == 0


@pytest.mark.parametrize("name", ["story", "hand", "columns", "french"])
def test_the_measured_change_agrees_with_the_gradient(name):
    this = example(name)
    here = TrainingState(this, training_trace(this, Aim(token=0, target=0)), np.zeros(1))
    for each in comparisons.nudge_each_matrix(here, ("w_v", 0, 1)):
        measured, foretold = each.slopes
        assert measured == pytest.approx(foretold, abs=0.01)
    assert comparisons.nudge_each_matrix(here, ("w_v", 0, 1))[0].name == "w_v"


def test_the_selected_weight_is_the_one_that_is_moved():
    assert "$W^K_{1,2}$" in page_text(open_page("training_step", look="check", cell="w_k.0.1"))


def test_each_mistake_has_its_lines():
    assert INSTEAD.keys() == {wrong.name for wrong in WRONG_GRADIENTS}


def test_a_mistake_that_shapes_forbid_says_so():
    app = open_page("training_step", example="french", wrong="keys_transposed")
    assert not app.exception
    assert any("as many queries as keys" in warning.value for warning in app.warning)


def test_a_mask_that_hides_nothing_cannot_be_forgotten():
    assert "changes **nothing**. It needs a mask" in page_text(open_page("training_step", wrong="mask_forgotten"))


@pytest.mark.parametrize("link", [{}, {"layout": "columns", "taken": "3"}, {"mask": "causal", "token": "1"}], ids=str)
def test_the_script_in_pytorch_asks_autograd(link):
    text = torch_script(screen_at("training_step", **link))
    assert re.search(r"loss_of\(\*learned\)\.backward\(\)", text)
    assert "theirs.grad" in text
    assert text.rstrip().endswith('is the page’s.")') or text.rstrip().endswith('the one on the page.")')
    compile(text, "script", "exec")


@pytest.mark.parametrize("link", [{}, {"layout": "columns", "taken": "3"}, {"mask": "causal", "token": "1"}], ids=str)
def test_the_script_in_pytorch_compares_each_gradient_with_that_of_its_matrix(link):
    """Check that the PyTorch script compares each of PyTorch's gradients with the gradient of the same matrix.

    Finite differences give the gradients that PyTorch would compute.
    """
    text, by = torch_script(screen_at("training_step", **link)), 1e-6
    before, proof = text.split("learned = [")
    _, names = torch_on_numpy.run_on_numpy(before)
    (learned,), (ours,) = (
        re.findall(r"for matrix in \((.*?)\)\]", proof),
        re.findall(r"in zip\(\((.*?)\), learned\)", proof),
    )
    matrices = [names[name] for name in learned.split(", ")]
    for place, (matrix, gradient) in enumerate(zip(matrices, ours.split(", "), strict=True)):
        for index in np.ndindex(matrix.shape):
            ends = []
            for step in (by, -by):
                moved = matrix.clone()
                moved[index] += step
                ends.append(float(names["loss_of"](*matrices[:place], moved, *matrices[place + 1 :])))
            assert (ends[0] - ends[1]) / (2 * by) == pytest.approx(float(names[gradient][index]), abs=1e-6)


def test_the_page_of_scaling_leads_here():
    app = open_page("scaling", look="weights")
    assert any("A step of training" in link.proto.label for link in app.get("page_link"))


@pytest.mark.parametrize("name", ["story", "columns", "context", "book"])
@pytest.mark.parametrize("learns", ["all", "what", "where"])
def test_one_step_further_is_what_the_next_step_takes(name, learns):
    shown = settings(look="losses", taken=2, rate=0.5, learns=learns)
    here = training_state(shown, example(name))
    after = board.matrices_after_step(here.example, here.trace, shown.rate)
    then = training_state(settings(look="losses", taken=3, rate=0.5, learns=learns), example(name))
    assert after["loss"].values.item() == pytest.approx(then.losses[-1], abs=1e-12)
    np.testing.assert_allclose(after["probabilities"].values, then.trace.loss.probabilities, rtol=0, atol=1e-12)
