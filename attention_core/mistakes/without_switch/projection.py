"""Mistakes of inputs and projections that the diagnosis names: matrices swapped, used twice, left out, transposed."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.with_switch.products import are_few


def has_context(trace: SelfAttentionTrace | MultiHeadTrace) -> bool:
    """Say whether keys and values come from other tokens than the queries."""
    return trace.context is not trace.x and not np.array_equal(trace.context, trace.x)


def _asks_itself(trace: SelfAttentionTrace | MultiHeadTrace) -> bool:
    return not has_context(trace)


def has_bias(bias: str) -> Any:
    """Return a function that says whether a trace has the bias of this name."""

    def shows(trace: SelfAttentionTrace | MultiHeadTrace) -> bool:
        found = getattr(trace.projections if isinstance(trace, MultiHeadTrace) else trace, bias)
        return found is not None and bool(np.any(found))

    return shows


def _projection_mistake(name: str, title: str, code: str, why: str, stage: Any, **more: Any) -> Mistake[Any]:
    return Mistake(name=name, concept="queries_keys_values", stage=stage, title=title, code=code, why=why, **more)


OTHER = "Queries, keys and values each have a learned matrix of their own; another one gives other numbers."
TURNED = "A weight matrix is used with rows and columns swapped. There is no error only because the matrix is square."
BIAS = "Each of the three projections adds its own bias to every token; one of them was left out."
RESIDUAL = "This residual connection is part of the block around attention: the output of attention does not have it."
UNUSED = "The product with the learned weights is missing. The features of a token are not its query or its key."

MIXUP_MISTAKES: tuple[Mistake[Any], ...] = (
    _projection_mistake("keys_with_query_weights", "W^Q used for the keys", "k = context @ w_q + b_q", OTHER, "k"),
    _projection_mistake(
        "keys_with_query_weights_alone", "W^Q used for the keys, with b^K", "k = context @ w_q + b_k", OTHER, "k",
        rank="rare",
    ),
    _projection_mistake("queries_with_key_weights", "W^K used for the queries", "q = x @ w_k + b_k", OTHER, "q"),
    _projection_mistake("queries_with_value_weights", "W^V used for the queries", "q = x @ w_v + b_v", OTHER, "q"),
    _projection_mistake("keys_with_value_weights", "W^V used for the keys", "k = context @ w_v + b_v", OTHER, "k"),
    _projection_mistake("values_with_query_weights", "W^Q used for the values", "v = context @ w_q + b_q", OTHER, "v"),
    _projection_mistake(
        "query_weights_for_all", "W^Q used for all three", "k, v = context @ w_q + b_q, context @ w_q + b_q", OTHER,
        "k", rank="rare",
    ),
    _projection_mistake(
        "key_weights_for_all", "W^K used for all three", "q, v = x @ w_k + b_k, context @ w_k + b_k", OTHER, "q",
        rank="rare",
    ),
    _projection_mistake(
        "value_weights_for_all", "W^V used for all three", "q, k = x @ w_v + b_v, context @ w_v + b_v", OTHER, "q",
        rank="rare",
    ),
    _projection_mistake(
        "query_and_key_weights_swapped", "W^Q and W^K swapped", "q, k = x @ w_k + b_k, context @ w_q + b_q", OTHER, "q"
    ),
    _projection_mistake(
        "query_and_value_weights_swapped", "W^Q and W^V swapped", "q, v = x @ w_v + b_v, context @ w_q + b_q", OTHER,
        "q", rank="rare",
    ),
    _projection_mistake(
        "keys_and_values_swapped", "Keys and values swapped", "k, v = context @ w_v + b_v, context @ w_k + b_k",
        "Queries are compared with keys, and the output is made of values. You used each in place of the other.", "k",
    ),
    _projection_mistake("query_weights_transposed", "W^Q transposed", "q = x @ w_q.T + b_q", TURNED, "q"),
    _projection_mistake("key_weights_transposed", "W^K transposed", "k = context @ w_k.T + b_k", TURNED, "k"),
    _projection_mistake("value_weights_transposed", "W^V transposed", "v = context @ w_v.T + b_v", TURNED, "v"),
    _projection_mistake(
        "query_bias_forgotten", "Bias of the queries forgotten", "q = x @ w_q", BIAS, "q", shows=has_bias("b_q")
    ),
    _projection_mistake(
        "key_bias_forgotten", "Bias of the keys forgotten", "k = context @ w_k",
        f"{BIAS} It shifts all scores of a row alike, so the weights do not tell.", "k", shows=has_bias("b_k"),
    ),
    _projection_mistake(
        "value_bias_forgotten", "Bias of the values forgotten", "v = context @ w_v", BIAS, "v", shows=has_bias("b_v")
    ),
    _projection_mistake("input_as_values", "The input in place of values", "v = context", UNUSED, "v"),
    _projection_mistake("input_as_queries", "The input in place of queries", "q = x", UNUSED, "q"),
    _projection_mistake("input_as_keys", "The input in place of keys", "k = context", UNUSED, "k"),
    _projection_mistake("scores_of_the_input", "X Xᵀ in place of Q Kᵀ", "scores = x @ context.T", UNUSED, "scores"),
    _projection_mistake(
        "nothing_projected", "Nothing projected: Q = K = V = X", "v = context\nscores = x @ context.T", UNUSED, "v"
    ),
    _projection_mistake(
        "queries_meet_queries", "Q Qᵀ in place of Q Kᵀ", "scores = q @ q.T",
        "Queries were compared with queries. Each query is compared with the keys.", "scores",
    ),
    _projection_mistake(
        "keys_meet_keys", "K Kᵀ in place of Q Kᵀ", "scores = k @ k.T",
        "Keys were compared with keys. Each key is compared with the queries.", "scores",
    ),
    _projection_mistake(
        "keys_reshaped", "Keys reshaped in place of transposed", "scores = q @ k.reshape(k.T.shape)",
        "The shape is right, the numbers stand in other places: reshape reads row by row and fills row by row. Only .T "
        "makes each key a column.", "scores",
    ),
    _projection_mistake(
        "queries_and_keys_normalised", "Queries and keys divided by their lengths",
        "lengths = np.linalg.norm(q, axis=-1, keepdims=True) * np.linalg.norm(k, axis=-1, keepdims=True).T\n"
        "scores = scores / lengths",
        "This is the cosine of their angle. In attention, a long query or key counts for more.", "scores",
    ),
    _projection_mistake(
        "normalised_first", "Layer norm before the projections",
        "even = x - x.mean(axis=-1, keepdims=True)\n"
        "normed = even / np.sqrt(even.var(axis=-1, keepdims=True) + 1e-5)\n"
        "q, k, v = normed @ w_q + b_q, normed @ w_k + b_k, normed @ w_v + b_v",
        "The norm belongs to the block around attention; here the projections take the input as it is.", "q",
        shows=_asks_itself,
    ),
    _projection_mistake(
        "input_added", "The input added to the output", "output = output + x",
        RESIDUAL, "output",
    ),
    _projection_mistake(
        "context_ignored", "The context ignored", "k, v = x @ w_k + b_k, x @ w_v + b_v",
        "Keys and values were computed from x. They come from the context; only the queries come from x.", "k",
        needs="It takes a context.", shows=has_context,
    ),
    _projection_mistake(
        "values_from_those_who_ask", "Values from the tokens that ask", "v = x @ w_v + b_v",
        "Keys and values both come from the context: a token takes the value of the same token whose key fits.", "v",
        needs="It takes a context.", shows=has_context,
    ),
    _projection_mistake(
        "keys_from_those_who_ask", "Keys from the tokens that ask", "k = x @ w_k + b_k",
        "Keys and values both come from the context: a token takes the value of the same token whose key fits.", "k",
        needs="It takes a context.", shows=has_context,
    ),
    _projection_mistake(
        "roles_swapped", "Tokens that ask and tokens that answer, swapped",
        "q, k, v = context @ w_q + b_q, x @ w_k + b_k, x @ w_v + b_v",
        "Queries come from x, keys and values from the context. You swapped the two, so the output has a "
        "row for each token of the context.", "q",
        needs="It takes a context.", shows=has_context,
    ),
    Mistake(
        name="outer_products_not_scaled",
        concept="queries_keys_values",
        stage="output",
        title="Outer products for dot products, not scaled",
        code="""\
def mixture(query, value):
    products = np.stack([np.outer(query, key) for key in k])
    return (softmax(products, axis=(0, 1, 2)) @ value).sum(axis=0)
output = np.stack([mixture(*pair) for pair in zip(q, v)])""",
        why="Column times row is a whole matrix where one number is meant, and nothing is divided by the root of d_k.",
        sources=("002-02", "002-03", "002-05"),
        needs="It is written out without a mask, and for at most a million products.",
        shows=are_few,
        rank="rare",
    ),
)  # fmt: skip
