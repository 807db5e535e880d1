"""Scaling: what dividing the scores by √d_k does to the weights, and why it is the root."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive_integer
from attention_core.draws import N_KEYS, Assumption, Distribution, draw, measure_features
from attention_core.softmax import entropy, softmax, unchecked_softmax

WIDTHS = tuple(2**i for i in range(11))  # 1 to 1024
N_BINS = 60
ONE_HOT = 0.9  # a weight from which on a row is called one-hot
BEYOND = 4.0  # predicted standard deviations that a histogram shows at least


@dataclass(frozen=True, slots=True)
class Spread:
    """The spread of scores as measured and as predicted."""

    n: int
    mean: float  # predicted: 0
    mean_error: float  # standard errors: how far a measurement is off by chance
    deviation: float
    deviation_error: float
    predicted: float  # √d_k

    @property
    def errors_apart(self) -> float:
        """How many standard errors lie between the measured and the predicted deviation."""
        return abs(self.deviation - self.predicted) / self.deviation_error


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts of scores beside those that a normal distribution of mean 0 and deviation √d_k gives."""

    edges: Array  # (n_bins + 1,)
    counts: Array  # (n_bins,)
    expected: Array  # (n_bins,)


@dataclass(frozen=True, slots=True, eq=False)
class Saturation:
    """How close softmax is to a single 1, as means over many rows."""

    largest: Array  # the largest weight of a row
    entropies: Array  # in nats
    jacobians: Array  # the Frobenius norm of the softmax's Jacobian


@dataclass(frozen=True, slots=True)
class Runs:
    """What notebook 004 gets, over many runs of it."""

    n: int
    mean_logit: float  # of the scaled scores
    row_deviation: float  # of the scaled scores of a row
    largest: float  # the mean of the largest weights
    entropy: float  # the mean of the rows' entropies, in nats
    one_key: float  # the share of runs in which all rows give their largest weight to one and the same key
    one_hot: float  # the share of runs in which some row gives one key more than ONE_HOT


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Laboratory:
    """Everything measured on the draws of one seed."""

    spread: Spread
    histogram: Histogram
    assumption: Assumption
    saturations: Mapping[str, Saturation]  # by divisor, each (n_widths,)
    runs: Runs | None  # where scores are drawn as notebook 004 does


def scales(d_k: int) -> dict[str, float]:
    """Return what scores are multiplied by under each divisor: "one", "root" for √d_k, "dk" for d_k.

    Raises: ValueError if d_k is not at least 1.

    >>> scales(4)
    {'one': 1.0, 'root': 0.5, 'dk': 0.25}
    """
    d_k = positive_integer("d_k", d_k)
    return {"one": 1.0, "root": d_k**-0.5, "dk": 1 / d_k}


def jacobian_norm(weights: ArrayLike) -> Array:
    """Say how much weights answer to their scores: the Frobenius norm of the softmax's Jacobian.

    J = diag(a) − a aᵀ, so ‖J‖² = Σ a² − 2 Σ a³ + (Σ a²)²

    Shapes: (…, n) → (…).
    Range:  0 where a is one-hot, √(n − 1) / n where it is even, at most ½.
    Raises: ValueError if the weights are not finite numbers.

    >>> jacobian_norm([[0.5, 0.5], [1.0, 0.0]])
    array([0.5, 0. ])
    """
    a = floats("weights", weights)
    squares = (a**2).sum(axis=-1)
    return np.sqrt(np.maximum(squares - 2 * (a**3).sum(axis=-1) + squares**2, 0))


def saturation(scores: ArrayLike, scale: float) -> Saturation:
    """Say how close softmax(scores · scale) is to a single 1, on the average over its rows.

    Shapes: (…, n_rows, n_keys) → (…) each.
    Raises: ValueError if the scores are not finite.
    """
    scaled = floats("scores", scores, min_rank=2) * scale
    trace = unchecked_softmax(scaled)
    means = (trace.weights.max(axis=-1), trace.entropies[..., 0], jacobian_norm(trace.weights))
    return Saturation(*(np.asarray(each.mean(axis=-1)) for each in means))


