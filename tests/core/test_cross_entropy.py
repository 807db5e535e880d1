"""Test the cross-entropy: numbers by hand, ignored rows, its range, types, and error messages."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given
from hypothesis import strategies as st

from attention_core import cross_entropy
from strategies import law, matrices, numbers, random_numbers, read_only


def test_by_hand():
    trace = cross_entropy(np.log([[2, 1, 1], [1, 1, 6]]), [0, 1])
    np.testing.assert_allclose(trace.probabilities, [[1 / 2, 1 / 4, 1 / 4], [1 / 8, 1 / 8, 3 / 4]])
    np.testing.assert_allclose(trace.losses, np.log([2, 8]))
    np.testing.assert_allclose(trace.loss, np.log(4))


def test_one_row_is_enough():
    np.testing.assert_allclose(cross_entropy([0, 0, 0, 0], 2).loss, np.log(4))


@law
@given(matrices(limit=50.0), st.integers(0, 99), numbers())
def test_equals_the_formula_and_does_not_change_with_a_shift(logits, seed, shift):
    targets = np.random.default_rng(seed).integers(0, logits.shape[1], len(logits))
    trace = cross_entropy(logits, targets)
    logs = scipy.special.log_softmax(logits, axis=1)
    np.testing.assert_allclose(trace.log_probabilities, logs, atol=1e-12)
    np.testing.assert_allclose(trace.loss, -logs[np.arange(len(logits)), targets].mean(), atol=1e-12)
    np.testing.assert_allclose(cross_entropy(logits + shift, targets).loss, trace.loss, atol=1e-11)
    assert trace.loss >= 0


def test_great_logits_do_not_overflow():
    np.testing.assert_allclose(cross_entropy([[1000, 0], [0, 1000]], [1, 1]).losses, [1000, 0])


def test_batches_equal_the_loop():
    logits, targets = random_numbers(2, 3, 5), np.array([[0, 4, 2], [1, 1, 3]])
    batch = cross_entropy(logits, targets)
    ones = [cross_entropy(logits[b], targets[b]).loss for b in range(2)]
    np.testing.assert_allclose(batch.loss, np.mean(ones), rtol=1e-14)


def test_ignored_rows_are_left_out_of_the_mean():
    logits = random_numbers(3, 4)
    some = cross_entropy(logits, [0, 1, 2], [True, False, True])
    np.testing.assert_allclose(some.loss, cross_entropy(logits[[0, 2]], [0, 2]).loss, rtol=1e-14)
    np.testing.assert_array_equal(some.losses, cross_entropy(logits, [0, 1, 2]).losses)


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    trace = cross_entropy(read_only(np.array([[1, 2], [3, 5]], dtype)), read_only([0, 1]))
    for part in (trace.probabilities, trace.log_probabilities, trace.losses, trace.loss):
        assert part.dtype == expected
    assert trace.loss.shape == ()


@pytest.mark.parametrize(
    ("targets", "counted", "message"),
    [
        ([0, 3], None, r"targets must be whole numbers from 0 to n_classes − 1 = 2; got \[0, 3\]: give the number"),
        ([-1, 0], None, r"targets must be whole numbers from 0 to n_classes − 1 = 2; got \[-1, 0\]"),
        ([0.0, 1.0], None, r"targets must be whole numbers from 0 to .*; got \[0.0, 1.0\]"),
        ([0], None, r"targets must have one entry a row of logits; got targets \(1,\), logits \(2, 3\): .* \(2,\)"),
        ([0, 1], [True], r"counted must have one entry a row of logits; got counted \(1,\), logits \(2, 3\)"),
        ([0, 1], [1, 0], r"counted must be boolean and true somewhere; got \[1, 0\]: write True for each row"),
        ([0, 1], [False, False], r"counted must be boolean and true somewhere; got \[False, False\]"),
    ],
)
def test_errors(targets, counted, message):
    with pytest.raises(ValueError, match=message):
        cross_entropy([[1, 2, 3], [4, 5, 6]], targets, counted)


def test_logits_that_are_not_finite_are_refused():
    with pytest.raises(ValueError, match=r"logits must be finite; got nan at \(0, 1\)"):
        cross_entropy([[1, np.nan]], [0])
