"""Test rotations: a shift of the encoding by hand and as a law, RoPE's scores in both pairings, error messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import distance_spread, rope, rope_partners, rope_scores, shift_pair, shift_rotation, sinusoidal
from strategies import law, random_numbers

evens = st.sampled_from([2, 4, 6, 16, 512])


def test_a_quarter_turn_by_hand():
    np.testing.assert_allclose(shift_rotation(1, np.pi / 2), [[0, -1], [1, 0]], atol=1e-15)
    trace = shift_pair(0, 1, 0, 2)
    np.testing.assert_array_equal(trace.before, [[0, 1]])
    np.testing.assert_allclose(trace.after, [[np.sin(1), np.cos(1)]], rtol=1e-15)


@law
@given(st.data(), evens, st.integers(0, 300), st.integers(-300, 300), st.sampled_from([3.0, 10000.0]))
def test_a_shift_is_a_rotation(data, d, p, shift, base):
    pair = data.draw(st.integers(0, d // 2 - 1))
    shift = max(shift, -p)
    trace = shift_pair(p, shift, pair, d, base)
    np.testing.assert_allclose(trace.after, trace.direct, atol=1e-11)
    np.testing.assert_allclose(trace.direct[0], sinusoidal(p + shift + 1, d, base)[-1, 2 * pair : 2 * pair + 2])
    np.testing.assert_allclose(trace.rotation @ trace.rotation.T, np.eye(2), atol=1e-14)


@law
@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 9), st.integers(0, 3))
def test_the_rotation_does_not_depend_on_the_position(p, other, shift, pair):
    here, there = (shift_pair(place, shift, pair, 8).rotation for place in (p, other))
    np.testing.assert_array_equal(here, there)


def test_the_circle_is_the_pair_at_every_position():
    trace = shift_pair(3, 20, 1, 6, 100.0, n_positions=10)
    np.testing.assert_array_equal(trace.circle, sinusoidal(10, 6, 100.0)[:, 2:4])
    np.testing.assert_allclose((trace.circle**2).sum(axis=1), 1)


@law
@given(st.sampled_from([1, 2, 3, 4, 7, 64]), st.integers(1, 9), st.booleans(), st.sampled_from([10.0, 10000.0]))
def test_rope_scores_depend_on_distance_only(d, n, interleaved, base):
    trace = rope_scores(random_numbers(d), random_numbers(d, seed=1), n, base, interleaved)
    assert distance_spread(trace.scores) < 1e-12
    assert trace.scores[0, 0] == pytest.approx(random_numbers(d) @ random_numbers(d, seed=1))


@pytest.mark.parametrize("interleaved", [True, False])
def test_rope_scores_are_those_of_rope(interleaved):
    q, k, places = random_numbers(6), random_numbers(6, seed=1), np.arange(4)
    q_turned, k_turned = (rope(np.tile(x, (4, 1)), places, 100.0, interleaved) for x in (q, k))
    trace = rope_scores(q, k, 4, 100.0, interleaved)
    np.testing.assert_array_equal(trace.q_turned, q_turned)
    np.testing.assert_allclose(trace.scores, q_turned @ k_turned.T)


@pytest.mark.parametrize("interleaved", [True, False])
def test_an_odd_last_feature_does_not_turn(interleaved):
    trace = rope_scores([1, 2, 3], [4, 5, 6], 5, interleaved=interleaved)
    np.testing.assert_array_equal(trace.q_turned[:, 2], 3)
    np.testing.assert_array_equal(trace.q_turned[:, :2], rope_scores([1, 2], [4, 5], 5).q_turned)


@law
@given(st.integers(1, 20), st.booleans())
def test_partners_are_mutual(d, interleaved):
    partners = rope_partners(d, interleaved)
    np.testing.assert_array_equal(partners[partners], np.arange(d))
    assert (partners == np.arange(d)).sum() == d % 2


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: shift_pair(0, 1, 4, 8), r"pair must be one of the 4 of d_model 8; got 4: count from 0"),
        (lambda: shift_pair(2, -3, 0, 8), r"positions start at 0; got position 2, shift -3: choose a shift of at leas"),
        (lambda: shift_pair(0, 1, 0, 7), r"d must be even, a sine and a cosine a pair; got 7: use 8 or 6"),
        (lambda: rope_scores([1], [1, 2], 3), r"q and k must share d_k; got q \(1,\), k \(2,\): give one query and"),
        (lambda: rope_scores([1], [1], 0), r"n_positions must be a whole number of at least 1; got 0"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()
