"""Test the gradients of softmax, projection and cross-entropy: numbers by hand, and gradients that must be 0."""

from __future__ import annotations

import json
import re
from dataclasses import FrozenInstanceError, fields
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attention_core import (
    adam_step,
    attend,
    attention_gradient,
    causal_mask,
    cross_entropy,
    cross_entropy_gradient,
    project_steps,
    projection_gradient,
    self_attention,
    self_attention_gradient,
    sgd_step,
    softmax_gradient,
    softmax_steps,
    swiglu,
)
from attention_core.gradients.parts import summed_to
from backwards import GRADIENT_CASES, arrays_in, drawn_inputs, drawn_upstream, finite_differences, sizes
from notebooks import DATA
from strategies import law, matrices, numbers, random_numbers, read_only

LN2 = np.log(2)
seeds = st.integers(0, 99)


# --- softmax ---


def test_softmax_by_hand():
    gradient = softmax_gradient(softmax_steps([LN2, 0, 0]), [4, 0, 8])
    np.testing.assert_allclose(gradient.average, [4])  # the average is 1/2 · 4 + 1/4 · 0 + 1/4 · 8
    np.testing.assert_allclose(gradient.grad_x, [0, -1, 1])


def test_softmax_in_base_2_at_temperature_3():
    gradient = softmax_gradient(softmax_steps([3, 0, 0], temperature=3, base=2), [4, 0, 8])
    np.testing.assert_allclose(gradient.grad_x, np.array([0, -1, 1]) * LN2 / 3)


@law
@given(matrices(limit=5.0), st.sampled_from([0, 1, -1, None]), seeds)
def test_the_gradient_of_a_softmax_sums_to_0(x, axis, seed):
    gradient = softmax_gradient(softmax_steps(x, axis), random_numbers(*x.shape, seed=seed))
    np.testing.assert_allclose(gradient.grad_x.sum(axis=axis), 0, atol=1e-12)


@law
@given(matrices(limit=5.0), numbers())
def test_the_gradient_of_a_softmax_is_0_for_a_constant_incoming_gradient(x, constant):
    np.testing.assert_allclose(softmax_gradient(softmax_steps(x), np.full(x.shape, constant)).grad_x, 0, atol=1e-12)


def test_softmax_gradient_of_minus_infinity_is_0():
    x = np.array([[0, -np.inf, 1], [-np.inf] * 3])
    gradient = softmax_gradient(softmax_steps(x), random_numbers(2, 3)).grad_x
    assert gradient[0, 1] == 0
    assert (gradient[1] == 0).all()


# --- projection ---


def test_projection_by_hand():
    gradient = projection_gradient(
        project_steps([[1, 2], [3, 4]], [[5, 6, 7], [8, 9, 0]], [0, 0, 0]), [[1, 0, 0], [0, 10, 100]]
    )
    np.testing.assert_array_equal(gradient.grad_x, [[5, 8], [760, 90]])
    np.testing.assert_array_equal(gradient.grad_w, [[1, 30, 300], [2, 40, 400]])
    np.testing.assert_array_equal(gradient.grad_b, [1, 10, 100])


def test_a_projection_without_a_bias_has_no_gradient_of_a_bias():
    assert projection_gradient(project_steps([[1]], [[1]]), [[1]]).grad_b is None


@pytest.mark.parametrize("shape", [(3,), (1,), (2, 3), (1, 3), (2, 1), (4, 2, 3), (1, 2, 1)])
def test_summed_to_undoes_broadcasting(shape):
    gradient, small = random_numbers(4, 2, 3), random_numbers(*shape, seed=1)
    gathered = summed_to(gradient, shape)
    assert gathered.shape == shape
    np.testing.assert_allclose((gathered * small).sum(), (gradient * small).sum(), rtol=1e-12)


# --- cross-entropy ---


def test_cross_entropy_by_hand():
    trace = cross_entropy([[LN2, 0, 0], [0, 0, 0]], [1, 2])
    gradient = cross_entropy_gradient(trace)
    np.testing.assert_allclose(gradient.grad_losses, [1 / 2, 1 / 2])
    np.testing.assert_allclose(gradient.grad_logits, [[1 / 4, -3 / 8, 1 / 8], [1 / 6, 1 / 6, -1 / 3]])
    np.testing.assert_allclose(cross_entropy_gradient(trace, 6).grad_logits, 6 * gradient.grad_logits)


@law
@given(matrices(limit=50.0), seeds)
def test_the_gradients_of_a_row_of_logits_sum_to_0(logits, seed):
    targets = np.random.default_rng(seed).integers(0, logits.shape[1], len(logits))
    gradient = cross_entropy_gradient(cross_entropy(logits, targets)).grad_logits
    np.testing.assert_allclose(gradient.sum(axis=1), 0, atol=1e-15)
    assert (gradient[np.arange(len(logits)), targets] <= 0).all()


