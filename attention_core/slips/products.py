"""Slips of the products: outer or elementwise in place of the dot product, keys or queries in place of values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.slips.queries_keys_values import outer_scores
from attention_core.slips.slip import Slip, with_scores
from attention_core.softmax import softmax

MOST_PRODUCTS = 1_000_000  # numbers in all outer products together


def _outer_products(trace: SelfAttentionTrace) -> SelfAttentionTrace:
    """Share one softmax among all entries of all q_i k_jᵀ, and give every key the value of the query's token."""
    if trace.q.ndim > 2 or trace.q.shape != trace.v.shape:
        raise ValueError(
            f"outer products need a value a query, as wide as it; got q {trace.q.shape}, v {trace.v.shape}: "
            "write q @ k.T."
        )
    entries = trace.scores.size * trace.q.shape[-1] ** 2
    if entries > MOST_PRODUCTS:
        raise ValueError(
            f"outer products are written out for at most {MOST_PRODUCTS:,} entries; got {entries:,}: take fewer tokens."
        )
    products = outer_scores(trace.q, trace.k) * trace.scale
    hidden = np.isneginf(trace.masked)[..., None, None]
    weights = np.stack([softmax(one, axis=None) for one in np.where(hidden, -np.inf, products)])
    return replace(trace, output=np.einsum("ijab,ib->ia", weights, trace.v))


def _in_place_of_values(trace: SelfAttentionTrace, other: Array, name: str) -> SelfAttentionTrace:
    if other.shape[-2] != trace.v.shape[-2]:
        raise ValueError(
            f"every key needs its value; got {name} {other.shape}, weights {trace.weights.shape}: write weights @ v."
        )
    return replace(trace, v=other, output=trace.weights @ other)


def _scores_from(trace: SelfAttentionTrace, scores: Array, written: str) -> SelfAttentionTrace:
    if scores.shape != trace.scores.shape:
        raise ValueError(
            f"scores need a row a query and a column a key; got {written} {scores.shape}, "
            f"scores {trace.scores.shape}: write q @ k.T."
        )
    return with_scores(trace, scores)


def _without_transpose(trace: SelfAttentionTrace) -> SelfAttentionTrace:
    if trace.q.shape[-1] != trace.k.shape[-2]:
        raise ValueError(f"q @ k needs d_k = n_k; got q {trace.q.shape}, k {trace.k.shape}: write q @ k.T.")
    return _scores_from(trace, trace.q @ trace.k, "q @ k")


def _elementwise(trace: SelfAttentionTrace) -> SelfAttentionTrace:
    if trace.q.shape != trace.k.shape:
        raise ValueError(f"q * k needs equal shapes; got q {trace.q.shape}, k {trace.k.shape}: write q @ k.T.")
    return _scores_from(trace, trace.q * trace.k, "q * k")


PRODUCT_SLIPS: tuple[Slip[SelfAttentionTrace], ...] = (
    Slip(
        name="outer_products",
        concept="queries_keys_values",
        stage="output",
        title="Outer products for dot products",
        formula=r"z_i = \sum_j \operatorname{softmax}(q_i^\top k_j) \, v_i",
        code="""\
def mixture(query, value):
    products = np.stack([np.outer(query, key) for key in k]) / np.sqrt(d_k)
    return (softmax(products, axis=(0, 1, 2)) @ value).sum(axis=0)
output = np.stack([mixture(*pair) for pair in zip(q, v)])""",
        why="Column times row is a whole matrix where one number is meant. All entries of all your matrices share a "
        "single 1, and each token’s own value answers for every key.",
        sources=("002-02", "002-03", "002-05"),
        apply=_outer_products,
        state="example=book",
    ),
    Slip(
        name="q_times_k",
        concept="queries_keys_values",
        stage="scores",
        title="Q K without the transpose",
        formula=r"S = Q K",
        code="scores = q @ k",
        why="A query’s features meet the tokens instead of the keys’ features. It runs only where there are as many "
        "tokens as features.",
        sources=("002-02",),
        apply=_without_transpose,
        state="example=book",
    ),
    Slip(
        name="elementwise_scores",
        concept="queries_keys_values",
        stage="scores",
        title="Q * K in place of a matrix product",
        formula=r"S = Q \odot K",
        code="scores = q * k",
        why="In NumPy * multiplies number by number: token i meets key i alone. The matrix product is @.",
        sources=("000-04", "001-06"),
        apply=_elementwise,
        state="example=book",
    ),
    Slip(
        name="keys_as_values",
        concept="queries_keys_values",
        stage="output",
        title="Keys handed over in place of values",
        formula=r"Z = A K",
        code="v = k",
        why="A key says what a token can be found by, a value what it hands over. Here you hand over the label.",
        sources=("ruvnet/agentic-flow#191", "yflyzhang/AnnotatedTransformer#1"),
        apply=lambda trace: _in_place_of_values(trace, trace.k, "k"),
    ),
    Slip(
        name="queries_as_values",
        concept="queries_keys_values",
        stage="output",
        title="Queries handed over in place of values",
        formula=r"Z = A Q",
        code="v = q",
        why="What a token asks is not what it has to give.",
        sources=("001-06",),
        apply=lambda trace: _in_place_of_values(trace, trace.q, "q"),
        state="example=story",
    ),
)
