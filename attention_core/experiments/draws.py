"""Draw thousands of random scores q·k, to see how their spread grows with d_k."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from attention_core.checks import Array, floats, positive_integer

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
    """Draw the scores of n queries: (n, n_keys).

    Each query has one key for each number of `rho`, which is the correlation of this key with the query.
    """
    squares = rng.chisquare(d_k, (n, 1))
    return rho * squares + np.sqrt((1 - rho**2) * squares) * rng.standard_normal((n, len(rho)))


def _notebook_scores(n_runs: int, widths: Sequence[int], rng: np.random.Generator) -> Array:
    """Draw random queries and keys as notebook 004 does, `n_runs` times, and return their scores for each width.

    The result has the shape (n_widths, n_runs, 10, 10), for ten queries and ten keys. A smaller width uses only the
    first columns of W^Q and W^K.
    """
    sizes = (min(RUNS_AT_ONCE, n_runs - first) for first in range(0, n_runs, RUNS_AT_ONCE))
    added = [_added_by_each_width(n, widths, rng) for n in sizes]
    return np.concatenate(added, axis=1).cumsum(axis=0, dtype=np.float64)


def _added_by_each_width(n_runs: int, widths: Sequence[int], rng: np.random.Generator) -> Array:
    """Draw random queries and keys, and return what each group of their columns adds to their scores.

    The numbers are drawn as in notebook 004. The first group ends at the first width, the second group at the second
    width, and so on. Queries and keys are drawn `n_runs` times. The result has the shape (n_widths, n_runs, 10, 10),
    for ten queries and ten keys.
    """
    q, k = np.stack([_notebook_run(widths[-1], rng) for _ in range(n_runs)], axis=1)
    columns = [slice(start, end) for start, end in zip((0, *widths[:-1]), widths, strict=True)]
    return np.stack([q[..., part] @ k[..., part].swapaxes(-1, -2) for part in columns])


def _notebook_run(d_k: int, rng: np.random.Generator) -> Array:
    """Draw ten random queries and ten random keys as notebook 004 does, and return them: (2, 10, d_k)."""
    x = rng.random((N_KEYS, D_INPUT), dtype=np.float32)
    return x @ _uniform(2, D_INPUT, d_k, rng=rng)


def _uniform(*shape: int, rng: np.random.Generator) -> Array:
    """Draw numbers from [0, 1) in steps of 2⁻¹⁶, four numbers from 64 random bits.

    To draw all 24 bits of float32 numbers would take twice as long.
    """
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
