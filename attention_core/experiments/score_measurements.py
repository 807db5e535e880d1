"""Draw thousands of random scores, and measure how large they are and how uneven their weights are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from attention_core.checks import Array, floats
from attention_core.experiments.draws import N_KEYS, Assumption, Distribution, draw, measure_features
from attention_core.experiments.saturation import Saturation, saturation
from attention_core.experiments.spread import Histogram, Spread, histogram, spread
from attention_core.scaling import scales
from attention_core.softmax import entropy, softmax

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