def test_an_ignored_row_has_gradient_0():
    logits, targets = random_numbers(2, 3, 4), np.array([[0, 1, 2], [3, 0, 1]])
    counted = np.array([[True, False, True], [False, False, True]])
    gradient = cross_entropy_gradient(cross_entropy(logits, targets, counted))
    assert (gradient.grad_logits[~counted] == 0).all()
    alone = cross_entropy_gradient(cross_entropy(logits[counted], targets[counted]))
    np.testing.assert_allclose(gradient.grad_logits[counted], alone.grad_logits, rtol=1e-12)


of_every_case = pytest.mark.parametrize("case", GRADIENT_CASES.values(), ids=GRADIENT_CASES)
of_batches = pytest.mark.parametrize("case", [case for case in GRADIENT_CASES.values() if case.result != "loss"])
dozen = settings(law, max_examples=12)
FIXED = {"n": 3, "m": 4, "d": 4, "e": 2, "k": 3, "c": 5}


def fixed_inputs_and_upstream(case, batch=()):
    """Return random inputs for `case` that are the same in every run, and a random gradient of its output."""
    inputs = drawn_inputs(case, FIXED, 0, batch)
    return inputs, drawn_upstream(case, inputs, 0)


@of_every_case
@dozen
@given(sizes(), seeds, st.sampled_from([(), (2,)]))
def test_equals_finite_differences(case, lengths, seed, batch):
    inputs = drawn_inputs(case, lengths, seed, batch)
    upstream = drawn_upstream(case, inputs, seed)
    for name, found in case.gradients_by_name(inputs, upstream).items():
        expected = finite_differences(case, inputs, upstream, name)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7, strict=True, err_msg=name)


@of_every_case
@law
@given(sizes(), seeds, st.floats(-3, 3), st.floats(-3, 3))
def test_is_linear_in_the_incoming_gradient(case, lengths, seed, a, b):
    inputs = drawn_inputs(case, lengths, seed)
    one, other = drawn_upstream(case, inputs, seed), drawn_upstream(case, inputs, seed + 1)
    first, second = case.gradients_by_name(inputs, one), case.gradients_by_name(inputs, other)
    for name, found in case.gradients_by_name(inputs, a * one + b * other).items():
        np.testing.assert_allclose(found, a * first[name] + b * second[name], rtol=1e-9, atol=1e-12, err_msg=name)


@pytest.mark.many
@of_batches
@law
@given(sizes(), seeds)
def test_gradients_of_a_batch_are_those_of_its_sequences_and_shared_inputs_get_the_sum(case, lengths, seed):
    inputs = drawn_inputs(case, lengths, seed, (2, 3))
    upstream = drawn_upstream(case, inputs, seed)
    together = case.gradients_by_name(inputs, upstream)
    shared = {name: 0 for name in inputs}
    for index in np.ndindex(2, 3):
        own = {name: array[index] if "…" in case.letters[name] else array for name, array in inputs.items()}
        for name, found in case.gradients_by_name(own, upstream[index]).items():
            shared[name] = shared[name] + found
            if "…" in case.letters[name]:
                np.testing.assert_allclose(together[name][index], found, rtol=1e-9, atol=1e-12, err_msg=name)
    for name in case.letters:
        if "…" not in case.letters[name]:
            np.testing.assert_allclose(together[name], shared[name], rtol=1e-9, atol=1e-11, err_msg=name)


@of_every_case
def test_float32_in_float32_out(case):
    inputs, upstream = fixed_inputs_and_upstream(case, (2,))
    narrow = {name: array.astype(np.float32) for name, array in inputs.items()}
    for arriving in (upstream.astype(np.float32), upstream):
        gradient = case.back(narrow, arriving)
        assert {array.dtype for array in arrays_in(gradient)} == {np.dtype(np.float32)}
    for name, found in case.gradients_by_name(narrow, upstream).items():
        np.testing.assert_allclose(
            found, case.gradients_by_name(inputs, upstream)[name], rtol=1e-3, atol=1e-4, err_msg=name
        )


@of_every_case
def test_an_incoming_gradient_may_be_integers(case):
    inputs, upstream = fixed_inputs_and_upstream(case)
    whole = np.ones(upstream.shape, dtype=int)
    for name, found in case.gradients_by_name(inputs, whole.tolist()).items():
        np.testing.assert_array_equal(found, case.gradients_by_name(inputs, np.ones(upstream.shape))[name])


@of_every_case
def test_the_trace_of_a_gradient_is_frozen(case):
    gradient = case.back(*fixed_inputs_and_upstream(case))
    with pytest.raises(FrozenInstanceError):
        setattr(gradient, fields(gradient)[0].name, 0)
    assert not hasattr(gradient, "__dict__")


