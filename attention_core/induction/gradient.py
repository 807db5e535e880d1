"""Compute the gradient of the induction model: backward through the logits and each layer to the embedding tables."""

from __future__ import annotations

import numpy as np

from attention_core.checks import Array
from attention_core.cross_entropy import CrossEntropyTrace
from attention_core.gradients.cross_entropy import cross_entropy_gradient
from attention_core.gradients.projection import through_projection
from attention_core.gradients.self_attention import self_attention_gradient
from attention_core.induction.model import Layer, LayerTrace, Model, ModelTrace


def model_gradient(model: Model, trace: ModelTrace, loss_trace: CrossEntropyTrace) -> Model:
    """Return the gradient of the loss for each learned number, as a `Model` whose matrices are the gradients.

    The gradient of the logits is that of `cross_entropy_gradient`. The output of a layer is its input plus the output
    of its head, so the gradient goes back along both: grad_x = grad_output + the head's grad_x. The gradient of a
    symbol or a position is the sum over all its uses.

    Source: the chain rule, after `self_attention_gradient` and `projection_gradient`.
    """
    last = trace.layers[-1].output
    named = through_projection(last, model.unembedding, None, cross_entropy_gradient(loss_trace).grad_logits)
    arrives, layers = named.grad_x, list[Layer]()
    for layer, steps in zip(reversed(model.layers), reversed(trace.layers), strict=True):
        gradient, arrives = _through_layer(layer, steps, arrives)
        layers.insert(0, gradient)
    return Model(
        embedding=_sum_by_symbol(trace, arrives, model.embedding),
        positions=_sum_by_position(arrives, model.positions),
        unembedding=named.grad_w,
        layers=tuple(layers),
    )


def _through_layer(layer: Layer, steps: LayerTrace, grad_output: Array) -> tuple[Layer, Array]:
    """Return the gradients of a layer's matrices, and the gradient of its input."""
    mixed = through_projection(steps.head.output, layer.w_o, None, grad_output)
    head = self_attention_gradient(steps.head, mixed.grad_x)
    return Layer(w_q=head.grad_w_q, w_k=head.grad_w_k, w_v=head.grad_w_v, w_o=mixed.grad_w), grad_output + head.grad_x


def _sum_by_symbol(trace: ModelTrace, grad_x: Array, embedding: Array) -> Array:
    """Return the sum of the gradients of all uses of each symbol, in the shape of the embedding."""
    uses = np.equal(trace.tokens.ravel(), np.arange(len(embedding))[:, None]).astype(grad_x.dtype)
    return uses @ grad_x.reshape(-1, grad_x.shape[-1])


def _sum_by_position(grad_x: Array, positions: Array) -> Array:
    """Return the sum of the gradients at each position, in the shape of `positions`."""
    gathered = np.zeros_like(positions)
    gathered[: grad_x.shape[-2]] = grad_x.reshape(-1, *grad_x.shape[-2:]).sum(axis=0)
    return gathered
