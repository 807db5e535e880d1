"""Attention of random matrices, and random learned matrices."""

import numpy as np

from attention_core import MultiHeadProjections, multi_head_attention, self_attention
from strategies import random_numbers

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
