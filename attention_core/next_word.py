"""From the last row to the next word: logits, loss, and drawing a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.checks import Array, floats, positive, positive_integer
from attention_core.softmax import fast_softmax_steps


def unembed(x: ArrayLike, vocabulary: ArrayLike) -> Array:
    """Return the logits: after each row, the score of each word as the next word.

    x vocabularyᵀ: the dot product of each row with the row of every word.

    Shapes: x (…, n, d_model), vocabulary (n_words, d_model) → (…, n, n_words).
    Range:  any number; `softmax` turns a row into probabilities, as in `sample`.
    Raises: ValueError if x and the vocabulary differ in d_model.
    Source: Vaswani et al. 2017, section 3.4; Press & Wolf 2017, arXiv:1608.05859.

    >>> unembed([[1.0, 2.0]], [[1, 0], [0, 1], [1, 1]])
    array([[1., 2., 3.]])
    """
    x, vocabulary = floats("x", x, min_rank=2), floats("vocabulary", vocabulary, min_rank=2)
    if vocabulary.ndim != 2 or x.shape[-1] != vocabulary.shape[1]:
        raise ValueError(
            f"x and vocabulary must share d_model; got x {x.shape}, vocabulary {vocabulary.shape}: "
            "give the vocabulary one row a word and one column a feature."
        )
    return x @ vocabulary.T


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CrossEntropyTrace:
    """Every intermediate result of cross-entropy."""

    logits: Array  # (…, n_classes) a score for each class
    targets: NDArray[np.integer[Any]]  # (…) the number of the correct class in each row, from 0
    counted: NDArray[np.bool_]  # (…) true: the row counts
    probabilities: Array  # (…, n_classes) softmax of the logits
    log_probabilities: Array  # (…, n_classes) the logarithms of the probabilities, computed from the logits
    losses: Array  # (…) −ln of the probability of the correct class
    loss: Array  # () the mean over the rows that count


def cross_entropy(logits: ArrayLike, targets: ArrayLike, counted: ArrayLike | None = None) -> CrossEntropyTrace:
    """Compute the loss of predictions, which is the mean of −ln of the probability of the correct class.

    mean of −ln softmax(logits)[target] over all rows, or over the rows for which `counted` is true. It is 0 if the
    correct classes have probability 1, and ln n_classes if all classes have equal probabilities.

    Shapes: logits (…, n_classes), targets (…), counted (…) → loss ().
    Range:  at least 0.
    Raises: ValueError if a target is not a class, counted or targets does not fit the rows, or no row counts.
    Source: Bridle 1990; Prince 2023, section 5.5.

    >>> cross_entropy([[0.0, 0.0]], [1]).probabilities
    array([[0.5, 0.5]])
    """
    logits = floats("logits", logits)
    targets, counted = _checked_targets(logits, targets), _check_counted(logits, counted)
    steps = fast_softmax_steps(logits)
    log_probabilities = steps.shifted - np.log(steps.totals)
    losses = -np.take_along_axis(log_probabilities, targets[..., None], axis=-1)[..., 0]
    return CrossEntropyTrace(
        logits=logits, targets=targets, counted=counted, probabilities=steps.weights,
        log_probabilities=log_probabilities, losses=losses, loss=np.asarray(losses[counted].mean()),
    )  # fmt: skip


def _checked_targets(logits: Array, targets: ArrayLike) -> NDArray[np.integer[Any]]:
    targets, n_classes = np.asarray(targets), logits.shape[-1]
    if targets.dtype.kind not in "iu" or (targets < 0).any() or (targets >= n_classes).any():
        raise ValueError(
            f"targets must be whole numbers from 0 to n_classes − 1 = {n_classes - 1}; got {targets.tolist()}: "
            "give the number of the right class."
        )
    _check_rows("targets", targets, logits)
    return targets


def _check_counted(logits: Array, counted: ArrayLike | None) -> NDArray[np.bool_]:
    counted = np.ones(logits.shape[:-1], dtype=bool) if counted is None else np.asarray(counted)
    if counted.dtype != bool or not counted.any():
        raise ValueError(
            f"counted must be boolean and true somewhere; got {counted.tolist()}: write True for each row that counts."
        )
    _check_rows("counted", counted, logits)
    return counted


def _check_rows(name: str, values: NDArray[np.generic], logits: Array) -> None:
    if values.shape != logits.shape[:-1]:
        raise ValueError(
            f"{name} must have one entry a row of logits; got {name} {values.shape}, logits {logits.shape}: "
            f"the shape needed is {logits.shape[:-1]}."
        )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SampleTrace:
    """Every intermediate result of drawing a next word."""

    logits: Array  # (…, n_words)
    temperature: float
    top_k: int | None
    top_p: float | None
    scaled: Array  # (…, n_words) logits / temperature
    before: Array  # (…, n_words) softmax of the scaled logits, before any word is left out
    kept: NDArray[np.bool_]  # (…, n_words) true: the word may be drawn
    probabilities: Array  # (…, n_words) the probabilities of the kept words, which sum to 1 again; 0 for other words
    drawn: NDArray[np.integer[Any]]  # (…) the number of the word that was drawn, from 0


def sample(
    logits: ArrayLike,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int | Sequence[int] = 0,
) -> SampleTrace:
    """Draw a next word at random, with the softmax of its logits as probabilities.

    First the logits are divided by the temperature. Then only the k likeliest words are kept (top-k). Then words are
    kept, from the likeliest on, until their probabilities sum to at least p (top-p). The probabilities of the kept
    words are divided by their sum, and one word is drawn. If words are equally likely, the first words are kept. With
    top_k=1, nothing is random: this is called greedy decoding.

    Shapes: logits (…, n_words), −∞ for a word that may never come → drawn (…).
    Range:  drawn is from 0 to n_words − 1; each row of probabilities sums to 1. The same seed draws the same words.
    Raises: ValueError if a logit is NaN or +∞, a row has only −∞, the temperature is not positive, k is not a whole
            number of at least 1, or p is not above 0 and at most 1.
    Source: Fan, Lewis & Dauphin 2018, arXiv:1805.04833 (top-k); Holtzman et al. 2019, arXiv:1904.09751 (top-p).

    >>> trace = sample([2.0, 2.0, 0.0, 0.0], top_k=3, top_p=0.5)
    >>> trace.kept.tolist(), trace.probabilities.tolist()
    ([True, True, False, False], [0.5, 0.5, 0.0, 0.0])
    """
    logits, temperature = _check_logits(logits), positive("temperature", temperature)
    top_k = None if top_k is None else positive_integer("top_k", top_k)
    top_p = None if top_p is None else _checked_share(top_p)
    scaled: Array = np.asarray(logits / temperature, dtype=logits.dtype)
    before = fast_softmax_steps(scaled).weights
    order = np.argsort(-scaled, axis=-1, kind="stable")  # the likeliest first
    kept = _words_kept(np.take_along_axis(before, order, axis=-1), top_k, top_p)
    back = np.empty_like(kept)
    np.put_along_axis(back, order, kept, axis=-1)
    probabilities = fast_softmax_steps(np.where(back, scaled, scaled.dtype.type(-np.inf))).weights
    return SampleTrace(
        logits=logits, temperature=temperature, top_k=top_k, top_p=top_p, scaled=scaled, before=before, kept=back,
        probabilities=probabilities, drawn=_draw_words(probabilities, np.random.default_rng(seed)),
    )  # fmt: skip


def count_draws(probabilities: ArrayLike, n: int, seed: int | Sequence[int] = 0) -> NDArray[np.integer[Any]]:
    """Draw n words with the same probabilities, and return how often each word came.

    Shapes: (n_words,) → (n_words,), whose sum is n.
    Raises: ValueError if a probability is negative, the sum is not 1, or n is not a whole number of at least 1.

    >>> count_draws([0.0, 1.0], 3)
    array([0, 3])
    """
    shares, n = floats("probabilities", probabilities), positive_integer("n", n)
    if shares.ndim != 1 or (shares < 0).any() or not np.isclose(shares.sum(), 1):
        raise ValueError(
            f"probabilities must be one row of numbers from 0 that sum to 1; got a sum of {shares.sum():g}: take the "
            "softmax of the logits."
        )
    each = np.broadcast_to(shares, (n, shares.size))
    return np.bincount(_draw_words(each, np.random.default_rng(seed)), minlength=shares.size)


def _words_kept(falling: Array, top_k: int | None, top_p: float | None) -> NDArray[np.bool_]:
    """Return for each word whether it is kept. `falling` has the probabilities of the words, the greatest first."""
    among = falling.copy()
    if top_k is not None:
        among[..., top_k:] = 0
    if top_p is not None:
        among = among / among.sum(axis=-1, keepdims=True)
        reached_before = among.cumsum(axis=-1) - among
        among[..., 1:][reached_before[..., 1:] >= top_p] = 0
    return among > 0


def _draw_words(probabilities: Array, generator: np.random.Generator) -> NDArray[np.integer[Any]]:
    reached = probabilities.cumsum(axis=-1, dtype=np.float64)
    at = generator.random(probabilities.shape[:-1])[..., None] * reached[..., -1:]
    return np.asarray((reached <= at).sum(axis=-1))


def _check_logits(logits: ArrayLike) -> Array:
    logits = floats("logits", logits, minus_infinity=True)
    if np.isneginf(logits).all(axis=-1).any():
        raise ValueError("a row of logits must have a finite number; got only −∞: leave one word that may come.")
    return logits


def _checked_share(top_p: float) -> float:
    if not (np.isfinite(top_p) and 0 < top_p <= 1):
        raise ValueError(f"top_p must be above 0 and at most 1; got {top_p}: give 1 to keep all words.")
    return float(top_p)
