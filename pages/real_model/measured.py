"""What was measured on the real model: mistakes, experiments and heads, and the equations with these numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.arithmetic.position_rules import average_rules, averages_of, counts_of
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.language_model.causes import (
    INDUCTION,
    INDUCTION_CONTROLS,
    PREVIOUS,
    PREVIOUS_CONTROL,
    UNDAMAGED,
    damages,
    head_measurements,
    read_measurements,
    swap_partners,
)
from attention_core.language_model.tokens import SENTENCES
from pages.shared.equation import Line, Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.model import greatest_magnitude
from pages.shared.notation.texts import texts_beside

TEXTS = texts_beside(__file__)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Measured:
    """Measured numbers of a real model in place of an example, with one column for each way to run the model."""

    name: str  # the measure: "losses" or "gaps"
    ways: tuple[str, ...]  # the labels of the columns
    tokens: tuple[str, ...]  # the labels of the rows
    values: Array  # (n, ways)
    counted: bool = False  # whether the page counts how often the measure is below 0
    title: str = TEXTS.fill("example_title")
    about: str = TEXTS.fill("example_about")
    source: str = TEXTS.fill("example_source")
    context: None = None  # there is no second text

    @property
    def key_tokens(self) -> tuple[str, ...]:
        """The labels of the columns. They have this name because the page uses the object like an `Example`."""
        return self.ways

    @property
    def n(self) -> int:
        """The number of measurements in each column."""
        return len(self.values)


def of_page(parameters) -> Measured:
    """Return the measured numbers for the view that the visitor has opened."""
    views = {"mistakes": lambda: of_mistake(parameters.mistake), "causes": lambda: of_experiment(parameters.experiment)}
    return views.get(parameters.look, of_all_heads)()


@cache_recent
def of_all_heads() -> Measured:
    """Return the growth of the loss without each head: one row for each layer, and one column for each head."""
    added = head_measurements("added")
    layers, heads = (tuple(f"{letter}{i}" for i in range(n)) for letter, n in zip("LH", added.shape, strict=True))
    return Measured(name="added", ways=heads, tokens=layers, values=added)


@cache_recent
def of_mistake(name: str) -> Measured:
    """Return the losses of the correct model, and of the model with the mistake `name` in all layers."""
    losses = np.stack([damages()[each].losses for each in (UNDAMAGED, name)], axis=1)
    ways = TEXTS.fill("right"), TEXTS.fill("with_the_mistake")
    return Measured(name="losses", ways=ways, tokens=SENTENCES, values=losses)


@cache_recent
def of_experiment(name: str) -> Measured:
    """Return the measurements of the experiment `name`, for the unchanged model and with some heads changed."""
    return {"capitals": _capitals, "induction": _induction, "number": _number}[name]()


def _capitals() -> Measured:
    found = read_measurements()["experiments"]["capitals"]
    countries = found["countries"]
    swapped = {TEXTS.fill("head_swapped", head=head): gaps for head, gaps in found["swapped"].items()}
    ways = {TEXTS.fill("as_it_is"): found["gaps"]} | swapped
    swaps = zip(countries, swap_partners(countries), strict=True)
    return Measured(
        name="gaps",
        ways=tuple(ways),
        tokens=tuple(f"{own} ← {other}" for own, other in swaps),
        values=_columns(ways),
        counted=True,
    )


def _induction() -> Measured:
    found = read_measurements()["experiments"]["induction"]
    names = {
        "none": TEXTS.fill("as_it_is"),
        "previous": TEXTS.fill("head_averaged", head=str(PREVIOUS)),
        "previous_control": TEXTS.fill("head_averaged", head=str(PREVIOUS_CONTROL)),
        "induction": TEXTS.fill("heads_cut", n=len(INDUCTION)),
        "induction_control": TEXTS.fill("others_cut", n=len(INDUCTION_CONTROLS)),
    }
    ways = {name: found[way]["losses"] for way, name in names.items()}
    lists = tuple(TEXTS.fill("list_of_words", number=i + 1) for i, _ in enumerate(found["none"]["losses"]))
    return Measured(name="losses", ways=tuple(ways), tokens=lists, values=_columns(ways))


def _number() -> Measured:
    found = read_measurements()["experiments"]["number"]
    unchanged = TEXTS.fill("as_it_is")
    ways = {
        unchanged if head == "none" else TEXTS.fill("head_cut", head=head): gaps for head, gaps in found["gaps"].items()
    }
    return Measured(name="gaps", ways=tuple(ways), tokens=tuple(found["texts"]), values=_columns(ways), counted=True)


def _columns(ways: Mapping[Any, Sequence[float]]) -> Array:
    return np.stack([np.asarray(each, dtype=float) for each in ways.values()], axis=1)


@cache_recent
def mistake_lines(found: Measured) -> Sequence[Line]:
    """Return an equation of three means with errors: the loss without the mistake, with it, and the difference."""
    right, wrong = found.values.T
    values, ways = np.stack([right, wrong, wrong - right], axis=1), (*found.ways, TEXTS.fill("the_mistake_adds"))
    return [Line((_averages(found, values, ways).with_reads(),), TEXTS.fill("mean_of_losses"))]


@cache_recent
def experiment_lines(found: Measured, columns: bool) -> Sequence[Line]:
    """Return an equation with the mean and standard error of each way, and perhaps how many numbers are below 0."""
    column = f"{found.name}[:,i]"
    averages = _averages(found, found.values, found.ways)
    counts = (each.with_reads(column) for each in _counts(found))
    return [Line((averages, *counts), TEXTS.fill("means_of_columns", 2, columns))]


@cache_recent
def measured_lines(found: Measured) -> Sequence[Line]:
    """Return an equation with the measured numbers, which have one row for each text."""
    each = Matrix.named(found.name, found.values, row_labels=found.tokens, column_labels=found.ways, decimals=1)
    return [Line((each.as_given(),))]


def _averages(found: Measured, values: np.ndarray, ways: tuple[str, ...]) -> Matrix:
    averages = averages_of(values)
    labels = TEXTS.fill("mean"), TEXTS.fill("error")
    made = Matrix.named("averages", averages, row_labels=ways, column_labels=labels, decimals=2)
    return made.with_computation(Computation(average_rules(found.name, values)))


def _counts(found: Measured) -> tuple[Matrix, ...]:
    if not found.counted:
        return ()
    counts = counts_of(found.values)
    made = Matrix.named("counts", counts, column_labels=(TEXTS.fill("below_zero", n=found.n),), limit=float(found.n))
    return (made.with_computation(Computation(average_rules(found.name, found.values))),)


@cache_recent
def head_lines() -> Sequence[Line]:
    """Return two matrices of all heads: the mean greatest weight of each, and the growth of the loss without it."""
    return [Line((_of_heads("pointed"),)), Line((_of_heads("added"),))]


def _of_heads(what: str) -> Matrix:
    values = head_measurements(what)
    layers, heads = ([f"{letter}{i}" for i in range(n)] for letter, n in zip(("L", ""), values.shape, strict=True))
    look = {"row_labels": tuple(layers), "column_labels": tuple(heads), "decimals": 3}
    return Matrix.named(what, values, **{"limit": greatest_magnitude(values), **look}).as_given()
