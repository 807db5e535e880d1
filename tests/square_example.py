"""Attention with as many tokens as features, so that every mistake is possible, and a comparison with oracles.

An oracle computes the wrong output of a mistake independently of the core.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import softmax

from attention_core import self_attention
from strategies import random_numbers

N = 4  # tokens and features; the same number, so that every mistake is possible
ROOT = 2.0  # the root of N
CAUSAL = np.tri(N, dtype=bool)


def square_trace(*, mask=None, context=None):
    """Return the trace (all matrices) of attention with four random tokens of four features."""
    x, *w = (random_numbers(N, N, seed=seed) for seed in (100, 101, 102, 103))
    b = {f"b_{m}": random_numbers(N, seed=104 + i) for i, m in enumerate("qkv")}
    return self_attention(x, *w, mask=mask, context=context, **b)


def check_outputs(entries, expected, trace):
    """Check that each mistake in `expected` gives the output that an independent function computes.

    `expected` holds such a function for the name of each mistake, and `entries` holds mistakes of the core. Fail also
    if one of the expected mistakes is not in `entries`.
    """
    found = {mistake.name: mistake for mistake in entries if mistake.name in expected}
    assert found.keys() == expected.keys()
    for name, mistake in found.items():
        np.testing.assert_allclose(mistake.apply(trace).output, expected[name](trace), atol=1e-9, err_msg=name)


def attention_output(q, k, v, divisor=ROOT):
    """Return the output of attention for queries, keys and values, with the scores divided by `divisor`."""
    return softmax(q @ k.T / divisor, axis=1) @ v


def by_score(score):
    """Return a function from a trace to the output of attention with other scores than the dot product.

    The score of a query and a key is `score(query, key)`, divided by √d_k.
    """
    return lambda t: softmax([[score(q, k) / math.sqrt(N) for k in t.k] for q in t.q], axis=1) @ t.v
