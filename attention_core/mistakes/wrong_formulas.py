"""Wrong formulas as functions: a naive softmax, wrong products, and a misread index of the sinusoidal encoding."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive_integer
from attention_core.positions import frequencies
from attention_core.softmax import SoftmaxTrace


def naive_softmax(x: ArrayLike, axis: int | None = -1) -> Array:
    """Compute a softmax without subtracting the maximum first.

    exp(x) / Σ exp(x)

    Shapes: any → the same; axis=None treats the whole array as one.
    Wrong:  exp overflows above 709.78 (88.72 in float32), and ∞/∞ is NaN; scores far below 0 give 0/0.
    Source: errata 000-06, 002-07.

    >>> naive_softmax([1000, 1001])
    array([nan, nan])
    """
    return naive_softmax_steps(x, axis).weights


def naive_softmax_steps(
    x: ArrayLike, axis: int | None = -1, temperature: float = 1.0, base: float = math.e
) -> SoftmaxTrace:
    """Compute a softmax without subtracting the maximum first, and return every step.

    base ** (x / T) / Σ base ** (x / T)

    Shapes, wrong and source: as `naive_softmax`. Here, the exponential overflows for large x ln(base) / T.
    """
    x = floats("x", x, min_rank=0, minus_infinity=True)
    with np.errstate(over="ignore", invalid="ignore"):  # the page shows the NaN
        shifted = x / temperature
        powers = np.exp(shifted) if base == math.e else base**shifted
        totals = powers.sum(axis=axis, keepdims=True)
        weights = powers / totals
    return SoftmaxTrace(x, axis, temperature, base, np.zeros_like(totals), shifted, powers, totals, weights)


class OuterAttention(NamedTuple):
    """The result of attention with outer products in place of dot products."""

    scores: Array  # (n_q, n_k, d_k, d_k)
    weights: Array  # (n_q, n_k, d_k, d_k), in which all numbers of one query sum to 1
    output: Array  # (n_q, d_k)


def elementwise_product(x: ArrayLike, w: ArrayLike) -> Array:
    """Multiply number by number instead of as matrices: x * w in place of x @ w.

    Shapes: x (…, n, d_in), w (d_in, d_out) → the shape that they broadcast to.
    Raises: ValueError if the shapes do not broadcast, as NumPy would.
    Wrong:  nothing is summed, so each feature of the result depends on only one feature of x.
    Source: erratum 000-04.

    >>> elementwise_product([[1.0, 2.0]], [[3.0, 4.0]])
    array([[3., 8.]])
    """
    x, w = floats("x", x, min_rank=2), floats("w", w, min_rank=2)
    try:
        return x * w
    except ValueError as error:
        raise ValueError(
            f"x * w needs x and w of one shape, but x is {x.shape} and w is {w.shape}. Write x @ w, the matrix product."
        ) from error


def outer_scores(q: ArrayLike, k: ArrayLike) -> Array:
    """Multiply each query by each key as column times row. This gives a matrix in place of a number.

    scores[i, j] = q_i k_jᵀ, an outer product

    Shapes: q (n_q, d_k), k (n_k, d_k) → (n_q, n_k, d_k, d_k).
    Wrong:  a score is one number, the dot product of query and key. It is the sum of this matrix’s diagonal.
    Source: erratum 002-02.

    >>> outer_scores([[1.0, 2.0]], [[3.0, 4.0]]).tolist()
    [[[[3.0, 4.0], [6.0, 8.0]]]]
    """
    return np.einsum("ia,jb->ijab", floats("q", q, min_rank=2), floats("k", k, min_rank=2))


def outer_attention(q: ArrayLike, k: ArrayLike, v: ArrayLike) -> OuterAttention:
    """Compute attention with outer products q_i k_jᵀ as scores, and one softmax over all numbers of a query.

    The weights of query i multiply only the value v_i. Correct is to multiply each value v_j by its own weight.

    output_i = Σ_j softmax(q_i k_jᵀ)_j v_i

    Shapes: q, v (n_q, d_k), k (n_k, d_k) → output (n_q, d_k).
    Wrong:  all entries of a query's matrices together sum to 1, and token i's own value stands in for the value of
            every key.
    Source: errata 002-02, 002-03, 002-05.
    """
    scores = outer_scores(q, k)
    weights = np.stack([naive_softmax(matrices, axis=None) for matrices in scores])
    return OuterAttention(scores, weights, np.einsum("ijab,ib->ia", weights, floats("v", v, min_rank=2)))


def weigh_features(weights: ArrayLike, v: ArrayLike) -> Array:
    """Multiply the columns of v by the weights: sum(weights * v). Correct is to multiply the rows.

    output[i, c] = weights[i, c] · Σ_j v[j, c]

    Shapes: weights (…, n_k), v (…, n_k, d_v) with d_v = n_k → (…, d_v); weights (…, n_q, n_k) → (…, n_q, d_v).
    Raises: ValueError if n_k and d_v differ.
    Wrong:  a weight belongs to a token, so it must multiply that token's whole row.
    Source: errata 003-05, 003-06.

    >>> weigh_features([0.25, 0.75], [[4.0, 8.0], [4.0, 8.0]])
    array([ 2., 12.])
    """
    weights, v = floats("weights", weights), floats("v", v, min_rank=2)
    if weights.shape[-1] != v.shape[-1]:
        raise ValueError(
            f"weights * v needs as many weights as features, but weights is {weights.shape} and v is {v.shape}. "
            "Write weights @ v, which multiplies tokens by weights."
        )
    return weights * (v.sum(axis=-2) if weights.ndim < v.ndim else v.sum(axis=-2, keepdims=True))


def sinusoidal_doubled_exponent(n_positions: int, d_model: int, base: float = 10000.0) -> Array:
    """Return the sinusoidal encoding with an exponent that is twice the correct one.

    In the code, i = 0, 2, 4 … is already the 2i of the paper's formula, but the code multiplies i by 2 again.

    PE[pos, i] = sin(pos / base^(2i/d_model)), PE[pos, i+1] = cos(pos / base^(2i/d_model)) for i = 0, 2, 4 …

    Shapes: → (n_positions, d_model).
    Raises: ValueError for the same reasons as `sinusoidal`.
    Wrong:  it is the paper's formula with base². Sine and cosine still are pairs, so dot products depend on distance
            only, but the frequencies fall twice as fast, and the upper half of the columns hardly changes.
    Source: erratum 001-01.

    >>> sinusoidal_doubled_exponent(2, 4).round(4)[1]
    array([8.415e-01, 5.403e-01, 1.000e-04, 1.000e+00])
    """
    return doubled_exponent_at(_positions(n_positions), d_model, base)


def sinusoidal_shifted_cosine(n_positions: int, d_model: int, base: float = 10000.0) -> Array:
    """Return the sinusoidal encoding with a doubled exponent, and with the exponent of the next column for the cosine.

    PE[pos, i] = sin(pos / base^(2i/d_model)), PE[pos, i+1] = cos(pos / base^(2(i+1)/d_model)) for i = 0, 2, 4 …

    Shapes: → (n_positions, d_model).
    Raises: ValueError for the same reasons as `sinusoidal`.
    Wrong:  the sine and the cosine of a pair have different frequencies, so the dot product of two rows depends on
            their positions, not on their distance alone.
    Source: SamLynnEvans/Transformer#25, jadore801120/attention-is-all-you-need-pytorch#32, shenweichen/DeepCTR#379.

    >>> sinusoidal_shifted_cosine(2, 4).round(4)[1]
    array([8.415e-01, 1.000e+00, 1.000e-04, 1.000e+00])
    """
    return shifted_cosine_at(_positions(n_positions), d_model, base)


def doubled_exponent_at(positions: ArrayLike, d_model: int, base: float = 10000.0) -> Array:
    """Return the rows of `sinusoidal_doubled_exponent` for any positions.

    Shapes: positions (n,) → (n, d_model).
    Raises: ValueError for the same reasons as `sinusoidal_at`.
    """
    angles = floats("positions", positions)[:, None] * frequencies(d_model, base) ** 2
    return _interleave(np.sin(angles), np.cos(angles))


def shifted_cosine_at(positions: ArrayLike, d_model: int, base: float = 10000.0) -> Array:
    """Return the rows of `sinusoidal_shifted_cosine` for any positions.

    Shapes: positions (n,) → (n, d_model).
    Raises: ValueError for the same reasons as `sinusoidal_at`.
    """
    places, doubled = floats("positions", positions)[:, None], frequencies(d_model, base) ** 2
    next_column = doubled * float(base) ** (-2 / d_model)
    return _interleave(np.sin(places * doubled), np.cos(places * next_column))


def _positions(n_positions: int) -> Array:
    return np.arange(positive_integer("n_positions", n_positions), dtype=np.float64)


def _interleave(sines: Array, cosines: Array) -> Array:
    return np.stack([sines, cosines], axis=-1).reshape(len(sines), -1)
