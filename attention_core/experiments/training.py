"""Steps of training, and the numbers of the path."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace, attend, with_scale
from attention_core.caching import cache_recent
from attention_core.checks import Array, floats, positive_integer
from attention_core.examples import Example
from attention_core.experiments.positions import ShuffleTrace, new_order, shuffle_tokens
from attention_core.gradients.attention import SelfAttentionGradient, attention_gradient, self_attention_gradient
from attention_core.gradients.optimizers import sgd_step
from attention_core.gradients.parts import cross_entropy_gradient
from attention_core.masks import causal_mask
from attention_core.next_word import CrossEntropyTrace, cross_entropy
from attention_core.softmax import softmax

WayBack = Callable[[SelfAttentionTrace, ArrayLike], SelfAttentionGradient]

# The matrices that learn: all, only the values, or only queries and keys.
LEARNING = {"all": ("w_q", "w_k", "w_v"), "what": ("w_v",), "where": ("w_q", "w_k")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """The aim of the training: in one token's output, the greatest number should be in the column `target`."""

    token: int  # the token whose output counts
    target: int  # the correct column of the output, from 0
    mask: str = "none"  # the name of a mask, as `Example.mask` takes it
    times: float = 1.0  # a factor of the scaled scores: 10 saturates the softmax
    learns: Literal["all", "what", "where"] = "all"  # which matrices learn: a key of `LEARNING`


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainingTrace:
    """Attention on one example, forward to its loss, and backward to the gradient of every matrix."""

    aim: Aim
    forward: SelfAttentionTrace
    loss: CrossEntropyTrace  # the loss of one row: the output of the token is read as logits (1, d_v)
    back: SelfAttentionGradient

    @property
    def targets(self) -> Array:
        """The correct probabilities: 1 in the column of the target, 0 elsewhere (1, d_v)."""
        return np.eye(self.loss.logits.shape[-1])[self.loss.targets]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TrainedExample:
    """An example after some steps of training, the loss before the first step, and the loss after each step."""

    example: Example  # the example with the learned matrices
    losses: Array  # (steps + 1,) the loss before the first step, and after each step


def training_trace(example: Example, aim: Aim, backward_pass: WayBack = self_attention_gradient) -> TrainingTrace:
    """Compute the loss of an example, and the gradient of every matrix.

    loss = −ln softmax(output[token])[target]. The gradient of the output is softmax(output[token]) − one-hot(target) in
    the row of the token, and 0 in all other rows. `aim` has the token and the target. `backward_pass` computes the
    gradients of attention.

    Shapes: output (n_q, d_v), of which only the row of the token counts.
    Raises: ValueError if the example does not have the token or the target.
    Source: Bridle 1990; Rumelhart, Hinton & Williams 1986.
    """
    _check_place("token", aim.token, len(example.tokens))
    scale = aim.times / example.w_q.shape[-1] ** 0.5
    forward = example.attention(mask=example.mask(aim.mask), scale=scale)
    loss, upstream = _loss_and_gradient(aim, forward.output)
    return TrainingTrace(aim=aim, forward=forward, loss=loss, back=backward_pass(forward, upstream))


def _loss_and_gradient(aim: Aim, output: Array) -> tuple[CrossEntropyTrace, Array]:
    """Return the loss of an output, and the gradient of the loss with respect to this output."""
    loss = cross_entropy(output[[aim.token]], np.array([aim.target]))
    upstream = np.zeros_like(output)
    upstream[aim.token] = cross_entropy_gradient(loss).grad_logits[0]
    return loss, upstream


def take_step(example: Example, trace: TrainingTrace, lr: float) -> Example:
    """Take one step of gradient descent for each matrix that learns, and return the changed example.

    w − lr · grad_w. The biases do not change.

    Raises: ValueError if lr is negative.
    """
    names = LEARNING[trace.aim.learns]
    learned = {name: sgd_step(getattr(example, name), getattr(trace.back, f"grad_{name}"), lr) for name in names}
    return replace(example, **learned)


def trace_after_step(example: Example, trace: TrainingTrace, lr: float) -> TrainingTrace:
    """Compute the trace of an example after one step of training. `trace` is the trace before the step.

    Raises: ValueError for the same reasons as `take_step`.

    >>> from attention_core.examples import example
    >>> story, aim = example("story"), Aim(token=4, target=1)
    >>> trace_after_step(story, training_trace(story, aim), lr=0.1).loss.loss.round(2)
    np.float64(1.25)
    """
    return training_trace(take_step(example, trace, lr), trace.aim)


