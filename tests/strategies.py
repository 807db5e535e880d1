"""Inputs that the tests of the core share: arrays for hypothesis, and seeded draws."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

# The same examples in every run, and no time limit, because a busy machine is not an error.
law = settings(deadline=None, max_examples=40, derandomize=True)
sizes = st.integers(1, 5)


def numbers(limit=30.0):
    """Finite numbers of moderate size, so that narrow tolerances suffice."""
    return st.floats(-limit, limit, allow_nan=False, allow_subnormal=False)


@st.composite
def matrices(draw, rows=sizes, columns=sizes, limit=30.0):
    """A matrix of one to five rows and columns."""
    return draw(arrays(np.float64, (draw(rows), draw(columns)), elements=numbers(limit)))


class Qkv(NamedTuple):
    q: np.ndarray
    k: np.ndarray
    v: np.ndarray


@st.composite
def queries_keys_values(draw, square=False):
    """Queries, keys and values that fit together. With `square`, there are as many queries as keys."""
    n_k, d_k, d_v = draw(sizes), draw(sizes), draw(sizes)
    n_q = n_k if square else draw(sizes)
    shapes = ((n_q, d_k), (n_k, d_k), (n_k, d_v))
    return Qkv(*(draw(arrays(np.float64, shape, elements=numbers(4.0))) for shape in shapes))


def read_only(array):
    """The same array, which can no longer be written to."""
    array = np.array(array)
    array.flags.writeable = False
    return array


def drawn(*shape, seed=0, dtype: type = np.float64):
    """Standard normal numbers that are the same in every run, and read-only."""
    return read_only(np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype))
