"""What holds for every gradient: it is what finite differences find, is linear in what arrives, and adds up."""

import re
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backwards import WAYS, arrays_in, drawn_inputs, drawn_upstream, finite_differences, sizes
from strategies import law

of_every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
of_batches = pytest.mark.parametrize("way", [way for way in WAYS.values() if way.result != "loss"])
seeds = st.integers(0, 99)
dozen = settings(law, max_examples=12)
FIXED = {"n": 3, "m": 4, "d": 4, "e": 2, "k": 3, "c": 5, "H": 8, "G": 4}


def fixed(way, batch=()):
    inputs = drawn_inputs(way, FIXED, 0, batch)
    return inputs, drawn_upstream(way, inputs, 0)


@of_every_way
@dozen
@given(sizes(), seeds, st.sampled_from([(), (2,)]))
def test_is_what_finite_differences_find(way, lengths, seed, batch):
    inputs = drawn_inputs(way, lengths, seed, batch)
    upstream = drawn_upstream(way, inputs, seed)
    for name, found in way.reaches(inputs, upstream).items():
        expected = finite_differences(way, inputs, upstream, name)
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7, strict=True, err_msg=name)


@of_every_way
@law
@given(sizes(), seeds, st.floats(-3, 3), st.floats(-3, 3))
def test_is_linear_in_what_arrives(way, lengths, seed, a, b):
    inputs = drawn_inputs(way, lengths, seed)
    one, other = drawn_upstream(way, inputs, seed), drawn_upstream(way, inputs, seed + 1)
    first, second = way.reaches(inputs, one), way.reaches(inputs, other)
    for name, found in way.reaches(inputs, a * one + b * other).items():
        np.testing.assert_allclose(found, a * first[name] + b * second[name], rtol=1e-9, atol=1e-12, err_msg=name)


@of_batches
@law
@given(sizes(), seeds)
def test_a_batch_is_its_sequences_and_what_they_share_gets_the_sum(way, lengths, seed):
    inputs = drawn_inputs(way, lengths, seed, (2, 3))
    upstream = drawn_upstream(way, inputs, seed)
    together = way.reaches(inputs, upstream)
    shared = {name: 0 for name in inputs}
    for index in np.ndindex(2, 3):
        own = {name: array[index] if "…" in way.letters[name] else array for name, array in inputs.items()}
        for name, found in way.reaches(own, upstream[index]).items():
            shared[name] = shared[name] + found
            if "…" in way.letters[name]:
                np.testing.assert_allclose(together[name][index], found, rtol=1e-9, atol=1e-12, err_msg=name)
    for name in way.letters:
        if "…" not in way.letters[name]:
            np.testing.assert_allclose(together[name], shared[name], rtol=1e-9, atol=1e-11, err_msg=name)


@of_every_way
def test_float32_in_float32_out(way):
    inputs, upstream = fixed(way, (2,))
    narrow = {name: array.astype(np.float32) for name, array in inputs.items()}
    for arriving in (upstream.astype(np.float32), upstream):
        gradient = way.back(narrow, arriving)
        assert {array.dtype for array in arrays_in(gradient)} == {np.dtype(np.float32)}
    for name, found in way.reaches(narrow, upstream).items():
        np.testing.assert_allclose(found, way.reaches(inputs, upstream)[name], rtol=1e-3, atol=1e-4, err_msg=name)


@of_every_way
def test_integers_may_arrive(way):
    inputs, upstream = fixed(way)
    whole = np.ones(upstream.shape, dtype=int)
    for name, found in way.reaches(inputs, whole.tolist()).items():
        np.testing.assert_array_equal(found, way.reaches(inputs, np.ones(upstream.shape))[name])


@of_every_way
def test_the_trace_of_a_gradient_is_frozen(way):
    gradient = way.back(*fixed(way))
    with pytest.raises(FrozenInstanceError):
        setattr(gradient, fields(gradient)[0].name, 0)
    assert not hasattr(gradient, "__dict__")


@of_every_way
def test_what_arrives_has_the_shape_of_the_output(way):
    inputs, upstream = fixed(way)
    for received in [(2, *upstream.shape), tuple(length + 1 for length in upstream.shape) or (1,)]:
        message = f"upstream must have the shape of the output; got upstream {received}, output {upstream.shape}: give"
        with pytest.raises(ValueError, match=re.escape(message)):
            way.back(inputs, np.ones(received))


@of_every_way
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_arrives_is_finite(way, bad):
    inputs, upstream = fixed(way)
    broken = np.array(upstream)
    broken[(0,) * broken.ndim] = bad
    with pytest.raises(ValueError, match=f"upstream must be finite; got {bad}"):
        way.back(inputs, broken)
