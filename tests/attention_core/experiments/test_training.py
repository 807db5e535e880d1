"""Test a step of training: every step lowers the loss, each matrix learns its own part, and wrong gradients differ.

Also the steps of the path.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax as scipy_softmax

from attention_core.arithmetic import evaluate, explain_all
from attention_core.arithmetic.training_rules import path_rules, plain_softmax_rules, training_rules
from attention_core.examples import EXAMPLES, example
from attention_core.experiments.training import (
    LEARNING,
    Aim,
    attention_in_two_orders,
    median_largest_weights,
    nudged_loss,
    path_steps,
    random_scores,
    share_of_large_weights,
    take_step,
    train,
    train_at_the_end,
    training_trace,
)
from attention_core.gradients.parts import softmax_jacobian
from attention_core.mistakes.backward import WRONG_GRADIENTS
from strategies import law

RATES = (0.01, 0.03, 0.1, 0.3, 1.0)
SMALL = [name for name in EXAMPLES if example(name).w_q.size <= 64]
BY_NAME = {wrong.name: wrong for wrong in WRONG_GRADIENTS}
BEFORE = Aim(token=1, target=1, mask="causal")


@pytest.mark.many
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", EXAMPLES)
def test_fifty_steps_lower_the_loss(name, rate):
    this = example(name)
    # 5 steps for the widest example, because each of its steps takes long
    steps = 50 if this.w_q.size <= 64 * 64 else 5
    for times, token, mask in ((1.0, 0, "none"), (1.0, len(this.tokens) - 1, "causal"), (10.0, 0, "none")):
        losses = train(this, Aim(token=token, target=1, times=times, mask=mask), lr=rate, steps=steps).losses
        assert losses[-1] < losses[0]


@pytest.mark.parametrize("aim", [BEFORE, Aim(token=0, target=0, times=10.0)], ids=["masked", "large"])
@pytest.mark.parametrize("name", SMALL)
def test_a_gradient_is_what_a_nudge_measures(name, aim):
    this = example(name)
    back = training_trace(this, aim).back
    for matrix in LEARNING["all"]:
        gradient = getattr(back, f"grad_{matrix}")
        for i, j in np.ndindex(gradient.shape):
            up, down = (nudged_loss(this, aim, matrix, i, j, by) for by in (1e-5, -1e-5))
            assert (up - down) / 2e-5 == pytest.approx(gradient[i, j], abs=1e-6)


@pytest.mark.parametrize("name", SMALL)
def test_learning_what_keeps_the_weights_and_learning_where_keeps_the_values(name):
    this, aim = example(name), Aim(token=0, target=0)
    before = training_trace(this, aim).forward
    for learns, stays in (("what", "weights"), ("where", "v")):
        after = training_trace(train(this, replace(aim, learns=learns), lr=0.1, steps=5).example, aim).forward
        np.testing.assert_array_equal(getattr(after, stays), getattr(before, stays))
        assert not np.array_equal(after.output, before.output)


@law
@given(
    st.sampled_from([name for name in EXAMPLES if name != "heads_512"]),
    st.builds(Aim, token=st.integers(0, 1), target=st.integers(0, 1), mask=st.sampled_from(["none", "causal"]),
              times=st.sampled_from([1.0, 10.0]), learns=st.sampled_from(sorted(LEARNING))),
    st.sampled_from(RATES),
    st.integers(0, 12),
)  # fmt: skip
def test_changing_the_matrices_at_the_end_is_the_same_training(name, aim, rate, steps):
    every_step, at_the_end = (f(example(name), aim, lr=rate, steps=steps) for f in (train, train_at_the_end))
    np.testing.assert_allclose(at_the_end.losses, every_step.losses, atol=1e-10)
    for matrix in LEARNING["all"]:
        found, wanted = (getattr(each.example, matrix) for each in (at_the_end, every_step))
        np.testing.assert_allclose(found, wanted, atol=1e-10)


def test_a_step_takes_off_the_gradient_times_the_rate():
    this = example("story")
    trace = training_trace(this, BEFORE)
    after = take_step(this, trace, 0.1)
    for name in LEARNING["all"]:
        expected = getattr(this, name) - 0.1 * getattr(trace.back, f"grad_{name}")
        np.testing.assert_allclose(getattr(after, name), expected)
    assert after.x is this.x


@pytest.mark.parametrize("aim", [BEFORE, Aim(token=0, target=0, times=10.0)], ids=["masked", "large"])
@pytest.mark.parametrize("name", SMALL)
def test_every_cell_is_what_its_arithmetic_gives(name, aim):
    worked = training_rules(training_trace(example(name), aim))
    for matrix in worked.rules:
        if matrix.startswith("grad_") or matrix in ("probabilities", "targets", "jacobian"):
            for cell in explain_all(worked, matrix):
                assert evaluate(cell.term) == pytest.approx(cell.value, abs=1e-12), (matrix, cell.index)


def test_the_jacobian_gives_the_gradient_of_one_row():
    trace = training_trace(example("story"), Aim(token=4, target=1))
    row, arrives = trace.forward.weights[4], trace.back.grad_weights[4]
    np.testing.assert_allclose(arrives @ softmax_jacobian(row), trace.back.grad_scaled[4], atol=1e-12)


def test_with_large_scores_the_gradient_of_w_q_is_almost_0():
    usual, large = (training_trace(example("story"), Aim(token=4, target=1, times=t)).back for t in (1.0, 10.0))
    assert np.abs(large.grad_w_q).max() < 1e-6 < 0.4 < np.abs(usual.grad_w_q).max()
    assert np.abs(large.grad_w_v).max() > 0.5


def test_masked_scores_have_gradient_0():
    trace = training_trace(example("story"), BEFORE)
    forbidden = np.isneginf(trace.forward.masked)
    assert forbidden.any()
    assert not trace.back.grad_scaled[forbidden].any()


def test_a_token_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="token must be from 0 to 4; got 9: there are no more"):
        training_trace(example("story"), Aim(token=9, target=0))


# --- mistakes: each once more from its description ---


def _both_passes(example, aim):
    trace = training_trace(example, aim)
    return trace.forward, trace.back


def _gradients_from_scores(forward, grad_scores, grad_k=None):
    grad_q = grad_scores @ forward.k
    grad_k = grad_scores.T @ forward.q if grad_k is None else grad_k
    return {"w_q": forward.x.T @ grad_q, "w_k": forward.x.T @ grad_k}


def _gradients_elementwise(t, back):
    return _gradients_from_scores(t, (t.weights - t.weights**2) * back.grad_weights * t.scale)


def _gradients_unmasked(t, back):
    p = np.exp(t.scaled) / np.exp(t.scaled).sum(axis=1, keepdims=True)
    rows = [row @ (np.diag(a) - np.outer(a, a)) for a, row in zip(p, back.grad_weights, strict=True)]
    return _gradients_from_scores(t, np.array(rows) * t.scale)


EXPECTED = {
    "elementwise_softmax": _gradients_elementwise,
    "scale_left_out": lambda t, back: {"w_q": back.grad_w_q / t.scale, "w_k": back.grad_w_k / t.scale},
    "keys_transposed": lambda t, back: _gradients_from_scores(t, back.grad_scores, back.grad_scores @ t.q),
    "tokens_not_summed": lambda t, back: {
        "w_q": np.outer(t.x[-1], back.grad_q[-1]),
        "w_k": np.outer(t.x[-1], back.grad_k[-1]),
        "w_v": np.outer(t.x[-1], back.grad_v[-1]),
    },
    "mask_forgotten": _gradients_unmasked,
}


@pytest.mark.parametrize("wrong", WRONG_GRADIENTS, ids=lambda wrong: wrong.name)
def test_each_wrong_backward_pass_gives_its_expected_gradients(wrong):
    forward, right = _both_passes(example("story"), BEFORE)
    found, expected = wrong.gradient(forward, right.grad_output), EXPECTED[wrong.name](forward, right)
    for name in LEARNING["all"]:
        there = expected.get(name, getattr(right, f"grad_{name}"))
        np.testing.assert_allclose(getattr(found, f"grad_{name}"), there, atol=1e-12, err_msg=name)
    assert any(np.abs(values - getattr(right, f"grad_{name}")).max() > 0.01 for name, values in expected.items())


def test_transposing_keys_wrongly_needs_as_many_queries_as_keys():
    forward, right = _both_passes(example("french"), Aim(token=0, target=0))
    with pytest.raises(ValueError, match="as many queries as keys"):
        BY_NAME["keys_transposed"].gradient(forward, right.grad_output)


STORY = example("story")
STEPS = path_steps(STORY)
IT = 4


def test_the_row_of_it_is_most_like_itself():
    np.testing.assert_array_equal(STEPS.overlaps[IT], [0, 0, 0, 1, 2])


def test_undivided_weights_are_powers_over_their_sum():
    powers = np.exp([6.0, 2, 2, 0, 0])
    np.testing.assert_allclose(STEPS.powers[IT], powers)
    np.testing.assert_allclose(STEPS.plain.weights[IT], powers / powers.sum())


def test_columns_and_width_agree_with_scipy():
    scores = STEPS.attention.scores
    np.testing.assert_allclose(STEPS.by_columns, scipy_softmax(scores, axis=0))
    np.testing.assert_allclose(STEPS.by_width, scipy_softmax(scores / 4, axis=1))


def test_the_output_is_added_to_the_row():
    cat, drank, milk, _, it = np.exp([3, 1, 1, 0, 0]) / np.exp([3, 1, 1, 0, 0]).sum()
    who, what = cat * 2 + it * 1, drank * 1 + milk * 2
    np.testing.assert_allclose(STEPS.summed[IT], [who, what, what, 1, 1, 0])


def test_a_mask_before_softmax_keeps_rows_at_1_and_one_after_it_does_not():
    np.testing.assert_allclose(STEPS.masked.weights.sum(axis=1), 1)
    assert STEPS.masked_late.sum(axis=1)[1] < 0.5
    assert not np.triu(STEPS.masked.weights, 1).any()
    assert not np.triu(STEPS.masked_late, 1).any()


def test_the_order_matters_only_with_positions():
    plain, placed = (attention_in_two_orders(STORY, positions=positions) for positions in (False, True))
    np.testing.assert_allclose(plain.shuffled.output[IT], plain.original.output[IT])
    assert abs(placed.shuffled.output[IT] - placed.original.output[IT]).max() > 1


@pytest.mark.parametrize("draw", range(3))
def test_random_scores_are_divided_by_8(draw):
    drawn = random_scores(draw)
    np.testing.assert_allclose(drawn.scaled * 8, drawn.scores)
    np.testing.assert_allclose(drawn.weights_plain, scipy_softmax(drawn.scores, axis=1))
    np.testing.assert_allclose(drawn.weights, scipy_softmax(drawn.scores / 8, axis=1))


def test_medians_of_other_random_numbers_agree():
    """Check the two medians of the largest weight that the page “The path” shows, with and without scaling."""
    rng = np.random.default_rng(11)
    scores = np.sqrt(rng.chisquare(64, (20_000, 1))) * rng.standard_normal((20_000, 5))
    plain, divided = (np.median(scipy_softmax(scores / by, axis=1).max(axis=1)) for by in (1, 8))
    np.testing.assert_allclose(median_largest_weights(), (plain, divided), atol=0.012)


@pytest.mark.parametrize("edit", [{}, {"w_q": STORY.w_q * 300}], ids=["as it is", "scores too large for powers"])
def test_the_arithmetic_of_every_cell_gives_its_number(edit):
    steps = path_steps(STORY.with_matrices(edit))
    for worked in (path_rules(steps, STORY.w_o), plain_softmax_rules(steps)):
        for name in worked.rules.keys() & {"overlaps", "mixed", "summed", "powers", "weights"}:
            for cell in explain_all(worked, name):
                np.testing.assert_allclose(evaluate(cell.term), cell.value, rtol=1e-9, atol=1e-12, err_msg=name)


def test_the_share_of_large_weights_agrees_with_other_random_numbers():
    rng = np.random.default_rng(12)
    scores = np.sqrt(rng.chisquare(64, (20_000, 1))) * rng.standard_normal((20_000, 5))
    plain, divided = ((scipy_softmax(scores / by, axis=1).max(axis=1) > 0.9).mean() for by in (1, 8))
    np.testing.assert_allclose(share_of_large_weights(0.9), (plain, divided), atol=0.02)
