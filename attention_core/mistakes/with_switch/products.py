"""Mistakes in the products: outer or elementwise in place of the dot product, keys or queries in place of values."""

from __future__ import annotations

from attention_core.attention import SelfAttentionTrace
from attention_core.mistakes.engine.mistake import Mistake

MOST_PRODUCTS = 1_000_000  # the greatest number of elements that all outer products may have together


def has_few_products(trace: SelfAttentionTrace) -> bool:
    """Return whether a trace has no mask, and its outer products have at most a million numbers together."""
    return trace.mask is None and trace.scores.size * trace.q.shape[-1] * trace.k.shape[-1] <= MOST_PRODUCTS


PRODUCT_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    Mistake(
        name="outer_products",
        concept="queries_keys_values",
        stage="output",
        title="The scores are outer products, not dot products",
        formula=r"z_i = \sum_j \operatorname{softmax}(q_i^\top k_j) \, v_i",
        code="""\
def mixture(query, value):
    products = np.stack([np.outer(query, key) for key in k]) / np.sqrt(d_k)
    return (softmax(products, axis=(0, 1, 2)) @ value).sum(axis=0)
output = np.stack([mixture(*pair) for pair in zip(q, v)])""",
        why="A column times a row is a matrix, but a score is one number. Also, you used the token’s own value for "
        "every key.",
        sources=("002-02", "002-03", "002-05"),
        needs="It is written out without a mask, and for at most a million products.",
        state="example=book",
        shows=has_few_products,
    ),
    Mistake(
        name="q_times_k",
        concept="queries_keys_values",
        stage="scores",
        title="K is not transposed in Q Kᵀ",
        formula=r"S = Q K",
        code="scores = q @ k",
        why="Without the transpose, this is not the product of each query with each key. It runs only if there are as "
        "many tokens as features.",
        sources=("002-02",),
        state="example=book",
    ),
    Mistake(
        name="elementwise_scores",
        concept="queries_keys_values",
        stage="scores",
        title="Q and K are multiplied number by number",
        formula=r"S = Q \odot K",
        code="scores = q * k",
        why="In NumPy, * multiplies number by number. The matrix product is @.",
        sources=("000-04", "001-06"),
        state="example=book",
    ),
    Mistake(
        name="keys_as_values",
        concept="queries_keys_values",
        stage="output",
        title="The keys are used as values",
        formula=r"Z = A K",
        code="v = k",
        why="You used the keys as values. A key says what a token can be found by. A value is what others take from "
        "it.",
        sources=("ruvnet/agentic-flow#191", "yflyzhang/AnnotatedTransformer#1"),
    ),
    Mistake(
        name="queries_as_values",
        concept="queries_keys_values",
        stage="output",
        title="The queries are used as values",
        formula=r"Z = A Q",
        code="v = q",
        why="You used the queries as values. A query says what a token looks for. A value is what others take from it.",
        sources=("001-06",),
        state="example=story",
    ),
)