def train(
    example: Example, aim: Aim, *, lr: float, steps: int, backward_pass: WayBack = self_attention_gradient
) -> TrainedExample:
    """Take some steps of training, one after another, and return the trained example with its losses.

    Shapes: losses (steps + 1,).
    Raises: ValueError for the same reasons as `training_trace` and `take_step`.

    >>> from attention_core.examples import example
    >>> train(example("story"), Aim(token=4, target=1), lr=0.1, steps=2).losses.round(2)
    array([1.46, 1.25, 1.04])
    """
    losses = list[float]()
    for _ in range(steps):
        trace = training_trace(example, aim, backward_pass)
        losses.append(float(trace.loss.loss))
        example = take_step(example, trace, lr)
    losses.append(float(training_trace(example, aim, backward_pass).loss.loss))
    return TrainedExample(example=example, losses=np.array(losses))


def train_at_the_end(example: Example, aim: Aim, *, lr: float, steps: int) -> TrainedExample:
    """Take the same steps as `train`, but change the matrices only once, after the last step.

    A step changes w_q by −lr xᵀ grad_q, and so the queries by −lr x xᵀ grad_q. The same is true of keys and values. So
    a step needs x xᵀ and the sums of the earlier gradients, but no matrix of the size d_model · d_k.

    Shapes: losses (steps + 1,).
    Raises: ValueError for the same reasons as `train`.
    """
    first = training_trace(example, aim).forward
    tokens = {"q": first.x, "k": first.context, "v": first.context}
    begun = {name: getattr(first, name) for name in tokens}
    meetings = {name: rows @ rows.T for name, rows in tokens.items()}
    summed = {name: np.zeros_like(rows) for name, rows in begun.items()}
    losses = list[float]()
    for step in range(steps + 1):
        now = {name: rows - lr * (meetings[name] @ summed[name]) for name, rows in begun.items()}
        trace = attend(**now, mask=first.mask, scale=first.scale)
        loss, upstream = _loss_and_gradient(aim, trace.output)
        losses.append(float(loss.loss))
        if step < steps:
            back = attention_gradient(trace, upstream)
            for name in LEARNING[aim.learns]:
                summed[name[-1]] += getattr(back, f"grad_{name[-1]}")
    learned = {
        name: sgd_step(getattr(example, name), tokens[name[-1]].T @ summed[name[-1]], lr)
        for name in LEARNING[aim.learns]
    }
    return TrainedExample(example=replace(example, **learned), losses=np.array(losses))


def nudged_loss(example: Example, aim: Aim, name: str, row: int, column: int, by: float) -> float:
    """Return the loss of the example if one number of the matrix `name`, such as "w_q", grows by `by`.

    Raises: ValueError for the same reasons as `training_trace`.
    """
    matrix = getattr(example, name).copy()
    matrix[row, column] += by
    return float(training_trace(replace(example, **{name: matrix}), aim).loss.loss)


def _check_place(name: str, place: int, n: int) -> None:
    if not 0 <= place < n:
        raise ValueError(f"{name} must be from 0 to {n - 1}; got {place}: there are no more.")


def weights_around_next_word(weights: ArrayLike) -> Array:
    """Split the weights of each token into three sums: over the tokens so far, the next token, and all later tokens.

    [Σ_{j ≤ i} a_ij, a_{i,i+1}, Σ_{j > i+1} a_ij]

    If a token has to predict the next token, it may attend only to the tokens so far. The last token has no next token,
    so the result has no row for it.

    Shapes: (n, n) → (n − 1, 3).
    Raises: ValueError if the weights are not square.

    >>> weights_around_next_word([[0.5, 0.25, 0.25], [0, 0.5, 0.5], [0, 0, 1]])
    array([[0.5 , 0.25, 0.25],
           [0.5 , 0.5 , 0.  ]])
    """
    weights = floats("weights", weights)
    if weights.shape[0] != weights.shape[1]:
        raise ValueError(
            f"weights must be square for tokens to have a next one; got {weights.shape}: give x no context."
        )
    so_far, following = np.tril(weights).sum(axis=1), np.diagonal(weights, offset=1)
    later = np.triu(weights, k=2).sum(axis=1)
    return np.column_stack([so_far[:-1], following, later[:-1]])


def weights_beside_filler(weights: ArrayLike) -> Array:
    """Split the weights of each token into two sums: over all keys but the last, and over the last key.

    The last key is that of a filler, a token that only fills up a batch.

    Shapes: (n_q, n_k) → (n_q, 2).

    >>> weights_beside_filler([[0.5, 0.25, 0.25]])
    array([[0.75, 0.25]])
    """
    weights = floats("weights", weights)
    return np.column_stack([weights[:, :-1].sum(axis=1), weights[:, -1]])


