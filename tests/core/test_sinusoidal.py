"""Test the sinusoidal encoding: numbers by hand, dependence on distance alone, any width, places between positions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core import even_width, sinusoidal, sinusoidal_at, sinusoidal_of_any_width, wavelengths
from attention_core.positions import frequencies
from strategies import law

evens = st.sampled_from([2, 4, 6, 16])


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