@of_every_case
def test_an_incoming_gradient_of_another_shape_is_refused(case):
    inputs, upstream = fixed_inputs_and_upstream(case)
    for received in [(2, *upstream.shape), tuple(length + 1 for length in upstream.shape) or (1,)]:
        message = f"upstream must have the shape of the output; got upstream {received}, output {upstream.shape}: give"
        with pytest.raises(ValueError, match=re.escape(message)):
            case.back(inputs, np.ones(received))


@of_every_case
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_an_incoming_gradient_that_is_not_finite_is_refused(case, bad):
    inputs, upstream = fixed_inputs_and_upstream(case)
    broken = np.array(upstream)
    broken[(0,) * broken.ndim] = bad
    with pytest.raises(ValueError, match=f"upstream must be finite; got {bad}"):
        case.back(inputs, broken)


FOLDER = DATA / "gradients"
CASES = {case["name"]: case for case in json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["cases"]}
BIASES = ("b_q", "b_k", "b_v")


@cache
def archive(file):
    """Return the arrays of `file`, one of the data files with test cases, by name."""
    with np.load(FOLDER / file) as arrays:
        return dict(arrays)


def arrays_of(case, slots):
    """Return the input arrays or the output arrays of a test case, by name. `slots` is "inputs" or "outputs"."""
    return {slot: read_only(archive(case["file"])[entry["key"]]) for slot, entry in case[slots].items()}


def mask_of_case(attrs, x):
    """Return a causal mask for the tokens `x` if the options `attrs` ask for one, or None."""
    return causal_mask(x.shape[-2]) if attrs["causal"] else None


def run_softmax(attrs, arrays):
    """Return the core's softmax and its gradient for one test case. The expected results come from PyTorch."""
    trace = softmax_steps(arrays["x"], attrs["axis"])
    return trace.weights, softmax_gradient(trace, arrays["upstream"])


def run_attention(attrs, arrays):
    """Return the core's output of attention and its gradients for one test case."""
    trace = attend(arrays["q"], arrays["k"], arrays["v"], mask=arrays.get("mask"), scale=attrs.get("scale"))
    return trace.output, attention_gradient(trace, arrays["upstream"])


def run_self_attention(attrs, arrays):
    """Return the core's output of self-attention and its gradients for one test case."""
    matrices = [arrays[name] for name in ("x", "w_q", "w_k", "w_v")]
    optional = {name: arrays.get(name) for name in (*BIASES, "context")}
    trace = self_attention(*matrices, **optional, mask=mask_of_case(attrs, arrays["x"]))
    return trace.output, self_attention_gradient(trace, arrays["upstream"])


def run_cross_entropy(_, arrays):
    """Return the core's cross-entropy and its gradient with respect to the logits, for one test case."""
    trace = cross_entropy(arrays["logits"], arrays["targets"])
    return trace.loss, cross_entropy_gradient(trace)


def run_swiglu(_, arrays):
    """Return the core's output of SwiGLU for one test case, and None, because the core has no gradient of SwiGLU."""
    return swiglu(**arrays).output, None


def run_optimizer(attrs, arrays):
    """Return the parameter after each step of the core's SGD or Adam as one array, and None in place of a gradient."""
    steps = sgd_steps if attrs["optimizer"] == "sgd" else adam_steps
    options = {name: value for name, value in attrs.items() if name != "optimizer"}
    return np.stack([*steps(arrays["parameter"], arrays["gradients"], options)]), None


def sgd_steps(parameter, gradients, options):
    for gradient in gradients:
        parameter = sgd_step(parameter, gradient, **options)
        yield parameter


def adam_steps(parameter, gradients, options):
    trace = None
    for gradient in gradients:
        trace = adam_step(trace.parameter if trace else parameter, gradient, trace, **options)
        yield trace.parameter


RUNNERS = {
    "softmax_gradient": run_softmax,
    "attention_gradient": run_attention,
    "self_attention_gradient": run_self_attention,
    "cross_entropy": run_cross_entropy,
    "swiglu": run_swiglu,
    "optimizer_steps": run_optimizer,
}
FORWARD = {"y", "output", "loss", "parameters"}


@pytest.mark.parametrize("name", CASES)
def test_results_agree_with_pytorch(name):
    case = CASES[name]
    output, gradient = RUNNERS[case["op"]](case["attrs"], arrays_of(case, "inputs"))
    for slot, expected in arrays_of(case, "outputs").items():
        got = output if slot in FORWARD else getattr(gradient, slot.replace("d_", "grad_", 1))
        np.testing.assert_allclose(got, expected, rtol=case["rtol"], atol=case["atol"], strict=True, err_msg=slot)
