"""Mistakes with inputs and projections that the diagnosis names: matrices swapped, used twice, left out, transposed."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.attention import SelfAttentionTrace
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.with_switch.products import has_few_products


def has_context(trace: SelfAttentionTrace | MultiHeadTrace) -> bool:
    """Return whether the keys and values of a trace come from other tokens than its queries."""
    return trace.context is not trace.x and not np.array_equal(trace.context, trace.x)


def _is_self_attention(trace: SelfAttentionTrace | MultiHeadTrace) -> bool:
    """Return whether the queries, keys and values of a trace come from the same tokens."""
    return not has_context(trace)


def has_bias(bias: str) -> Any:
    """Return a function that says whether a given trace has the bias with this name, such as "b_q".

    A bias of zeros does not count.
    """

    def shows(trace: SelfAttentionTrace | MultiHeadTrace) -> bool:
        found = getattr(trace.projections if isinstance(trace, MultiHeadTrace) else trace, bias)
        return found is not None and bool(np.any(found))

    return shows


def _projection_mistake(name: str, title: str, code: str, why: str, stage: Any, **more: Any) -> Mistake[Any]:
    return Mistake(name=name, concept="queries_keys_values", stage=stage, title=title, code=code, why=why, **more)


OTHER = (
    "Queries, keys and values each have their own weight matrix. You used one of these matrices in the place of "
    "another."
)
TURNED = (
    "You used a weight matrix with its rows and columns swapped. Your program shows no error because this matrix is "
    "square."
)
BIAS = "Each of the three projections adds its own bias to every token. You left out one of them."
RESIDUAL = (
    "This residual connection belongs to the block around attention. The output of attention does not contain it."
)
UNUSED = (
    "The multiplication by the weight matrix is missing. The input of a token is not its query, its key or its value."
)

MIXUP_MISTAKES: tuple[Mistake[Any], ...] = (
    _projection_mistake("keys_with_query_weights", "W^Q is used for the keys", "k = context @ w_q + b_q", OTHER, "k"),
    _projection_mistake(
        "keys_with_query_weights_alone", "W^Q is used for the keys, with b^K", "k = context @ w_q + b_k", OTHER, "k",
        rank="rare",
    ),
    _projection_mistake("queries_with_key_weights", "W^K is used for the queries", "q = x @ w_k + b_k", OTHER, "q"),
    _projection_mistake("queries_with_value_weights", "W^V is used for the queries", "q = x @ w_v + b_v", OTHER, "q"),
    _projection_mistake("keys_with_value_weights", "W^V is used for the keys", "k = context @ w_v + b_v", OTHER, "k"),
    _projection_mistake("values_with_query_weights", "W^Q is used for the values", "v = context @ w_q + b_q", OTHER,
        "v"),
    _projection_mistake(
        "query_weights_for_all", "W^Q is used for all three", "k, v = context @ w_q + b_q, context @ w_q + b_q", OTHER,
        "k", rank="rare",
    ),
    _projection_mistake(
        "key_weights_for_all", "W^K is used for all three", "q, v = x @ w_k + b_k, context @ w_k + b_k", OTHER, "q",
        rank="rare",
    ),
    _projection_mistake(
        "value_weights_for_all", "W^V is used for all three", "q, k = x @ w_v + b_v, context @ w_v + b_v", OTHER, "q",
        rank="rare",
    ),
    _projection_mistake(
        "query_and_key_weights_swapped", "W^Q and W^K are swapped", "q, k = x @ w_k + b_k, context @ w_q + b_q",
            OTHER, "q"
    ),
    _projection_mistake(
        "query_and_value_weights_swapped", "W^Q and W^V are swapped", "q, v = x @ w_v + b_v, context @ w_q + b_q",
            OTHER,
        "q", rank="rare",
    ),
    _projection_mistake(
        "keys_and_values_swapped", "Keys and values are swapped", "k, v = context @ w_v + b_v, context @ w_k + b_k",
        "Queries are multiplied by keys, and the output is a sum of values. You used the keys as values and the "
        "values as keys.", "k",
    ),
    _projection_mistake("query_weights_transposed", "W^Q is transposed", "q = x @ w_q.T + b_q", TURNED, "q"),
    _projection_mistake("key_weights_transposed", "W^K is transposed", "k = context @ w_k.T + b_k", TURNED, "k"),
    _projection_mistake("value_weights_transposed", "W^V is transposed", "v = context @ w_v.T + b_v", TURNED, "v"),
    _projection_mistake(
        "query_bias_forgotten", "The bias of the queries is missing", "q = x @ w_q", BIAS, "q", shows=has_bias("b_q")
    ),
    _projection_mistake(
        "key_bias_forgotten", "The bias of the keys is missing", "k = context @ w_k",
        f"{BIAS} It adds one number to all scores of a row, so the weights stay the same.", "k", shows=has_bias("b_k"),
    ),
    _projection_mistake(
        "value_bias_forgotten", "The bias of the values is missing", "v = context @ w_v", BIAS, "v",
            shows=has_bias("b_v")
    ),
    _projection_mistake("input_as_values", "The input is used as values", "v = context", UNUSED, "v"),
    _projection_mistake("input_as_queries", "The input is used as queries", "q = x", UNUSED, "q"),
    _projection_mistake("input_as_keys", "The input is used as keys", "k = context", UNUSED, "k"),
    _projection_mistake("scores_of_the_input", "The scores are X Xᵀ, not Q Kᵀ", "scores = x @ context.T", UNUSED,
        "scores"),
    _projection_mistake(
        "nothing_projected", "Nothing is projected: Q = K = V = X", "v = context\nscores = x @ context.T", UNUSED, "v"
    ),
    _projection_mistake(
        "queries_meet_queries", "The scores are Q Qᵀ, not Q Kᵀ", "scores = q @ q.T",
        "You multiplied queries by queries. Multiply each query by the keys.", "scores",
    ),
    _projection_mistake(
        "keys_meet_keys", "The scores are K Kᵀ, not Q Kᵀ", "scores = k @ k.T",
        "You multiplied keys by keys. Multiply each query by the keys.", "scores",
    ),
    _projection_mistake(
        "keys_reshaped", "The keys are reshaped, not transposed", "scores = q @ k.reshape(k.T.shape)",
        "The shape is correct, but the numbers are in other places, because reshape reads and fills row by row. Use "
        ".T: it makes each key a column.", "scores",
    ),
    _projection_mistake(
        "queries_and_keys_normalised", "Queries and keys are divided by their lengths",
        "lengths = np.linalg.norm(q, axis=-1, keepdims=True) * np.linalg.norm(k, axis=-1, keepdims=True).T\n"
        "scores = scores / lengths",
        "This is the cosine of the angle between a query and a key. In attention, the lengths of a query and of a key "
        "also count.", "scores",
    ),
    _projection_mistake(
        "normalised_first", "A layer norm comes before the projections",
        "even = x - x.mean(axis=-1, keepdims=True)\n"
        "normed = even / np.sqrt(even.var(axis=-1, keepdims=True) + 1e-5)\n"
        "q, k, v = normed @ w_q + b_q, normed @ w_k + b_k, normed @ w_v + b_v",
        "Layer norm belongs to the block around attention. Here, the projections use the input as it is.", "q",
        shows=_is_self_attention,
    ),
    _projection_mistake(
        "input_added", "The input is added to the output", "output = output + x",
        RESIDUAL, "output",
    ),
    _projection_mistake(
        "context_ignored", "The context is not used", "k, v = x @ w_k + b_k, x @ w_v + b_v",
        "Keys and values were computed from x. They come from the context; only the queries come from x.", "k",
        needs="It takes a context.", shows=has_context,
    ),
    _projection_mistake(
        "values_from_those_who_ask", "The values come from x, not from the context", "v = x @ w_v + b_v",
        "Keys and values both come from the context: the key and the value of one token belong together.", "v",
        needs="It takes a context.", shows=has_context,
    ),
    _projection_mistake(
        "keys_from_those_who_ask", "The keys come from x, not from the context", "k = x @ w_k + b_k",
        "Keys and values both come from the context: the key and the value of one token belong together.", "k",
        needs="It takes a context.", shows=has_context,
    ),
    _projection_mistake(
        "roles_swapped", "The queries come from the context, keys and values from x",
        "q, k, v = context @ w_q + b_q, x @ w_k + b_k, x @ w_v + b_v",
        "Queries come from x, and keys and values come from the context. You swapped x and the context, so the output "
        "has a row for each token of the context.", "q",
        needs="It takes a context.", shows=has_context,
    ),
    Mistake(
        name="outer_products_not_scaled",
        concept="queries_keys_values",
        stage="output",
        title="The scores are outer products, not dot products, and are not scaled",
        code="""\
def mixture(query, value):
    products = np.stack([np.outer(query, key) for key in k])
    return (softmax(products, axis=(0, 1, 2)) @ value).sum(axis=0)
output = np.stack([mixture(*pair) for pair in zip(q, v)])""",
        why="A column times a row is a matrix, but a score is one number. Also, you did not divide by the square root "
            "of d_k.",
        sources=("002-02", "002-03", "002-05"),
        needs="It is written out without a mask, and for at most a million products.",
        shows=has_few_products,
        rank="rare",
    ),
)  # fmt: skip
