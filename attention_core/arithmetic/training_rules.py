"""How each cell of layers, of writing, of training and of the path is computed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from attention_core.arithmetic.attention_rules import attention_rules
from attention_core.arithmetic.terms import (
    CellCalculations,
    Number,
    Operation,
    Rules,
    Term,
    cell_of,
    column_of,
    dot,
    given_rules,
    greatest_of,
    row_of,
    share_of,
)
from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.experiments.training import PathSteps, TrainingTrace
from attention_core.feed_forward import FeedForwardTrace
from attention_core.gradients.attention import SelfAttentionGradient
from attention_core.gradients.parts import softmax_jacobian
from attention_core.next_word import SampleTrace
from attention_core.normalization import AddAndNormTrace
from attention_core.writing.small_model import NextWordTrace


def add_and_norm_rules(t: AddAndNormTrace) -> CellCalculations:
    """Return how the matrices of add and norm are calculated: the sum, its means and spreads, and the normalised sum.

    Each row has a mean, and a spread, which is √(variance + eps). In these calculations, the matrix that is added to x
    has the name "mixed", because it is the output of all heads. The trace must be of one text, so that its matrices
    have two axes.
    """
    mean, spread, d_model = t.norm.mean, t.norm.spread, Number(t.x.shape[-1], "d_model")

    def summed(i: int, j: int) -> Term:
        return Operation("sum", (cell_of("x", t.x, i, j), cell_of("mixed", t.found, i, j)))

    def mean_of(i: int, _: int) -> Term:
        return Operation("quotient", (Operation("sum", tuple(row_of("summed", t.summed, i))), d_model))

    def spread_of(i: int, _: int) -> Term:
        away = [Operation("difference", (each, cell_of("means", mean, i, 0))) for each in row_of("summed", t.summed, i)]
        squares = Operation("sum", tuple(Operation("power", (each, Number(2.0))) for each in away))
        variance = Operation("quotient", (squares, d_model))
        return Operation("root", (Operation("sum", (variance, Number(t.norm.eps))),))

    def normed(i: int, j: int) -> Term:
        centred = Operation("difference", (cell_of("summed", t.summed, i, j), cell_of("means", mean, i, 0)))
        return Operation("quotient", (centred, cell_of("spreads", spread, i, 0)))

    return CellCalculations({
        "summed": (t.summed, summed), "means": (mean, mean_of), "spreads": (spread, spread_of),
        "normed": (t.output, normed),
    })  # fmt: skip


def next_word_rules(t: NextWordTrace, w_o: Array, *, attends: bool = True) -> CellCalculations:
    """Return how each cell is calculated, from the tokens to the probabilities of the next word.

    If `attends` is false, the output of the head is multiplied by 0, so that the head adds nothing to the tokens.
    """

    def mixed(i: int, j: int) -> Term:
        both = dot(row_of("output", t.head.output, i), column_of("w_o", w_o, j))
        return both if attends else Operation("product", (Number(0.0), both))

    def summed(i: int, j: int) -> Term:
        return Operation("sum", (cell_of("x", t.head.x, i, j), cell_of("mixed", t.mixed, i, j)))

    def logit(i: int, j: int) -> Term:
        return dot(row_of("summed", t.summed, i), row_of("vocabulary", t.vocabulary, j))

    def chance(i: int, j: int) -> Term:
        return _probability(row_of("logits", t.logits, i), j)

    return CellCalculations({
        **attention_rules(t.head), **given_rules(w_o=w_o, vocabulary=t.vocabulary),
        "mixed": (t.mixed, mixed), "summed": (t.summed, summed), "logits": (t.logits, logit),
        "chances": (t.chances, chance),
    })  # fmt: skip


def kept_rules(t: SampleTrace) -> Rules:
    """Return how the probabilities of the words are calculated after some words were left out.

    The probabilities are the matrix "kept", with the shape (1, n_words).
    """

    def share(_: int, j: int) -> Term:
        logits, temperature = row_of("logits", t.logits[None], 0), Number(t.temperature, "temperature")
        if not t.kept[j]:
            return Number(0.0)
        kept = [number for number, stays in zip(logits, t.kept.tolist(), strict=True) if stays]
        cooled = [each if t.temperature == 1 else Operation("quotient", (each, temperature)) for each in kept]
        powers = [Operation("exp", (each,)) for each in cooled]
        return share_of(powers[int(t.kept[:j].sum())], Operation("sum", tuple(powers)))

    return {"kept": (t.probabilities[None], share)}


def loss_rules(chances: Array, target: int) -> Rules:
    """Return how the loss is calculated if the next word is number `target` of the vocabulary.

    The loss is −ln of the probability of this word, in the last row of `chances`. The loss is the matrix "word_loss",
    with the shape (1, 1).
    """

    def loss(_: int, __: int) -> Term:
        chance = cell_of("chances", chances, len(chances) - 1, target)
        return Operation("log", (Operation("quotient", (Number(1.0), chance)),))

    with np.errstate(divide="ignore"):  # a probability that underflows to 0 has the loss ∞
        return {"word_loss": (-np.log(chances[-1:, [target]]), loss)}


def feed_forward_rules(t: FeedForwardTrace, stream: Array) -> Rules:
    """Return how each cell of a feed-forward network without biases is calculated.

    The input of the network has the name "summed". `stream` is the input of the network plus the output of the network.
    """

    def widened(i: int, j: int) -> Term:
        return dot(row_of("summed", t.x, i), column_of("w_up", t.w_up, j))

    def bent(i: int, j: int) -> Term:
        return Operation("maximum", (cell_of("widened", t.hidden.x, i, j), Number(0.0)))

    def fed(i: int, j: int) -> Term:
        return dot(row_of("bent", t.hidden.output, i), column_of("w_down", t.w_down, j))

    def added(i: int, j: int) -> Term:
        return Operation("sum", (cell_of("summed", t.x, i, j), cell_of("fed", t.output, i, j)))

    return {
        **given_rules(w_up=t.w_up, w_down=t.w_down),
        "widened": (t.hidden.x, widened),
        "bent": (t.hidden.output, bent),
        "fed": (t.output, fed),
        "stream": (stream, added),
    }


def _probability(row: list[Number], place: int) -> Term:
    peak = greatest_of(row)
    powers = [Operation("exp", (Operation("difference", (number, peak)),)) for number in row]
    return share_of(powers[place], Operation("sum", tuple(powers)))


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
    def rule(i: int, j: int) -> Term:
        return dot(column_of(x_name, x, i), column_of(name, gradient, j))

    return rule


def _difference(left: Term, right: Term) -> Operation:
    return Operation("difference", (left, right))


def path_rules(t: PathSteps, w_o: Array) -> CellCalculations:
    """Return how each cell of attention with one head and of three further matrices is calculated.

    The three matrices are "overlaps" (x xᵀ), "mixed" (output · w_o) and "summed" (x + mixed).
    """
    a = t.attention

    def overlap(i: int, j: int) -> Term:
        return dot(row_of("x", a.x, i), row_of("x", a.x, j))

    def mixed(i: int, j: int) -> Term:
        return dot(row_of("output", a.output, i), column_of("w_o", w_o, j))

    def summed(i: int, j: int) -> Term:
        return Operation("sum", (cell_of("x", a.x, i, j), cell_of("mixed", t.mixed, i, j)))

    own = {"overlaps": (t.overlaps, overlap), "mixed": (t.mixed, mixed), "summed": (t.summed, summed)}
    return CellCalculations({**attention_rules(a), **given_rules(w_o=w_o), **own})


def plain_softmax_rules(t: PathSteps) -> CellCalculations:
    """Return how the softmax of the scores is calculated by hand, without a division by √d_k.

    The matrix "powers" has e to the power of each score. A weight is a power divided by the sum of the powers in the
    same row.
    """
    scores = t.attention.scores

    def power(i: int, j: int) -> Term:
        return Operation("exp", (cell_of("scores", scores, i, j),))

    def share(i: int, j: int) -> Term:
        row = row_of("powers", t.powers, i)
        if np.isfinite(t.powers[i]).all() and t.powers[i].sum() > 0:
            return share_of(row[j], Operation("sum", tuple(row)))
        return _share_of_shifted(i, j)

    def _share_of_shifted(i: int, j: int) -> Term:
        row = row_of("scores", scores, i)
        powers = [Operation("exp", (Operation("difference", (score, greatest_of(row))),)) for score in row]
        return share_of(powers[j], Operation("sum", tuple(powers)))

    return CellCalculations(
        {**given_rules(scores=scores), "powers": (t.powers, power), "weights": (t.plain.weights, share)}
    )
