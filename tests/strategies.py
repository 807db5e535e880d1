"""Inputs that the tests of the core share: arrays for hypothesis, and random numbers from a seed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

law = settings()  # of the profile that `conftest.py` has chosen
sizes = st.integers(1, 5)


def numbers(limit=30.0):
    """Return a strategy for finite numbers from `-limit` to `limit`. For such numbers, narrow tolerances suffice."""
    return st.floats(-limit, limit, allow_nan=False, allow_subnormal=False)


@st.composite
def matrices(draw, rows=sizes, columns=sizes, limit=30.0):
    """Draw a matrix. By default it has one to five rows and columns, and numbers from `-limit` to `limit`."""
    return draw(arrays(np.float64, (draw(rows), draw(columns)), elements=numbers(limit)))


class Qkv(NamedTuple):
    """Queries, keys and values."""

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray


@st.composite
def queries_keys_values(draw, square=False):
    """Draw queries, keys and values that fit together. With `square`, there are as many queries as keys."""
    n_k, d_k, d_v = draw(sizes), draw(sizes), draw(sizes)
    n_q = n_k if square else draw(sizes)
    shapes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    return Qkv(*(draw(arrays(np.float64, shape, elements=numbers(4.0))) for shape in shapes))


def read_only(array):
    """Return a copy of an array. The copy cannot be changed."""
    array = np.array(array)
    array.flags.writeable = False
    return array


def random_numbers(*shape, seed=0, dtype: type = np.float64):
    """Return standard normal numbers in this shape. They are the same in every run and cannot be changed."""
    return read_only(np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype))
