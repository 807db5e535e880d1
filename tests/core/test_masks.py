"""Test the masks: which query may attend to which key, and what a mask does to the scores."""

import numpy as np
import pytest
from hypothesis import given

from attention_core import causal_mask, padding_mask
from attention_core.masks import apply_mask
from strategies import law, read_only, sizes

NEVER = -np.inf


def test_causal_by_hand():
    expected = [[True, False, False], [True, True, False], [True, True, True]]
    np.testing.assert_array_equal(causal_mask(3), expected)
    np.testing.assert_array_equal(causal_mask(2, 3), expected[:2])
    np.testing.assert_array_equal(causal_mask(3, 2), np.array(expected)[:, :2])


@law
@given(sizes, sizes)
def test_causal_is_j_up_to_i(n_q, n_k):
    mask = causal_mask(n_q, n_k)
    assert mask.dtype == bool
    np.testing.assert_array_equal(mask, np.arange(n_k) <= np.arange(n_q)[:, None])


def test_padding_by_hand():
    np.testing.assert_array_equal(padding_mask(2, 3), [[True, True, False]])
    batch = padding_mask([1, 0, 3], 3)
    assert batch.shape == (3, 1, 3)
    np.testing.assert_array_equal(batch[:, 0], [[True, False, False], [False] * 3, [True] * 3])


@pytest.mark.parametrize("n", [0, -2, 1.5, True])
def test_lengths_of_causal_masks(n):
    with pytest.raises(ValueError, match=r"n_q must be a whole number of at least 1; got .*: give 1, 2, 3"):
        causal_mask(n)
    with pytest.raises(ValueError, match=r"n_k must be a whole number of at least 1; got .*: give 1, 2, 3"):
        causal_mask(2, n)


@pytest.mark.parametrize("lengths", [4, -1, [1, 4], [1.0, 2.0], [True]])
def test_lengths_of_padding(lengths):
    with pytest.raises(ValueError, match=r"lengths must be whole numbers from 0 to n_k = 3; got .*: count the real"):
        padding_mask(lengths, 3)


def test_boolean_mask_forbids_where_false():
    scaled = read_only([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(apply_mask(scaled, causal_mask(2)), [[1, NEVER], [3, 4]])


def test_additive_mask_is_added():
    scaled = read_only([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_array_equal(apply_mask(scaled, [[0.5, NEVER], [-1, 0]]), [[1.5, NEVER], [2, 4]])


def test_no_mask_changes_nothing():
    scaled = np.ones((2, 2))
    assert apply_mask(scaled, None) is scaled


@pytest.mark.parametrize("mask", [np.ones((2, 2), bool), np.zeros((2, 2)), np.full((2, 2), -1e300)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_mask_leaves_the_type_of_the_scores(mask, dtype):
    assert apply_mask(np.ones((2, 2), dtype), mask).dtype == dtype


def test_a_penalty_beyond_the_range_forbids():
    lowest = np.full((1, 1), np.finfo(np.float64).min)
    assert apply_mask(np.array([[-5]], np.float32), lowest) == NEVER
    assert apply_mask(lowest, lowest) == NEVER


@pytest.mark.parametrize(
    ("mask", "message"),
    [
        (
            np.ones((3, 2), bool),
            r"mask must broadcast to the scores; got mask \(3, 2\), scores \(2, 3\): give it one row",
        ),
        (np.ones((1, 2, 3), bool), r"mask must broadcast to the scores; got mask \(1, 2, 3\), scores \(2, 3\)"),
        (np.ones((4,), bool), r"mask must broadcast to the scores; got mask \(4,\)"),
        ([[0, 1, 1], [1, 1, 1]], r"mask must be boolean or float; got int64: write True for 'may attend'"),
        (np.full((2, 3), np.nan), r"an additive mask must be finite or −∞; got NaN or \+∞: use −∞ to forbid"),
        (np.full((2, 3), np.inf), r"an additive mask must be finite or −∞; got NaN or \+∞"),
    ],
)
def test_errors(mask, message):
    with pytest.raises(ValueError, match=message):
        apply_mask(np.ones((2, 3)), mask)