def scores_of_length(n_q: int, n_k: int, times: int = 1) -> int:
    """Return how many scores a head computes if both texts become `times` times as long.

    times n_q · times n_k, which is times² n² in self-attention.

    Raises: ValueError if a number is not whole and at least 1.

    >>> scores_of_length(5, 5), scores_of_length(5, 5, times=2)
    (25, 100)
    """
    times = positive_integer("times", times)
    return times * positive_integer("n_q", n_q) * times * positive_integer("n_k", n_k)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PathSteps:
    """The matrices of attention with one head, and of variants such as a softmax along columns or a causal mask."""

    attention: SelfAttentionTrace
    overlaps: Array  # (n, n) x xᵀ: the dot product of each row with each row
    powers: Array  # (n, n) e to the power of each score, before the division by √d_k
    plain: SelfAttentionTrace  # the same head, whose scores are not divided by √d_k
    by_columns: Array  # (n, n) softmax of the undivided scores along each column, so that each column sums to 1
    by_width: Array  # (n, n) softmax of the scores divided by d_k in place of √d_k
    masked: SelfAttentionTrace  # the same head with a causal mask
    masked_late: Array  # (n, n) the weights without a mask; weights on later tokens are set to 0 after the softmax
    mixed: Array  # (n, d_model) output · w_o
    summed: Array  # (n, d_model) x + mixed


@cache_recent
def path_steps(example: Example) -> PathSteps:
    """Compute every matrix of `PathSteps` for an example.

    The example must have w_o, and no second sequence (`context`) for its keys and values. In this example, `summed` is
    x plus the output after w_o:

    >>> from attention_core.examples import example
    >>> path_steps(example("story")).summed[4].round(2)
    array([1.5, 0.3, 0.3, 1. , 1. , 0. ])
    """
    trace, d_k = example.attention(), example.w_q.shape[-1]
    allowed = causal_mask(len(example.x))
    mixed = trace.output @ example.w_o
    with np.errstate(over="ignore"):  # a visitor may have typed a score so large that its power is infinite
        powers = np.exp(trace.scores)
    return PathSteps(
        attention=trace,
        overlaps=example.x @ example.x.T,
        powers=powers,
        plain=with_scale(trace, 1.0),
        by_columns=softmax(trace.scores, axis=-2),
        by_width=softmax(trace.scores / d_k),
        masked=example.attention(mask=allowed),
        masked_late=trace.weights * allowed,
        mixed=mixed,
        summed=example.x + mixed,
    )


@cache_recent
def attention_in_two_orders(example: Example, *, positions: bool) -> ShuffleTrace:
    """Compute attention twice: for the tokens in their order, and with the first and the third token exchanged.

    If `positions` is true, the encoding of positions is added to the tokens.

    >>> from attention_core.examples import example
    >>> trace = attention_in_two_orders(example("story"), positions=False)
    >>> bool(abs(trace.difference).max() < 1e-12)
    True
    """
    order = new_order("swapped", len(example.x), 0, 2)
    return shuffle_tokens(example, order, positions=positions, root=False)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RandomScores:
    """The scores of one random query with random keys, and the weights that result from these scores."""

    scores: Array  # (1, n)
    scaled: Array  # (1, n) the scores divided by √d_k
    weights_plain: Array  # (1, n) softmax of the scores
    weights: Array  # (1, n) softmax of the scaled scores


@cache_recent
def random_scores(draw: int, n: int = 5, d_k: int = 64) -> RandomScores:
    """Draw a query and n keys of d_k standard normal numbers, and return their scores.

    The number `draw` determines the seed.

    >>> random_scores(0).scores.shape
    (1, 5)
    """
    rng = np.random.default_rng(draw + 1)  # with seed 1, the first draw is a typical draw
    q, k = rng.standard_normal((1, d_k)), rng.standard_normal((n, d_k))
    scores = q @ k.T
    scaled = scores / np.sqrt(d_k)
    return RandomScores(scores=scores, scaled=scaled, weights_plain=softmax(scores), weights=softmax(scaled))


@cache_recent
def median_largest_weights(n_draws: int = 4000, n: int = 5, d_k: int = 64) -> tuple[float, float]:
    """Return the median of the largest weight of a row of n random scores, without and with the division by √d_k.

    The result is a pair of two medians over many draws.

    >>> tuple(round(median, 1) for median in median_largest_weights(n_draws=400))
    (1.0, 0.4)
    """
    plain, divided = (np.median(largest) for largest in _largest_weights(n_draws, n, d_k))
    return float(plain), float(divided)


@cache_recent
def share_of_large_weights(above: float, n_draws: int = 4000, n: int = 5, d_k: int = 64) -> tuple[float, float]:
    """Return how often the largest of n weights is greater than `above`, without and with the division by √d_k.

    The result is a pair of two fractions of the draws, from 0 to 1.

    >>> tuple(round(share, 1) for share in share_of_large_weights(0.9, n_draws=400))
    (0.7, 0.0)
    """
    plain, divided = (np.mean(largest > above) for largest in _largest_weights(n_draws, n, d_k))
    return float(plain), float(divided)


def _largest_weights(n_draws: int, n: int, d_k: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((n_draws, 1, d_k)), rng.standard_normal((n_draws, n, d_k))
    scores = (q * k).sum(axis=-1)
    return softmax(scores).max(axis=-1), softmax(scores / np.sqrt(d_k)).max(axis=-1)