def spread(products: ArrayLike, d_k: int, n_independent: int | None = None) -> Spread:
    """Measure the spread of scores, and how far chance may have moved the measurement.

    The standard error of a standard deviation s is s √((κ − 1) / (4 (n − 1))) with the kurtosis κ as measured; for
    a normal variable, κ = 3, it is s / √(2 (n − 1)). Of draws that depend on each other, only the independent count.

    Shapes: products (n,).
    Raises: ValueError if there are not at least two products, or d_k is not at least 1.
    Source: Ahn & Fessler 2003, Standard errors of mean, variance, and standard deviation estimators.
    """
    products = floats("products", products)
    if products.size < 2:
        raise ValueError(f"products must be at least 2 to have a spread; got {products.size}: draw more.")
    mean, deviation = float(products.mean()), float(products.std(ddof=1))
    n = products.size if n_independent is None else positive_integer("n_independent", n_independent)
    peakedness = float((((products - mean) / (deviation or 1.0)) ** 4).mean())
    known = n > 1
    return Spread(
        n=products.size,
        mean=mean,
        mean_error=deviation / math.sqrt(n) if known else math.inf,
        deviation=deviation,
        deviation_error=deviation * math.sqrt(max(peakedness - 1, 0) / (4 * (n - 1))) if known else math.inf,
        predicted=math.sqrt(positive_integer("d_k", d_k)),
    )


def histogram(products: ArrayLike, d_k: int, n_bins: int = N_BINS) -> Histogram:
    """Count scores in bins that hold all of them and ±4 √d_k, beside the counts that the prediction gives.

    expected = n (Φ(b / √d_k) − Φ(a / √d_k)) for a bin from a to b

    Raises: ValueError if the products are not finite, or n_bins or d_k is not at least 1.
    """
    products = floats("products", products)
    predicted = math.sqrt(positive_integer("d_k", d_k))
    reach = (min(products.min(), -BEYOND * predicted), max(products.max(), BEYOND * predicted))
    counts, edges = np.histogram(products, positive_integer("n_bins", n_bins), reach)
    below = np.array([0.5 * math.erfc(-edge / (predicted * math.sqrt(2))) for edge in edges])
    return Histogram(edges, counts, products.size * np.diff(below))


def describe_runs(scaled: ArrayLike) -> Runs:
    """Say what many runs of one attention have in common, from their scaled scores.

    Shapes: (n_runs, n_q, n_k).
    Raises: ValueError if they are not finite.
    """
    scaled = floats("scaled", scaled, min_rank=3)
    weights = softmax(scaled)
    largest, best = weights.max(axis=-1), scaled.argmax(axis=-1)
    return Runs(
        n=len(scaled),
        mean_logit=float(scaled.mean()),
        row_deviation=float(scaled.std(axis=-1).mean()),
        largest=float(largest.mean()),
        entropy=float(entropy(weights).mean()),
        one_key=float((best == best[..., :1]).all(axis=-1).mean()),
        one_hot=float((largest > ONE_HOT).any(axis=-1).mean()),
    )


def laboratory(
    distribution: Distribution, n: int, d_k: int, rng: np.random.Generator, *, correlation: float = 0.0
) -> Laboratory:
    """Draw n scores at d_k and rows of them at every power of two to 1024, and measure all of it.

    Raises: ValueError as `draw`.
    """
    drawn = draw(distribution, n, d_k, WIDTHS, rng, correlation=correlation)
    return Laboratory(
        spread=spread(drawn.products, d_k, drawn.n_independent),
        histogram=histogram(drawn.products, d_k),
        assumption=measure_features(distribution, rng, correlation=correlation),
        saturations={divisor: _over_widths(drawn.rows, divisor) for divisor in scales(1)},
        runs=_runs(drawn.products, d_k) if distribution == "uniform" else None,
    )


def _runs(products: Array, d_k: int) -> Runs:
    return describe_runs(products.reshape(-1, N_KEYS, N_KEYS) * scales(d_k)["root"])


def _over_widths(rows: Array, divisor: str) -> Saturation:
    # Width by width, since all at once would need ten times the memory and not be faster.
    each = [saturation(scores, scales(width)[divisor]) for width, scores in zip(WIDTHS, rows, strict=True)]
    fields = ((s.largest, s.entropies, s.jacobians) for s in each)
    return Saturation(*map(np.array, zip(*fields, strict=True)))


def swapped_pairs(before: ArrayLike, after: ArrayLike) -> int:
    """Count the pairs of one row whose order is the other way round after: 0 where only the sharpness changed.

    Shapes: (…, n) and the same.
    Raises: ValueError if the shapes differ.

    >>> swapped_pairs([[3, 1, 2]], [[0.5, 0.2, 0.3]]), swapped_pairs([[3, 1, 2]], [[0.2, 0.5, 0.3]])
    (0, 3)
    """
    a, b = floats("before", before), floats("after", after)
    if a.shape != b.shape:
        raise ValueError(f"before and after must have one shape; got {a.shape}, {b.shape}: compare like with like.")
    signs = (np.sign(m[..., :, None] - m[..., None, :]) for m in (a, b))
    return int((np.multiply(*signs) < 0).sum() // 2)
