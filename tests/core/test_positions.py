"""Test RoPE and ALiBi: numbers by hand, dependence on distance alone, rotations, slopes, error messages."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import alibi_bias, alibi_slopes, rope, rotary, sinusoidal
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
