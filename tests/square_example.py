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
    """Return the attention of four random tokens with four features."""
    x, *w = (random_numbers(N, N, seed=seed) for seed in (100, 101, 102, 103))
    b = {f"b_{m}": random_numbers(N, seed=104 + i) for i, m in enumerate("qkv")}
    return self_attention(x, *w, mask=mask, context=context, **b)


def check_outputs(entries, expected, trace):
    """Compare the output of each mistake in `expected` with the output that its oracle gives.

    `entries` holds mistakes of the core. Fail if one of the expected mistakes is missing there.
    """
    found = {mistake.name: mistake for mistake in entries if mistake.name in expected}
    assert found.keys() == expected.keys()
    for name, mistake in found.items():
        np.testing.assert_allclose(mistake.apply(trace).output, expected[name](trace), atol=1e-9, err_msg=name)


def attention_output(q, k, v, divisor=ROOT):
    """Return the output of attention for queries, keys and values, with the scores divided by `divisor`."""
    return softmax(q @ k.T / divisor, axis=1) @ v


def by_score(one):
    """Return the oracle of attention whose scores are `one(query, key)`."""
    return lambda t: softmax([[one(q, k) / math.sqrt(N) for k in t.k] for q in t.q], axis=1) @ t.v
