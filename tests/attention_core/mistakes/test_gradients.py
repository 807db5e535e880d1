"""Test the wrong gradients: each makes exactly the mistake that its name says.

Finite differences detect every one of them.
"""

from dataclasses import fields

import numpy as np
import pytest
from scipy.special import softmax

from attention_core import (
    attend,
    attention_gradient,
    causal_mask,
    project_steps,
    projection_gradient,
    softmax_gradient,
    softmax_steps,
)
from attention_core.mistakes import (
    WITH_SWITCH,
    attention_gradient_keys_transposed,
    attention_gradient_without_mask,
    attention_gradient_without_scale,
    projection_gradient_without_sum,
    softmax_gradient_elementwise,
)
from backwards import GRADIENT_CASES, check_present, drawn_inputs, drawn_upstream, finite_differences
from strategies import random_numbers

SQUARE = dict.fromkeys("nmdekc", 3) | {"k": 4}


def random_trace_and_upstream(mask=None, n_k=3):
    """Return a trace (all matrices) of attention on random numbers, and a random gradient of its output."""
    trace = attend(random_numbers(2, 3, 4), random_numbers(2, n_k, 4, seed=1), random_numbers(2, n_k, 5), mask=mask)
    return trace, random_numbers(2, 3, 5, seed=2)


def changed_fields(wrong, right):
    """Return the names of the fields in which two gradients, `wrong` and `right`, differ."""
    return {f.name for f in fields(right) if not np.array_equal(getattr(wrong, f.name), getattr(right, f.name))}


def test_without_the_mask_hidden_scores_get_a_gradient():
    trace, upstream = random_trace_and_upstream(causal_mask(3))
    wrong, right = attention_gradient_without_mask(trace, upstream), attention_gradient(trace, upstream)
    p = softmax(trace.scaled, axis=-1)
    grad_scaled = p * (right.grad_weights - (p * right.grad_weights).sum(axis=-1, keepdims=True))
    np.testing.assert_allclose(wrong.grad_scaled, grad_scaled, rtol=1e-12)
    np.testing.assert_allclose(wrong.grad_q, grad_scaled @ trace.k / 2, rtol=1e-12)
    np.testing.assert_allclose(wrong.grad_k, (grad_scaled / 2).swapaxes(-1, -2) @ trace.q, rtol=1e-12)
    np.testing.assert_allclose(wrong.grad_scale, (grad_scaled * trace.scores).sum(), rtol=1e-12)
    assert (wrong.grad_scaled[:, ~causal_mask(3)] != 0).all()
    assert changed_fields(wrong, right) == {
        "grad_masked",
        "grad_scaled",
        "grad_scores",
        "grad_q",
        "grad_k",
        "grad_scale",
    }


def test_without_a_mask_forgetting_it_changes_nothing():
    trace, upstream = random_trace_and_upstream()
    wrong, right = attention_gradient_without_mask(trace, upstream), attention_gradient(trace, upstream)
    np.testing.assert_allclose(wrong.grad_scores, right.grad_scores, rtol=1e-12)


def test_softmax_taken_elementwise_keeps_the_diagonal_alone():
    trace, upstream = softmax_steps(random_numbers(2, 4), temperature=0.5, base=3), random_numbers(2, 4, seed=1)
    wrong, right = softmax_gradient_elementwise(trace, upstream), softmax_gradient(trace, upstream)
    for row in range(2):
        y, factor = trace.weights[row], np.log(3) / 0.5
        jacobian = factor * (np.diag(y) - np.outer(y, y))
        np.testing.assert_allclose(right.grad_x[row], jacobian @ upstream[row], rtol=1e-12)
        np.testing.assert_allclose(wrong.grad_x[row], np.diag(jacobian) * upstream[row], rtol=1e-12)
    assert (np.abs(wrong.grad_x.sum(axis=1)) > 0.01).all()
    assert changed_fields(wrong, right) == {"grad_x"}


