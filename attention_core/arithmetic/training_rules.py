"""Calculations in a training step: how each cell of the forward pass and each gradient is computed.

The name of a gradient is "grad_" and the name of its matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from attention_core.arithmetic.attention_rules import attention_rules
from attention_core.arithmetic.building import cell_of, column_of, dot, given_rules, greatest_of, row_of, share_of
from attention_core.arithmetic.terms import Number, Operation, Term
from attention_core.arithmetic.worked import CellCalculations, Rules
from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.experiments.training import TrainingTrace
from attention_core.gradients.self_attention import SelfAttentionGradient
from attention_core.gradients.softmax import softmax_jacobian


def training_rules(t: TrainingTrace) -> CellCalculations:
    """Return how each cell of every matrix of a training step is calculated, in the forward and the backward pass."""
    return CellCalculations({**forward_backward_rules(t.forward, t.back), **_loss_rules(t), **_jacobian_rules(t)})


def forward_backward_rules(forward: SelfAttentionTrace, back: SelfAttentionGradient) -> Rules:
    """Return how each cell of the forward and the backward pass of attention is calculated.

    `forward` is the forward pass, and `back` has its gradients. The gradient of the output is given, and not computed
    from a loss.
    """
    return {
        **attention_rules(forward),
        **given_rules(grad_output=back.grad_output),
        **_weight_gradients(forward, back),
        **_matrix_gradients(forward, back),
    }


def _loss_rules(t: TrainingTrace) -> Rules:
    """Return how the probabilities (the softmax of one token's output) and the output's gradient are calculated."""
    token, probabilities, targets = t.aim.token, t.loss.probabilities, t.targets

    def probability(_: int, j: int) -> Term:
        row = row_of("output", t.forward.output, token)
        peak = greatest_of(row)
        powers = [Operation("exp", (Operation("difference", (number, peak)),)) for number in row]
        return share_of(powers[j], Operation("sum", tuple(powers)))

    def too_much(i: int, j: int) -> Term:
        if i != token:
            return Number(0.0)
        return _difference(cell_of("probabilities", probabilities, 0, j), cell_of("targets", targets, 0, j))

    return {
        **given_rules(targets=targets),
        "probabilities": (probabilities, probability),
        "grad_output": (t.back.grad_output, too_much),
    }


def _jacobian_rules(t: TrainingTrace) -> Rules:
    """Return how the Jacobian of one token's softmax is calculated: how fast each weight grows with each score.

    The training improves the output of this token.
    """
    weights, token = t.forward.weights, t.aim.token

    def slope(i: int, j: int) -> Term:
        share, other = (cell_of("weights", weights, token, place) for place in (i, j))
        rest = _difference(Number(1.0 if i == j else 0.0), other)
        return Operation("product", (share, rest))

    return {"jacobian": (softmax_jacobian(weights[token]), slope)}


def _weight_gradients(forward: SelfAttentionTrace, back: SelfAttentionGradient) -> Rules:
    """Return how the gradients of the weights, the values, the scaled scores and the scores are calculated."""

    def grad_weight(i: int, j: int) -> Term:
        return dot(row_of("grad_output", back.grad_output, i), row_of("v", forward.v, j))

    def grad_value(i: int, j: int) -> Term:
        return dot(column_of("weights", forward.weights, i), column_of("grad_output", back.grad_output, j))

    def grad_scaled(i: int, j: int) -> Term:
        average = dot(row_of("weights", forward.weights, i), row_of("grad_weights", back.grad_weights, i))
        more = _difference(cell_of("grad_weights", back.grad_weights, i, j), average)
        return Operation("product", (cell_of("weights", forward.weights, i, j), more))

    return {
        "grad_weights": (back.grad_weights, grad_weight),
        "grad_v": (back.grad_v, grad_value),
        "grad_scaled": (back.grad_scaled, grad_scaled),
        "grad_scores": (back.grad_scores, _rule_of_scale(forward, back)),
    }


def _rule_of_scale(forward: SelfAttentionTrace, back: SelfAttentionGradient) -> Callable[..., Term]:
    """Return a function that takes the row and the column of a score, and returns how its gradient is calculated.

    This gradient is the gradient of the scaled score times the scale.
    """
    d_k = forward.q.shape[-1]

    def rule(i: int, j: int) -> Term:
        cell = cell_of("grad_scaled", back.grad_scaled, i, j)
        if math.isclose(forward.scale, d_k**-0.5):
            return Operation("quotient", (cell, Operation("root", (Number(d_k, "d_k"),))))
        return Operation("product", (cell, Number(forward.scale, "scale")))

    return rule


def _matrix_gradients(forward: SelfAttentionTrace, back: SelfAttentionGradient) -> Rules:
    """Return how the gradients of the queries, the keys, W^Q, W^K and W^V are calculated."""

    def grad_query(i: int, j: int) -> Term:
        return dot(row_of("grad_scores", back.grad_scores, i), column_of("k", forward.k, j))

    def grad_key(i: int, j: int) -> Term:
        return dot(column_of("grad_scores", back.grad_scores, i), column_of("q", forward.q, j))

    source = ("x" if forward.context is forward.x else "context", forward.context)
    return {
        "grad_q": (back.grad_q, grad_query),
        "grad_k": (back.grad_k, grad_key),
        "grad_w_q": (back.grad_w_q, _rule_of_matrix_gradient("x", forward.x, "grad_q", back.grad_q)),
        "grad_w_k": (back.grad_w_k, _rule_of_matrix_gradient(*source, "grad_k", back.grad_k)),
        "grad_w_v": (back.grad_w_v, _rule_of_matrix_gradient(*source, "grad_v", back.grad_v)),
    }


def _rule_of_matrix_gradient(x_name: str, x: Array, name: str, gradient: Array) -> Callable[..., Term]:
    """Return a function that takes a row and a column, and returns the calculation of this cell of xᵀ gradient.

    The product xᵀ gradient is the gradient of a learned matrix. `x_name` and `name` are the names of `x` and
    `gradient`.
    """

    def rule(i: int, j: int) -> Term:
        return dot(column_of(x_name, x, i), column_of(name, gradient, j))

    return rule


def _difference(left: Term, right: Term) -> Operation:
    return Operation("difference", (left, right))
