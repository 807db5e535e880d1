"""Compute the matrices of a first lesson on attention, from the products of rows to the sum of rows and output."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.attention import SelfAttentionTrace, with_scale
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.examples import Example
from attention_core.experiments.order import ShuffleTrace, new_order, shuffle_tokens
from attention_core.masks import causal_mask
from attention_core.softmax import softmax


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
    """Return the largest weight of each draw of a query and n keys, without and with the division by √d_k."""
    rng = np.random.default_rng(0)
    q, k = rng.standard_normal((n_draws, 1, d_k)), rng.standard_normal((n_draws, n, d_k))
    scores = (q * k).sum(axis=-1)
    return softmax(scores).max(axis=-1), softmax(scores / np.sqrt(d_k)).max(axis=-1)
