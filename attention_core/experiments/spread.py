"""Measure how much scores differ, and compare this with the prediction √d_k."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive_integer
from attention_core.late_import import late_import

N_BINS = 60
BEYOND = 4.0  # a histogram shows at least this many predicted standard deviations


@dataclass(frozen=True, slots=True)
class Spread:
    """The standard deviation of scores, as measured and as predicted."""

    n: int
    mean: float  # the mean of the scores; the prediction is 0
    mean_error: float  # the standard error of this mean: how much a measurement differs by chance
    deviation: float  # the standard deviation of the scores
    deviation_error: float  # the standard error of this standard deviation
    predicted: float  # the predicted standard deviation, √d_k

    @property
    def errors_apart(self) -> float:
        """How many standard errors lie between the measured and the predicted standard deviation."""
        return abs(self.deviation - self.predicted) / self.deviation_error


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """The counts of scores, and the counts that a normal distribution with mean 0 and deviation √d_k predicts."""

    edges: Array  # (n_bins + 1,) the bounds of the bins
    counts: Array  # (n_bins,) how many scores are in each bin
    expected: Array  # (n_bins,) how many scores the prediction expects in each bin


def spread(products: ArrayLike, d_k: int, n_independent: int | None = None) -> Spread:
    """Measure the standard deviation of scores, and how much chance may have changed the measurement.

    The standard error of a standard deviation s is s √((κ − 1) / (4 (n − 1))) with the measured kurtosis κ. For a
    normal variable, κ = 3, so the standard error is s / √(2 (n − 1)). n is `n_independent`, the number of products that
    do not depend on each other, or the number of all products if this is None.

    Shapes: products (n,), the scores q · k.
    Raises: ValueError if there are not at least two products, or d_k is not at least 1.
    Source: Ahn & Fessler 2003, Standard errors of mean, variance, and standard deviation estimators.

    >>> spread([-2.0, 2.0, -2.0, 2.0], d_k=4).predicted
    2.0
    """
    products = floats("products", products)
    if products.size < 2:
        raise ValueError(f"products must be at least 2 to have a spread; got {products.size}: draw more.")
    mean, deviation = float(products.mean()), float(products.std(ddof=1))
    n = products.size if n_independent is None else positive_integer("n_independent", n_independent)
    squares = ((products - mean) / (deviation or 1.0)) ** 2
    peakedness = float((squares**2).mean())
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
    """Count scores in bins, and compute the counts that the prediction expects.

    `products` are the scores q · k. The bins contain all scores, and reach at least from −4 √d_k to 4 √d_k.

    expected = n (Φ(b / √d_k) − Φ(a / √d_k)) for a bin from a to b

    Raises: ValueError if the products are not finite, or n_bins or d_k is not at least 1.

    >>> histogram([-1.0, 1.0], d_k=1, n_bins=2).counts
    array([1, 1])
    """
    products = floats("products", products)
    predicted = math.sqrt(positive_integer("d_k", d_k))
    reach = (min(products.min(), -BEYOND * predicted), max(products.max(), BEYOND * predicted))
    counts, edges = np.histogram(products, positive_integer("n_bins", n_bins), reach)
    below = _normal_distribution()(edges / predicted)
    return Histogram(edges, counts, products.size * np.diff(below))


@late_import
def _normal_distribution():
    from scipy.special import ndtr  # the same as `scipy.stats.norm.cdf`, which takes four times as long to import

    return ndtr
