"""Many random scores: how they are drawn, how far they spread, and when softmax saturates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats, positive_integer
from attention_core.experiments.saturation import Saturation, saturation
from attention_core.late_import import late_import
from attention_core.projection import scales
from attention_core.softmax import entropy, softmax

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


Distribution = Literal["normal", "uniform", "correlated"]

N_KEYS = 10  # the number of keys in a row of scores, because the notebook has ten tokens
D_INPUT = 64  # the width of the notebook's tokens
SCORES_OF_A_RUN = N_KEYS * N_KEYS  # a run has ten queries and ten keys
RUNS_AT_ONCE = 50  # the queries and keys of so many runs take four megabytes at d_k = 1024
N_FEATURES = 4000  # how many vectors are drawn to measure two of their features
SUSPICIOUS = 5.0  # a deviation of more than this number of standard errors is not an accident


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Random scores that are not divided by √d_k: single scores at one d_k, and rows of scores at several widths."""

    products: Array  # (n,) q·k at the given d_k
    n_independent: int  # how many of the products are independent; the 100 products of one run are not
    rows: Array  # (n_widths, n_rows, N_KEYS) each row has the scores of one query with ten keys


@dataclass(frozen=True, slots=True)
class MeasuredNumber:
    """A number measured on random samples, with its standard error and the value that theory assumes."""

    value: float
    error: float
    assumed: float

    @property
    def broken(self) -> bool:
        """Whether the measured number differs from the assumed value by more than chance can explain."""
        return abs(self.value - self.assumed) > SUSPICIOUS * self.error


@dataclass(frozen=True, slots=True)
class Assumption:
    """The assumptions behind √d_k, measured: features have mean 0 and variance 1, and do not depend on each other."""

    mean: MeasuredNumber  # the mean of a feature
    variance: MeasuredNumber  # the variance of a feature
    alignment: MeasuredNumber  # the correlation of a query's feature with the same feature of a key
    repetition: MeasuredNumber  # the correlation of two features of one vector


