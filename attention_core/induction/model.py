"""The induction model: each head adds its output to the vectors of symbols and positions. The sums give the logits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.attention import SelfAttentionTrace, self_attention
from attention_core.checks import Array, floats
from attention_core.masks import causal_mask

N_SYMBOLS = D_MODEL = CONTEXT = 32

Tokens = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Layer:
    """The learned matrices of one layer, which has one head."""

    w_q: Array  # all four matrices are (d_model, d_model)
    w_k: Array
    w_v: Array
    w_o: Array


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Model:
    """All learned numbers of the induction model."""

    embedding: Array  # (n_symbols, d_model) a vector for each symbol
    positions: Array  # (context, d_model) a vector for each position
    unembedding: Array  # (d_model, n_symbols) how much each feature adds to the score of each symbol
    layers: tuple[Layer, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LayerTrace:
    """The results of one layer: every step of its head, the output of the head, and the output of the layer."""

    head: SelfAttentionTrace
    added: Array  # (…, n, d_model) the output of the head times w_o
    output: Array  # (…, n, d_model) the input of the layer plus `added`


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ModelTrace:
    """Every intermediate result of the model for a sequence."""

    tokens: Tokens  # (…, n) the number of each symbol
    x: Array  # (…, n, d_model) the sum of the vectors of symbols and positions
    layers: tuple[LayerTrace, ...]
    logits: Array  # (…, n, n_symbols) the score of each symbol as the next symbol


def run(model: Model, tokens: ArrayLike, first_weights: ArrayLike | None = None) -> ModelTrace:
    """Predict the next symbol at each position of a sequence.

    x = embedding[tokens] + positions; each layer adds softmax(q kᵀ / √d_k, causal) v w_o; logits = x unembedding

    If `first_weights` is given, it replaces the weights of the first head.

    Shapes: tokens (…, n), whole numbers below n_symbols, with n at most the context; first_weights (n, n)
            → logits (…, n, n_symbols).
    Raises: ValueError if a token is not a symbol, there are too many tokens, or first_weights has another shape.
    Source: Elhage et al. 2021; Olsson et al. 2022, arXiv:2209.11895.
    """
    tokens = _check_tokens(model, tokens)
    x = model.embedding[tokens] + model.positions[: tokens.shape[-1]]
    layers = list[LayerTrace]()
    for i, layer in enumerate(model.layers):
        layers.append(_run_layer(layer, layers[-1].output if layers else x, first_weights if i == 0 else None))
    return ModelTrace(tokens=tokens, x=x, layers=tuple(layers), logits=layers[-1].output @ model.unembedding)


def _run_layer(layer: Layer, x: Array, weights: ArrayLike | None) -> LayerTrace:
    head = self_attention(x, layer.w_q, layer.w_k, layer.w_v, mask=causal_mask(x.shape[-2]))
    head = head if weights is None else _with_weights(head, floats("first", weights, min_rank=2))
    added = head.output @ layer.w_o
    return LayerTrace(head=head, added=added, output=x + added)


def _with_weights(head: SelfAttentionTrace, weights: Array) -> SelfAttentionTrace:
    if weights.shape != head.weights.shape[-2:]:
        raise ValueError(
            f"first must have one row and one column a token; got {weights.shape}, weights {head.weights.shape}: "
            "make it as large as the sequence is long."
        )
    return replace(head, weights=np.broadcast_to(weights, head.weights.shape), output=weights @ head.v)


def _check_tokens(model: Model, tokens: ArrayLike) -> Tokens:
    tokens, (n_symbols, _), (context, _) = np.asarray(tokens), model.embedding.shape, model.positions.shape
    if tokens.ndim == 0 or tokens.dtype.kind not in "iu" or (tokens < 0).any() or (tokens >= n_symbols).any():
        raise ValueError(
            f"tokens must be whole numbers from 0 to {n_symbols - 1}; got {tokens.tolist()}: number the symbols from 0."
        )
    if not 1 <= tokens.shape[-1] <= context:
        raise ValueError(
            f"a sequence must have from 1 to {context} tokens; got {tokens.shape[-1]}: there is a vector for no more."
        )
    return tokens
