"""Inputs that the tests of the core share: arrays for hypothesis, seeded random numbers, random matrices as traces."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_core import MultiHeadProjections, multi_head_attention, self_attention

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


N = 4  # tokens and features; the same number, so that every mistake is possible


def one_head_trace():
    """Return the trace (all matrices) of attention with one head on random matrices, with biases and a causal mask."""
    x, *w = (random_numbers(N, N, seed=seed) for seed in (50, 51, 52, 53))
    b_q, b_k, b_v = (random_numbers(N, seed=seed) for seed in (54, 55, 56))
    return self_attention(x, *w, b_q=b_q, b_k=b_k, b_v=b_v, mask=np.tri(N, dtype=bool))


def three_heads_trace():
    """Return the trace (all matrices) of attention with three heads on random matrices."""
    w = {f"w_{m}": random_numbers(6, 6, seed=60 + i) for i, m in enumerate("qkvo")}
    b = {f"b_{m}": random_numbers(6, seed=70 + i) for i, m in enumerate("qkvo")}
    return multi_head_attention(random_numbers(6, 6, seed=80), MultiHeadProjections(**w, **b), 3)


def random_weights(n_heads, d_model=6, d_k=2, d_v=3):
    """Return random weight matrices and biases for multi-head attention with `n_heads` heads and these sizes."""
    shapes = [(d_model, n_heads * d_k)] * 2 + [(d_model, n_heads * d_v), (n_heads * d_v, d_model)]
    names = ("w_q", "w_k", "w_v", "w_o")
    matrices = {name: random_numbers(*shape, seed=i) for i, (name, shape) in enumerate(zip(names, shapes, strict=True))}
    biases = {f"b{name[1:]}": random_numbers(m.shape[1], seed=9 + i) for i, (name, m) in enumerate(matrices.items())}
    return MultiHeadProjections(**matrices, **biases)
