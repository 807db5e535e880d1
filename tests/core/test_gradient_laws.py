"""Test laws that hold for every gradient.

A gradient equals the result of finite differences, and it is linear in the incoming gradient. An input that a whole
batch shares gets the sum over the batch.
"""

import re
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backwards import GRADIENT_CASES, arrays_in, drawn_inputs, drawn_upstream, finite_differences, sizes
from strategies import law

of_every_case = pytest.mark.parametrize("case", GRADIENT_CASES.values(), ids=GRADIENT_CASES)
of_batches = pytest.mark.parametrize("case", [case for case in GRADIENT_CASES.values() if case.result != "loss"])
seeds = st.integers(0, 99)
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
