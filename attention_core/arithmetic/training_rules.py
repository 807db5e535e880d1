"""How each cell of layers, of writing, of training and of the path is computed."""

from __future__ import annotations

import numpy as np

from attention_core.arithmetic.attention_rules import attention_rules, product_with, scaled_by
from attention_core.arithmetic.formulas import (
    Choice,
    Fixed,
    Formula,
    Grid,
    Index,
    Known,
    Pattern,
    Share,
    UnlessNeutral,
    apply,
    given_rules,
    letters,
    softmax_of,
    total,
)
from attention_core.arithmetic.terms import CellCalculations, Rules
from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array
from attention_core.experiments.training import LEARNING, PathSteps, TrainingTrace
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
    i, j, n = letters("i j n")
    width, d_model, means = t.x.shape[-1], Fixed(t.x.shape[-1], "d_model"), Grid("means", t.norm.mean)
    added = Grid("summed", t.summed)
    mean = total(n, width, added[i, n]) / d_model
    variance = total(n, width, (added[i, n] - means[i, 0]) ** Fixed(2.0)) / d_model
    spread = apply("root", variance + Fixed(t.norm.eps))
    normed = (added[i, j] - means[i, 0]) / Grid("spreads", t.norm.spread)[i, 0]
    return CellCalculations({
        "summed": (t.summed, Formula((i, j), Grid("x", t.x)[i, j] + Grid("mixed", t.found)[i, j])),
        "means": (t.norm.mean, Formula((i, j), mean)),
        "spreads": (t.norm.spread, Formula((i, j), spread)),
        "normed": (t.output, Formula((i, j), normed)),
    })  # fmt: skip


def next_word_rules(t: NextWordTrace, w_o: Array, *, attends: bool = True) -> CellCalculations:
    """Return how each cell is calculated, from the tokens to the probabilities of the next word.

    If `attends` is false, the output of the head is multiplied by 0, so that the head adds nothing to the tokens.
    """
    i, j, n = letters("i j n")
    mixed = product_with(Grid("output", t.head.output), "w_o", w_o)
    added, logits = Grid("summed", t.summed), Grid("logits", t.logits)
    logit = total(n, t.summed.shape[-1], added[i, n] * Grid("vocabulary", t.vocabulary)[j, n])
    chances = softmax_of(lambda at: logits[i, at], t.logits.shape[-1], j)
    return CellCalculations({
        **attention_rules(t.head), **given_rules(w_o=w_o, vocabulary=t.vocabulary),
        "mixed": (t.mixed, mixed if attends else Formula((i, j), Fixed(0.0) * mixed.pattern)),
        "summed": (t.summed, Formula((i, j), Grid("x", t.head.x)[i, j] + Grid("mixed", t.mixed)[i, j])),
        "logits": (t.logits, Formula((i, j), logit)),
        "chances": (t.chances, Formula((i, j), chances)),
    })  # fmt: skip


def kept_rules(t: SampleTrace, logits_of_rows: Array) -> Rules:
    """Return how the probabilities of the words are calculated after some words were left out.

    The probabilities are the matrix "kept", with the shape (1, n_words). The last of `logits_of_rows` are those of `t`.
    """
    i, j, n = letters("i j n")
    logits, temperature = Grid("logits", logits_of_rows), Fixed(t.temperature, "temperature")
    last, kept = len(logits_of_rows) - 1, np.flatnonzero(t.kept)
    leaves_out = t.top_p not in (None, 1) or (t.top_k or len(t.kept)) < len(t.kept)

    def power(at: Index) -> Pattern:
        return apply("exp", UnlessNeutral("quotient", (logits[last, at], temperature)))

    share = power(j) / total(n, len(kept), power(n.among(kept)))
    return {"kept": (t.probabilities[None], Formula((i, j), Choice(t.kept, (j,), (share, Fixed(0.0)), leaves_out)))}


def loss_rules(chances: Array, target: int) -> Rules:
    """Return how the loss is calculated if the next word is number `target` of the vocabulary.

    The loss is −ln of the probability of this word, in the last row of `chances`. The loss is the matrix "word_loss",
    with the shape (1, 1).
    """
    return {"word_loss": _loss_of(Grid("chances", chances), target)}


