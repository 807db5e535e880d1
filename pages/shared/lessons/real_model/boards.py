"""The equations of the page “Mistakes and causes”: measured numbers, their means, standard errors and counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.arithmetic.average_rules import average_rules, averages_of, counts_of
from attention_core.caching import cache_recent
from attention_core.language_model.damage import head_measurements
from pages.shared.equation import Line, Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.model import greatest_magnitude
from pages.shared.lessons.real_model.measured import Measured

ADDED = "the mistake adds"


@cache_recent
def mistake_lines(found: Measured) -> Sequence[Line]:
    """Return an equation of three means with errors: the loss without the mistake, with it, and the difference."""
    return [Line((_averages(found, *_with_difference(found)).with_reads(),), "Loss, mean of 20 sentences")]


def _with_difference(found: Measured) -> tuple[np.ndarray, tuple[str, ...]]:
    right, wrong = found.values.T
    return np.stack([right, wrong, wrong - right], axis=1), (*found.ways, ADDED)


@cache_recent
def experiment_lines(found: Measured) -> Sequence[Line]:
    """Return an equation with the mean and the standard error of each column of the measured numbers.

    In some experiments, the equation also says how many numbers of each column are below 0.
    """
    column = f"{found.name}[:,i]"
    averages = _averages(found, found.values, found.ways)
    counts = (each.with_reads(column) for each in _counts(found))
    return [Line((averages, *counts), "Mean of each column below, and how far chance moves it")]


@cache_recent
def measured_lines(found: Measured) -> Sequence[Line]:
    """Return an equation with the measured numbers, which have one row for each text."""
    each = Matrix.named(found.name, found.values, row_labels=found.tokens, column_labels=found.ways, decimals=1)
    return [Line((each.as_given(),))]


def _averages(found: Measured, values: np.ndarray, ways: tuple[str, ...]) -> Matrix:
    averages = averages_of(values)
    made = Matrix.named("averages", averages, row_labels=ways, column_labels=("mean", "± error"), decimals=2)
    return made.with_computation(Computation(average_rules(found.name, values)))


def _counts(found: Measured) -> tuple[Matrix, ...]:
    if not found.counted:
        return ()
    counts = counts_of(found.values)
    made = Matrix.named("counts", counts, column_labels=(f"< 0, of {found.n}",), limit=float(found.n))
    return (made.with_computation(Computation(average_rules(found.name, found.values))),)


@cache_recent
def head_lines() -> Sequence[Line]:
    """Return two matrices with one row for each layer and one column for each head.

    The first holds the mean of each head's greatest weight. The second says how much the loss grows without the head.
    """
    return [Line((_of_heads("pointed"),)), Line((_of_heads("added"),))]


def _of_heads(what: str) -> Matrix:
    values = head_measurements(what)
    layers, heads = ([f"{letter}{i}" for i in range(n)] for letter, n in zip(("L", ""), values.shape, strict=True))
    look = {"row_labels": tuple(layers), "column_labels": tuple(heads), "decimals": 3}
    return Matrix.named(what, values, **{"limit": greatest_magnitude(values), **look}).as_given()
