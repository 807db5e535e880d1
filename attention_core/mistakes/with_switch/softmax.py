"""Mistakes in the softmax: along the wrong axis, twice, or without subtracting the maximum."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array, floats
from attention_core.mistakes.engine.mistake import Mistake, inner_of
from attention_core.softmax import SoftmaxTrace


def naive_softmax(x: ArrayLike, axis: int | None = -1) -> Array:
    """Compute a softmax without subtracting the maximum first.

    exp(x) / Σ exp(x)

    Shapes: any → the same; axis=None treats the whole array as one.
    Wrong:  exp overflows above 709.78 (88.72 in float32), and ∞/∞ is NaN; scores far below 0 give 0/0.
    Source: errata 000-06, 002-07.

    >>> naive_softmax([1000, 1001])
    array([nan, nan])
    """
    return naive_softmax_steps(x, axis).weights


def naive_softmax_steps(
    x: ArrayLike, axis: int | None = -1, temperature: float = 1.0, base: float = math.e
) -> SoftmaxTrace:
    """Compute a softmax without subtracting the maximum first, and return every step.

    base ** (x / T) / Σ base ** (x / T)

    Shapes, wrong and source: as `naive_softmax`. Here, the exponential overflows for large x ln(base) / T.
    """
    x = floats("x", x, min_rank=0, minus_infinity=True)
    with np.errstate(over="ignore", invalid="ignore"):  # the page shows the NaN
        shifted = x / temperature
        powers = np.exp(shifted) if base == math.e else base**shifted
        totals = powers.sum(axis=axis, keepdims=True)
        weights = powers / totals
    return SoftmaxTrace(x, axis, temperature, base, np.zeros_like(totals), shifted, powers, totals, weights)


SOFTMAX_MISTAKES: tuple[Mistake[SelfAttentionTrace], ...] = (
    Mistake(
        name="softmax_over_columns",
        concept="softmax_axes",
        stage="weights",
        title="The softmax runs down the columns",
        formula=r"A_{ij} = \frac{e^{S'_{ij}}}{\sum_{i'} e^{S'_{i'j}}}",
        code="weights = softmax(masked, axis=-2)",
        why="Each column of your weights adds up to 1. Instead, each row should add up to 1. Otherwise the outputs "
        "are not averages of the values.",
        sources=("labmlai/annotated_deep_learning_paper_implementations#146", "PetrochukM/PyTorch-NLP#2"),
    ),
    Mistake(
        name="softmax_over_whole_matrix",
        concept="softmax_axes",
        stage="weights",
        title="The softmax runs over the whole matrix",
        formula=r"A_{ij} = \frac{e^{S'_{ij}}}{\sum_{i'} \sum_{j'} e^{S'_{i'j'}}}",
        code="weights = softmax(masked, axis=(-2, -1))",
        why="All weights of the matrix together add up to 1. Instead, each row should add up to 1. SciPy’s softmax "
        "does this if you give it no axis.",
        sources=("000-10", "003-09"),
    ),
    Mistake(
        name="softmax_twice",
        concept="softmax_axes",
        stage="weights",
        title="The softmax is applied twice",
        formula=r"A = \operatorname{softmax}(\operatorname{softmax}(S'))",
        code="weights = softmax(weights)",
        why="You applied softmax to the weights again, for example by running a notebook cell twice. Weights "
        "are between 0 and 1, so their softmax is nearly even. Masked tokens have weight again.",
        sources=("000-09", "001-09"),
    ),
    Mistake(
        name="softmax_without_maximum",
        concept="softmax_axes",
        stage="weights",
        title="The maximum is not subtracted before the exponentials",
        formula=r"A_{ij} = \frac{e^{S'_{ij}}}{\sum_{j'} e^{S'_{ij'}}} \text{ with no } -\max_{j'} S'_{ij'}",
        code="weights = np.exp(masked) / np.exp(masked).sum(axis=-1, keepdims=True)",
        why="On paper, this gives the same numbers. But on a computer, the exponential of a number above 709.78 is ∞, "
        "and ∞ divided by ∞ is NaN (not a number). So one large score makes its row useless.",
        sources=("000-06", "002-07"),
        needs="No score here is above 709. To see it, make “it” a thousand times as thirsty.",
        state="example=story&x=1,0,0,0,0,0;0,0,1,0,0,0;0,1,0,0,0,0;0,0,0,1,0,0;0,0,0,1,1000,0",
        shows=lambda trace: bool((inner_of(trace).masked > np.log(np.finfo(trace.q.dtype).max)).any()),
    ),
)
