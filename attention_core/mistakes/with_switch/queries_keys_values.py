"""Mistakes with queries, keys and values: the wrong product, or weights applied to the wrong matrix."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array, floats
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.with_switch.softmax import naive_softmax


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


QUERIES_KEYS_VALUES_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    Mistake(
        name="keys_times_queries",
        concept="queries_keys_values",
        stage="scores",
        title="The scores are K Qᵀ, not Q Kᵀ",
        formula=r"S = K Q^\top",
        code="scores = k @ q.T",
        why="Your scores are transposed. Row i should have the scores of query i with all keys. If tokens are "
        "columns, KᵀQ is correct, but then the softmax goes down the columns.",
        sources=("probml/pml-book#707",),
        state="example=story",
    ),
    Mistake(
        name="one_value_for_every_key",
        concept="queries_keys_values",
        stage="output",
        title="Every key has the same value",
        formula=r"z_i = \sum_j A_{ij} v_i",
        code="output = weights.sum(axis=-1, keepdims=True) * v",
        why="Your sum over the keys always uses the token’s own value. The weights add up to 1, so the output of each "
        "token is its own value, and Z = V.",
        sources=("002-05",),
        state="example=story",
    ),
    Mistake(
        name="features_weighted",
        concept="queries_keys_values",
        stage="output",
        title="The features are weighted, not the tokens",
        formula=r"z_{ic} = \sum_j A_{ic} v_{jc}",
        code="output = weights * v.sum(axis=-2, keepdims=True)",
        why="sum(weights * v) multiplies column c of the values by weight c, so the weights belong to features "
        "instead of tokens. It runs only because there are as many features as tokens.",
        sources=("003-05",),
        state="example=book",
    ),
)
