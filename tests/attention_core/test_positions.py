"""Test RoPE and ALiBi: numbers by hand, dependence on distance alone, rotations, slopes, error messages.

Also sinusoidal encodings, and the trace of a rotation.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import (
    alibi_bias,
    alibi_slopes,
    distance_spread,
    even_width,
    rope,
    rope_partners,
    rope_scores,
    rotary,
    shift_pair,
    shift_rotation,
    sinusoidal,
    sinusoidal_at,
    sinusoidal_of_any_width,
    wavelengths,
)
from attention_core.positions import frequencies
from strategies import law, random_numbers, read_only

evens = st.sampled_from([2, 4, 6, 16])
places = st.integers(-500, 500)


def test_rope_by_hand():
    x, quarter = [[1.0, 2.0, 3.0, 4.0]], np.pi / 2
    np.testing.assert_allclose(rope(x, [quarter], base=1.0), [[-3, -4, 1, 2]], atol=1e-15)
    np.testing.assert_allclose(rope(x, [quarter], base=1.0, interleaved=True), [[-2, 1, -4, 3]], atol=1e-15)


def test_rope_turns_slower_further_right():
    np.testing.assert_allclose(rope([[1, 1, 0, 0]], [1])[0], [np.cos(1), np.cos(0.01), np.sin(1), np.sin(0.01)])


@law
@given(evens, places, places, places, st.booleans())
def test_rope_products_depend_on_distance_only(d, p, r, shift, interleaved):
    q, k = random_numbers(1, d), random_numbers(1, d, seed=1)

    def score(at_q, at_k):
        return (rope(q, [at_q], interleaved=interleaved) @ rope(k, [at_k], interleaved=interleaved).T).item()

    assert score(p, r) == pytest.approx(score(p + shift, r + shift), abs=1e-10)


@law
@given(evens, st.lists(places, min_size=3, max_size=3), st.booleans())
def test_rope_keeps_lengths_and_turns_back(d, positions, interleaved):
    x = random_numbers(2, 3, d)
    turned = rope(x, positions, interleaved=interleaved)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-12)
    np.testing.assert_allclose(rope(turned, -np.array(positions), interleaved=interleaved), x, atol=1e-12)


def test_the_two_pairings_differ_by_the_order_of_features():
    x, order = random_numbers(3, 6), [0, 2, 4, 1, 3, 5]
    interleaved = rope(x, [0, 1, 2], interleaved=True)
    np.testing.assert_allclose(rope(x[:, order], [0, 1, 2]), interleaved[:, order], rtol=1e-14)


def test_batches_equal_the_loop():
    x, positions = random_numbers(2, 3, 4, 6), np.array([[[0, 1, 2, 3]], [[5, 6, 7, 9]]])
    batch = rope(x, positions)
    for b, h in np.ndindex(2, 3):
        np.testing.assert_allclose(batch[b, h], rope(x[b, h], positions[b, 0]), rtol=1e-14)


@pytest.mark.parametrize("interleaved", [True, False])
def test_rotary_does_not_change_the_columns_without_an_angle(interleaved):
    x, angles = random_numbers(3, 7), random_numbers(3, 2)
    turned = rotary(x, np.cos(angles), np.sin(angles), interleaved)
    np.testing.assert_array_equal(turned[:, 4:], x[:, 4:])
    np.testing.assert_array_equal(turned[:, :4], rotary(x[:, :4], np.cos(angles), np.sin(angles), interleaved))


def test_halves_are_the_default_pairing():
    x, angles = random_numbers(3, 4), random_numbers(3, 2)
    halves = rotary(x, np.cos(angles), np.sin(angles), interleaved=False)
    np.testing.assert_array_equal(rotary(x, np.cos(angles), np.sin(angles)), halves)


def test_alibi_slopes_by_hand():
    np.testing.assert_array_equal(alibi_slopes(8), [2.0**-h for h in range(1, 9)])
    np.testing.assert_array_equal(alibi_slopes(1), [2.0**-8])
    np.testing.assert_array_equal(alibi_slopes(3), [2.0**-4, 2.0**-8, 2.0**-2])


def test_alibi_bias_by_hand():
    np.testing.assert_array_equal(alibi_bias(2, 2, 3)[0], -np.array([[0, 1, 2], [1, 0, 1]]) / 16)
    assert alibi_bias(3, 4).shape == (3, 4, 4)


@pytest.mark.parametrize(("dtype", "expected"), [(np.int64, np.float64), (np.float32, np.float32)])
def test_types(dtype, expected):
    x, positions, cos = (read_only(np.ones(shape, dtype)) for shape in ((3, 4), (3,), (3, 2)))
    assert rope(x, positions, base=np.float64(100)).dtype == expected
    assert rotary(x, cos, cos, interleaved=True).dtype == expected


@pytest.mark.parametrize("function", [lambda d: sinusoidal(2, d), lambda d: rope(np.ones((1, d)), [0])])
def test_odd_widths(function):
    with pytest.raises(ValueError, match=r"d must be even, a sine and a cosine a pair; got 5: use 6 or 4\."):
        function(5)


@pytest.mark.parametrize("base", [0, -1, np.nan, np.inf])
def test_bases(base):
    with pytest.raises(ValueError, match=r"base must be finite and greater than 0; got .*: give a positive number"):
        sinusoidal(2, 4, base)


@pytest.mark.parametrize("call", [lambda n: sinusoidal(n, 4), alibi_slopes, lambda n: alibi_bias(2, n)])
def test_counts(call):
    with pytest.raises(ValueError, match=r"n_.* must be a whole number of at least 1; got 0: give 1, 2, 3"):
        call(0)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        (((3, 4), (2,)), r"x and positions must share n; got x \(3, 4\), positions \(2,\): give one position a row"),
        (((4,), (4,)), r"x must have at least 2 axes; got shape \(4,\)"),
        (
            ((2, 3, 4), (5, 3)),
            r"angles must broadcast to x; got x \(2, 3, 4\), angles \(5, 3, 2\): give one row of angles",
        ),
        (((3, 4), (2, 3)), r"angles must broadcast to x; got x \(3, 4\), angles \(2, 3, 2\)"),
    ],
)
def test_errors_of_rope(shapes, message):
    x, positions = (np.ones(shape) for shape in shapes)
    with pytest.raises(ValueError, match=message):
        rope(x, positions)


@pytest.mark.parametrize("shapes", [((3, 4), (3, 3), (3, 3)), ((3, 4), (3, 2), (3, 1))])
def test_errors_of_rotary(shapes):
    x, cos, sin = (np.ones(shape) for shape in shapes)
    with pytest.raises(ValueError, match=r"cos and sin must have one shape, at most half as wide as x; got x \(3, 4\)"):
        rotary(x, cos, sin)


def test_sinusoidal_by_hand():
    expected = [[0, 1, 0, 1], [np.sin(1), np.cos(1), np.sin(0.01), np.cos(0.01)]]
    np.testing.assert_allclose(sinusoidal(2, 4), expected, rtol=1e-15)
    np.testing.assert_allclose(sinusoidal(4, 6, base=8)[3, 2:4], [np.sin(3 / 2), np.cos(3 / 2)], rtol=1e-15)


def test_frequencies_by_hand():
    np.testing.assert_allclose(frequencies(6, 1000.0), [1, 0.1, 0.01], rtol=1e-15)


def test_wavelengths_by_hand():
    np.testing.assert_allclose(wavelengths(6, 1000.0), [2 * np.pi, 20 * np.pi, 200 * np.pi])
    assert wavelengths(512)[-1] == pytest.approx(6.06114773e04)


@law
@given(evens, st.integers(1, 40))
def test_a_wavelength_later_a_pair_is_back(d, p):
    angles = (p + wavelengths(d)) * frequencies(d)
    np.testing.assert_allclose(np.sin(angles), sinusoidal(p + 1, d)[p, 0::2], atol=1e-9)


@law
@given(st.integers(1, 9), st.integers(1, 9))
def test_any_width_is_cut_from_the_next_even_one(n, d):
    table = sinusoidal_of_any_width(n, d)
    assert table.shape == (n, d)
    np.testing.assert_array_equal(table, sinusoidal(n, even_width(d))[:, :d])


def test_between_positions():
    np.testing.assert_allclose(sinusoidal_at([2.5, -1], 2), [[np.sin(2.5), np.cos(2.5)], [-np.sin(1), np.cos(1)]])
    np.testing.assert_array_equal(sinusoidal_at([3, 0], 8), sinusoidal(4, 8)[[3, 0]])


def test_even_widths():
    assert [even_width(d) for d in (1, 2, 5, 512)] == [2, 2, 6, 512]


@law
@given(evens, st.integers(0, 40), st.integers(0, 40), st.integers(0, 9))
def test_sinusoidal_products_depend_on_distance_only(d, p, r, shift):
    table = sinusoidal(51, d)
    assert table[p] @ table[r] == pytest.approx(table[p + shift] @ table[r + shift], abs=1e-11)


@law
@given(evens, st.integers(0, 30), st.integers(0, 20))
def test_a_shift_is_a_rotation(d, p, shift):
    table = sinusoidal(51, d)
    sines, cosines = table[p, 0::2], table[p, 1::2]
    turn = shift * frequencies(d)
    np.testing.assert_allclose(table[p + shift, 0::2], sines * np.cos(turn) + cosines * np.sin(turn), atol=1e-12)
    np.testing.assert_allclose(table[p + shift, 1::2], cosines * np.cos(turn) - sines * np.sin(turn), atol=1e-12)


def test_nearer_is_not_always_more_similar():
    rows = sinusoidal(7, 4)
    similar = rows @ rows[0] / 2
    assert similar[6] > similar[1]


evens_of_rotation = st.sampled_from([2, 4, 6, 16, 512])


def test_a_quarter_turn_by_hand():
    np.testing.assert_allclose(shift_rotation(1, np.pi / 2), [[0, -1], [1, 0]], atol=1e-15)
    trace = shift_pair(0, 1, 0, 2)
    np.testing.assert_array_equal(trace.before, [[0, 1]])
    np.testing.assert_allclose(trace.after, [[np.sin(1), np.cos(1)]], rtol=1e-15)


@law
@given(st.data(), evens_of_rotation, st.integers(0, 300), st.integers(-300, 300), st.sampled_from([3.0, 10000.0]))
def test_a_shift_is_a_rotation_of_rotation(data, d, p, shift, base):
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