def _loss_of(shares: Grid, target: int) -> tuple[Array, Formula]:
    """Return −ln of the share in the column `target` of the last row, with the shape (1, 1), and its formula."""
    share = shares[len(shares.values) - 1, target]
    with np.errstate(divide="ignore"):  # a share that underflows to 0 has the loss ∞
        return -np.log(shares.values[-1:, [target]]), Formula(letters("i j"), apply("log", Fixed(1.0) / share))


def feed_forward_rules(t: FeedForwardTrace, stream: Array) -> Rules:
    """Return how each cell of a feed-forward network without biases is calculated.

    The input of the network has the name "summed". `stream` is the input of the network plus the output of the network.
    """
    i, j = letters("i j")
    bent = apply("maximum", Grid("widened", t.hidden.x)[i, j], Fixed(0.0))
    return {
        **given_rules(w_up=t.w_up, w_down=t.w_down),
        "widened": (t.hidden.x, product_with(Grid("summed", t.x), "w_up", t.w_up)),
        "bent": (t.hidden.output, Formula((i, j), bent)),
        "fed": (t.output, product_with(Grid("bent", t.hidden.output), "w_down", t.w_down)),
        "stream": (stream, Formula((i, j), Grid("summed", t.x)[i, j] + Grid("fed", t.output)[i, j])),
    }


def training_rules(t: TrainingTrace) -> CellCalculations:
    """Return how each cell of every matrix of a training step is calculated, in the forward and the backward pass."""
    return CellCalculations({**forward_backward_rules(t.forward, t.back), **_loss_rules(t), **_jacobian_rules(t)})


def step_rules(t: TrainingTrace, before: TrainingTrace, lr: float) -> CellCalculations:
    """Return how each cell of the forward pass is calculated after a step of training, from `before` the step to `t`.

    A learned matrix is w_before − lr · grad_w. The names of the matrices before the step end in "_before". These, and
    the gradients, have no formula here: they are those of `training_rules(before)`.
    """
    i, j = letters("i j")
    rate, learned = Fixed(lr, "rate"), dict[str, tuple[Array, Formula]]()
    for name in LEARNING[before.aim.learns]:
        old = Grid(f"{name}_before", getattr(before.forward, name))
        slope = Grid(f"grad_{name}", getattr(before.back, f"grad_{name}"))
        learned[name] = (getattr(t.forward, name), Formula((i, j), old[i, j] - rate * slope[i, j]))
    return CellCalculations({**attention_rules(t.forward), **_loss_rules(t), **learned})


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
    """Return how the probabilities (softmax of a token's output), the loss and the output's gradient are calculated."""
    i, j = letters("i j")
    token, probabilities, targets = t.aim.token, t.loss.probabilities, t.targets
    output = Grid("output", t.forward.output)
    shares = softmax_of(lambda at: output[token, at], t.forward.output.shape[-1], j)
    share = Grid("probabilities", probabilities)
    too_much = share[0, j] - Grid("targets", targets)[0, j]
    is_token = np.arange(len(t.back.grad_output)) == token
    return {
        **given_rules(targets=targets),
        "probabilities": (probabilities, Formula((i, j), shares)),
        "loss": _loss_of(share, t.aim.target),
        "grad_output": (t.back.grad_output, Formula((i, j), Choice(is_token, (i,), (too_much, Fixed(0.0))))),
    }


def _jacobian_rules(t: TrainingTrace) -> Rules:
    """Return how the Jacobian of one token's softmax is calculated: how fast each weight grows with each score.

    The training improves the output of this token.
    """
    i, j = letters("i j")
    shares, token = t.forward.weights, t.aim.token
    weights = Grid("weights", shares)
    slope = weights[token, i] * (Known(np.eye(len(shares[token])), (i, j)) - weights[token, j])
    return {"jacobian": (softmax_jacobian(shares[token]), Formula((i, j), slope))}