def draw(
    distribution: Distribution,
    n: int,
    d_k: int,
    widths: Sequence[int],
    rng: np.random.Generator,
    *,
    correlation: float = 0.0,
) -> Draws:
    """Draw n scores at one d_k, and n / 10 rows of ten scores at each of several widths.

    normal      every feature is standard normal
    uniform     q = x W_q, k = x W_k with x (10, 64) and W uniform on [0, 1), in float32, as in notebook 004 (W in
                steps of 2⁻¹⁶); a run has ten queries and ten keys, which give 100 scores
    correlated  as normal, but k = ρ q + √(1 − ρ²) e with standard normal e; in each row, only for the first key

    Given q, a sum of d_k products with standard normal features of k is normal with standard deviation |q|, and
    |q|² has a χ² distribution of d_k degrees. So q·k is drawn as |q| z, and q·(ρ q + √(1 − ρ²) e) as
    ρ |q|² + √(1 − ρ²) |q| z. This has the same distribution, and its cost does not grow with d_k.

    Raises: ValueError if the distribution is another word, n is not a multiple of 100, a width is not at least 1, or
            the correlation is not between −1 and 1.

    >>> draw("normal", 100, 4, [1, 16], np.random.default_rng(0)).rows.shape
    (2, 10, 10)
    """
    _check_settings(distribution, n, (d_k, *widths), correlation)
    of_products, of_rows = rng.spawn(2)
    if distribution == "uniform":
        every = sorted({d_k, *widths})
        scores = _notebook_scores(n // SCORES_OF_A_RUN, every, of_rows).reshape(len(every), -1, N_KEYS)
        rows = scores[[every.index(width) for width in widths]]
        return Draws(scores[every.index(d_k)].ravel(), n // SCORES_OF_A_RUN, rows)
    rho = np.array([correlation if distribution == "correlated" else 0.0])
    one_of_ten = np.concatenate([rho, np.zeros(N_KEYS - 1)])
    rows = np.stack([_normal_scores(n // N_KEYS, width, one_of_ten, of_rows) for width in widths])
    return Draws(_normal_scores(n, d_k, rho, of_products).ravel(), n, rows)


def growing_scores(
    distribution: Distribution,
    n_keys: int,
    widths: Sequence[int],
    rng: np.random.Generator,
    *,
    correlation: float = 0.0,
) -> Array:
    """Draw a query and some keys of the greatest width. Return their scores if only the first d_k features count.

    There is a row of scores for each width d_k in `widths`, which must be in ascending order. The features are drawn as
    in `draw`.

    Shapes: (n_widths, n_keys).
    Raises: ValueError for the same reasons as `draw`.

    >>> growing_scores("normal", 4, [1, 16], np.random.default_rng(0)).shape
    (2, 4)
    """
    _check_settings(distribution, SCORES_OF_A_RUN, widths, correlation)
    shapes = (1, widths[-1]), (positive_integer("n_keys", n_keys), widths[-1])
    if distribution == "uniform":
        q, k = (rng.random((rows, D_INPUT)) @ rng.random((D_INPUT, width)) for rows, width in shapes)
    else:
        q, k = map(rng.standard_normal, shapes)
    if distribution == "correlated":
        k[0] = correlation * q[0] + math.sqrt(1 - correlation**2) * k[0]
    return (q * k).cumsum(axis=1)[:, np.array(widths) - 1].T


def measure_features(
    distribution: Distribution, rng: np.random.Generator, *, correlation: float = 0.0, n: int = N_FEATURES
) -> Assumption:
    """Measure the assumptions behind √d_k, on two features of `n` queries, and of `n` keys of different tokens.

    Raises: ValueError for the same reasons as `draw`.
    """
    _check_settings(distribution, SCORES_OF_A_RUN, (1,), correlation)
    q, k = _features(distribution, positive_integer("n", n), correlation, rng)
    both = np.concatenate([q, k], axis=1)  # (n, 4): each row is one sample, because its four numbers may be dependent
    mean, variance = both.mean(), both.var()
    q, k = q - mean, k - mean
    return Assumption(
        mean=_measure_samples(both.mean(axis=1), 0.0),
        variance=_measure_samples(((both - mean) ** 2).mean(axis=1), 1.0),
        alignment=_measure_samples((q * k).mean(axis=1) / variance, 0.0),
        repetition=_measure_samples((q.prod(axis=1) + k.prod(axis=1)) / (2 * variance), 0.0),
    )


def _measure_samples(samples: Array, assumed: float) -> MeasuredNumber:
    return MeasuredNumber(float(samples.mean()), float(samples.std(ddof=1) / np.sqrt(len(samples))), assumed)


def _normal_scores(n: int, d_k: int, rho: Array, rng: np.random.Generator) -> Array:
    squares = rng.chisquare(d_k, (n, 1))
    return rho * squares + np.sqrt((1 - rho**2) * squares) * rng.standard_normal((n, len(rho)))


def _notebook_scores(n_runs: int, widths: Sequence[int], rng: np.random.Generator) -> Array:
    sizes = (min(RUNS_AT_ONCE, n_runs - first) for first in range(0, n_runs, RUNS_AT_ONCE))
    added = [_added_by_each_width(n, widths, rng) for n in sizes]
    return np.concatenate(added, axis=1).cumsum(axis=0, dtype=np.float64)


def _added_by_each_width(n_runs: int, widths: Sequence[int], rng: np.random.Generator) -> Array:
    q, k = np.stack([_notebook_run(widths[-1], rng) for _ in range(n_runs)], axis=1)
    columns = [slice(start, end) for start, end in zip((0, *widths[:-1]), widths, strict=True)]
    return np.stack([q[..., part] @ k[..., part].swapaxes(-1, -2) for part in columns])


def _notebook_run(d_k: int, rng: np.random.Generator) -> Array:
    x = rng.random((N_KEYS, D_INPUT), dtype=np.float32)
    return x @ _uniform(2, D_INPUT, d_k, rng=rng)


def _uniform(*shape: int, rng: np.random.Generator) -> Array:
    bits = rng.integers(0, 2**64, math.prod(shape) // 4, dtype=np.uint64).view(np.uint16)
    return np.multiply(bits, np.float32(2**-16), dtype=np.float32).reshape(shape)


def _features(distribution: Distribution, n: int, correlation: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw two features of n queries and of n keys, and return both arrays: (n, 2) each."""
    if distribution == "uniform":
        x, w = rng.random((2, n, D_INPUT)), rng.random((2, n, D_INPUT, 2))
        q, k = (x[:, :, None] @ w)[:, :, 0]
        return q, k
    q, noise = rng.standard_normal((2, n, 2))
    rho = correlation if distribution == "correlated" else 0.0
    return q, rho * q + np.sqrt(1 - rho**2) * noise


def _check_settings(distribution: str, n: int, widths: Sequence[int], correlation: float) -> None:
    if distribution not in get_args(Distribution):
        raise ValueError(
            f"distribution must be one of {', '.join(get_args(Distribution))}; got {distribution}: choose one of these."
        )
    if positive_integer("n", n) % SCORES_OF_A_RUN:
        raise ValueError(f"n must be a multiple of {SCORES_OF_A_RUN}, the scores of a run; got {n}: give 100, 200 ….")
    for width in widths:
        positive_integer("d_k", width)
    if not -1 <= float(floats("correlation", correlation, min_rank=0)) <= 1:
        raise ValueError(f"correlation must be from −1 to 1; got {correlation}: 0 is none, 1 makes k a copy of q.")


WIDTHS = tuple(2**i for i in range(11))  # 1 to 1024
ONE_HOT = 0.9  # a row of weights is called one-hot if it has a greater weight than this


@dataclass(frozen=True, slots=True)
class Runs:
    """The measurements of notebook 004, as means over many runs of ten queries and ten keys."""

    n: int  # the number of runs
    mean_logit: float  # the mean of the scaled scores
    row_deviation: float  # the mean standard deviation of the scaled scores in a row
    largest: float  # the mean of the largest weights
    entropy: float  # the mean of the rows' entropies, in nats
    one_key: float  # the fraction of runs in which all rows have their largest weight on the same key
    one_hot: float  # the fraction of runs in which some row has a weight greater than ONE_HOT


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ScoreMeasurements:
    """All measurements on the random scores of one seed."""

    spread: Spread
    histogram: Histogram
    assumption: Assumption
    saturations: Mapping[str, Saturation]  # by the name of the divisor; each array is (n_widths,)
    runs: Runs | None  # None unless the scores are drawn as in notebook 004


def describe_runs(scaled: ArrayLike) -> Runs:
    """Measure many runs of attention: the size of their scaled scores, the largest weights, and the entropies.

    Shapes: (n_runs, n_q, n_k).
    Raises: ValueError if a scaled score is not finite.
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


def measure_scores(
    distribution: Distribution, n: int, d_k: int, rng: np.random.Generator, *, correlation: float = 0.0
) -> ScoreMeasurements:
    """Draw n scores for keys of the width d_k, and rows of scores for each width in `WIDTHS`, and measure all of them.

    Raises: ValueError for the same reasons as `draw`.
    """
    drawn = draw(distribution, n, d_k, WIDTHS, rng, correlation=correlation)
    return ScoreMeasurements(
        spread=spread(drawn.products, d_k, drawn.n_independent),
        histogram=histogram(drawn.products, d_k),
        assumption=measure_features(distribution, rng, correlation=correlation),
        saturations={divisor: _over_widths(drawn.rows, divisor) for divisor in scales(1)},
        runs=_describe_notebook_runs(drawn.products, d_k) if distribution == "uniform" else None,
    )


def _describe_notebook_runs(products: Array, d_k: int) -> Runs:
    return describe_runs(products.reshape(-1, N_KEYS, N_KEYS) * scales(d_k)["root"])


def _over_widths(rows: Array, divisor: str) -> Saturation:
    # Width by width, because all at once would need ten times the memory and would not be faster.
    each = [saturation(scores, scales(width)[divisor]) for width, scores in zip(WIDTHS, rows, strict=True)]
    fields = ((s.largest, s.entropies, s.jacobians) for s in each)
    return Saturation(*map(np.array, zip(*fields, strict=True)))
