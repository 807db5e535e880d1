"""The equations of this page: the measured numbers, their means, standard errors and counts; and all heads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attention_core.arithmetic.average_rules import average_rules, averages_of, counts_of
from attention_core.caching import cache_recent
from attention_core.language_model.damage import head_measurements
from pages.shared.equation import Line, Matrix
from pages.shared.equation.computation import Computation
from pages.shared.lessons.real_model.measured import Measured
from pages.shared.notation.symbols import SYMBOLS

ADDED = "the mistake adds"


@cache_recent
def mistake_lines(found: Measured) -> Sequence[Line]:
    """Return means and standard errors of the losses, without and with the mistake, and of their differences."""
    return [Line((_averages(found, *_with_difference(found)).reading(),), "Loss, mean of 20 sentences")]


def _with_difference(found: Measured) -> tuple[np.ndarray, tuple[str, ...]]:
    right, wrong = found.values.T
    return np.stack([right, wrong, wrong - right], axis=1), (*found.ways, ADDED)


@cache_recent
def experiment_lines(found: Measured) -> Sequence[Line]:
    """Return the means of the measured numbers and, if the experiment counts it, how often they are below 0."""
    column = f"{found.name}[:,i]"
    averages = _averages(found, found.values, found.ways)
    counts = (each.reading(column) for each in _counts(found))
    return [Line((averages, *counts), "Mean of each column below, and how far chance moves it")]


@cache_recent
def measured_lines(found: Measured) -> Sequence[Line]:
    """Return the measured numbers, a row for each text."""
    symbol, words, *_ = SYMBOLS[found.name]
    each = Matrix(
        id=found.name, symbol=symbol, name=words.capitalize(), values=found.values, row_labels=found.tokens,
        column_labels=found.ways, limit=float(np.abs(found.values).max()), decimals=1,
    ).given()  # fmt: skip
    return [Line((each,))]


def _averages(found: Measured, values: np.ndarray, ways: tuple[str, ...]) -> Matrix:
    symbol, words, *_ = SYMBOLS["averages"]
    averages = averages_of(values)
    return Matrix(
        id="averages", symbol=symbol, name=words.capitalize(), values=averages, row_labels=ways,
        column_labels=("mean", "± error"), tint="plain", limit=float(np.nanmax(np.abs(averages))), decimals=2,
    ).computed(Computation(average_rules(found.name, values)))  # fmt: skip


def _counts(found: Measured) -> tuple[Matrix, ...]:
    if not found.counted:
        return ()
    symbol, words, *_ = SYMBOLS["counts"]
    counts = counts_of(found.values)
    return (
        Matrix(
            id="counts", symbol=symbol, name=words.capitalize(), values=counts, column_labels=(f"< 0, of {found.n}",),
            tint="plain", limit=float(found.n),
        ).computed(Computation(average_rules(found.name, found.values))),
    )  # fmt: skip


@cache_recent
def head_lines() -> Sequence[Line]:
    """Return for all heads the mean greatest weight, and the loss added without the head. Each row is a layer."""
    return [Line((_of_heads("pointed", "weight"),)), Line((_of_heads("added", "signed"),))]


def _of_heads(what: str, tint) -> Matrix:
    values = head_measurements(what)
    symbol, words, *_ = SYMBOLS[what]
    layers, heads = ([f"{letter}{i}" for i in range(n)] for letter, n in zip(("L", ""), values.shape, strict=True))
    return Matrix(
        id=what, symbol=symbol, name=words.capitalize(), values=values, row_labels=tuple(layers),
        column_labels=tuple(heads), tint=tint, limit=float(np.abs(values).max()), decimals=3,
    ).given()  # fmt: skip