def _weight_gradients(forward: SelfAttentionTrace, back: SelfAttentionGradient) -> Rules:
    """Return how the gradients of the weights, the values, the scaled scores and the scores are calculated."""
    i, j, n = letters("i j n")
    weights, slopes = Grid("weights", forward.weights), Grid("grad_weights", back.grad_weights)
    of_output, values = Grid("grad_output", back.grad_output), Grid("v", forward.v)
    n_queries, n_keys = forward.weights.shape
    average = total(n, n_keys, weights[i, n] * slopes[i, n])
    of_scaled = scaled_by(forward.scale, forward.q.shape[-1], Grid("grad_scaled", back.grad_scaled)[i, j])
    formulas = {
        "grad_weights": total(n, forward.v.shape[-1], of_output[i, n] * values[j, n]),
        "grad_v": total(n, n_queries, weights[n, i] * of_output[n, j]),
        "grad_scaled": weights[i, j] * (slopes[i, j] - average),
        "grad_scores": of_scaled,
    }
    return {name: (getattr(back, name), Formula((i, j), pattern)) for name, pattern in formulas.items()}


def _matrix_gradients(forward: SelfAttentionTrace, back: SelfAttentionGradient) -> Rules:
    """Return how the gradients of the queries, the keys, W^Q, W^K and W^V are calculated."""
    i, j, n = letters("i j n")
    slopes, x = Grid("grad_scores", back.grad_scores), Grid("x", forward.x)
    source = Grid("x" if forward.context is forward.x else "context", forward.context)
    n_queries, n_keys = forward.scores.shape
    gradients = {name: Grid(f"grad_{name}", getattr(back, f"grad_{name}")) for name in ("q", "k", "v")}
    formulas = {
        "grad_q": total(n, n_keys, slopes[i, n] * Grid("k", forward.k)[n, j]),
        "grad_k": total(n, n_queries, slopes[n, i] * Grid("q", forward.q)[n, j]),
        "grad_w_q": total(n, n_queries, x[n, i] * gradients["q"][n, j]),
        "grad_w_k": total(n, n_keys, source[n, i] * gradients["k"][n, j]),
        "grad_w_v": total(n, n_keys, source[n, i] * gradients["v"][n, j]),
    }
    return {name: (getattr(back, name), Formula((i, j), pattern)) for name, pattern in formulas.items()}


def path_rules(t: PathSteps, w_o: Array) -> CellCalculations:
    """Return how each cell of attention with one head and of three further matrices is calculated.

    The three matrices are "overlaps" (x xᵀ), "mixed" (output · w_o) and "summed" (x + mixed).
    """
    i, j, n = letters("i j n")
    a, x = t.attention, Grid("x", t.attention.x)
    return CellCalculations({
        **attention_rules(a), **given_rules(w_o=w_o),
        "overlaps": (t.overlaps, Formula((i, j), total(n, a.x.shape[-1], x[i, n] * x[j, n]))),
        "mixed": (t.mixed, product_with(Grid("output", a.output), "w_o", w_o)),
        "summed": (t.summed, Formula((i, j), x[i, j] + Grid("mixed", t.mixed)[i, j])),
    })  # fmt: skip


def plain_softmax_rules(t: PathSteps) -> CellCalculations:
    """Return how the softmax of the scores is calculated by hand, without a division by √d_k.

    The matrix "powers" has e to the power of each score. A weight is a power divided by the sum of the powers in the
    same row.
    """
    i, j, n = letters("i j n")
    values = t.attention.scores
    scores, powers = Grid("scores", values), Grid("powers", t.powers)
    n_keys, sums = values.shape[-1], t.powers.sum(axis=-1)
    by_hand = np.isfinite(t.powers).all(axis=-1) & (sums > 0)
    shifted = softmax_of(lambda at: scores[i, at], n_keys, j)
    share = Choice(by_hand, (i,), (Share((powers[i, j], total(n, n_keys, powers[i, n]))), shifted))
    return CellCalculations({
        **given_rules(scores=values),
        "powers": (t.powers, Formula((i, j), apply("exp", scores[i, j]))),
        "weights": (t.plain.weights, Formula((i, j), share)),
    })  # fmt: skip