def test_the_scale_left_out_makes_queries_and_keys_root_d_k_times_too_long():
    trace, upstream = random_trace_and_upstream(causal_mask(3))
    wrong, right = attention_gradient_without_scale(trace, upstream), attention_gradient(trace, upstream)
    for name in ("grad_scores", "grad_q", "grad_k"):
        np.testing.assert_allclose(getattr(wrong, name), 2 * getattr(right, name), rtol=1e-12)
    assert changed_fields(wrong, right) == {"grad_scores", "grad_q", "grad_k"}


def test_with_keys_transposed_key_i_gets_row_i_in_place_of_column_i():
    trace, upstream = random_trace_and_upstream()
    wrong, right = attention_gradient_keys_transposed(trace, upstream), attention_gradient(trace, upstream)
    np.testing.assert_allclose(wrong.grad_k[1, 2], right.grad_scores[1, 2] @ trace.q[1], rtol=1e-12)
    np.testing.assert_allclose(right.grad_k[1, 2], right.grad_scores[1, :, 2] @ trace.q[1], rtol=1e-12)
    assert changed_fields(wrong, right) == {"grad_k"}


def test_keys_transposed_needs_as_many_queries_as_keys():
    message = (
        r"grad_scores q needs as many queries as keys, but q is \(2, 3, 4\) and k is \(2, 6, 4\)\. Write grad_scoresᵀ q"
    )
    with pytest.raises(ValueError, match=message):
        attention_gradient_keys_transposed(*random_trace_and_upstream(n_k=6))


def test_without_the_sum_each_sequence_keeps_its_own_gradient():
    trace, upstream = (
        project_steps(random_numbers(5, 3, 4), random_numbers(4, 2), random_numbers(2)),
        random_numbers(5, 3, 2),
    )
    wrong, right = projection_gradient_without_sum(trace, upstream), projection_gradient(trace, upstream)
    assert wrong.grad_w.shape == (5, 4, 2)
    assert check_present(wrong.grad_b).shape == (5, 2)
    np.testing.assert_allclose(wrong.grad_w.sum(axis=0), right.grad_w, rtol=1e-12)
    np.testing.assert_allclose(check_present(wrong.grad_b).sum(axis=0), check_present(right.grad_b), rtol=1e-12)
    assert (trace.w - 0.1 * wrong.grad_w).shape == (5, 4, 2)  # NumPy broadcasts the wrong shape without an error
    assert changed_fields(wrong, right) == {"grad_w", "grad_b"}


def test_with_one_sequence_forgetting_the_sum_changes_nothing():
    trace, upstream = project_steps(random_numbers(3, 4), random_numbers(4, 2)), random_numbers(3, 2)
    wrong, right = projection_gradient_without_sum(trace, upstream), projection_gradient(trace, upstream)
    np.testing.assert_allclose(wrong.grad_w, right.grad_w, rtol=1e-12)
    assert wrong.grad_b is None


@pytest.mark.parametrize(
    ("mistake", "case", "name"),
    [
        (attention_gradient_without_mask, "causal attention", "q"),
        (attention_gradient_without_scale, "attention", "q"),
        (attention_gradient_keys_transposed, "attention", "k"),
        (softmax_gradient_elementwise, "softmax", "x"),
    ],
)
def test_finite_differences_catch_it(mistake, case, name):
    right = GRADIENT_CASES[case]
    inputs = drawn_inputs(right, SQUARE, 0)
    upstream = drawn_upstream(right, inputs, 0)
    expected = finite_differences(right, inputs, upstream, name)
    np.testing.assert_allclose(right.gradients_by_name(inputs, upstream)[name], expected, rtol=1e-5, atol=1e-7)
    wrong = getattr(mistake(right.forward(**inputs), upstream), f"grad_{name}")
    assert np.abs(wrong - expected).max() > 0.01


def test_no_mistake_in_gradients_has_a_switch():
    assert not [mistake for mistake in WITH_SWITCH if "gradient" in mistake.name]
