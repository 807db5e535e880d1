"""The measurements on SmolLM2-135M that are stored in a file: how much a mistake or a missing head raises the loss.

The program `tests/tools/make_damage.py` makes these measurements.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from attention_core.caching import read_only
from attention_core.checks import Array
from attention_core.language_model.mistakes import CANDIDATES
from attention_core.language_model.texts import SENTENCES
from attention_core.mistakes import Mistake

FILE = Path(__file__).with_name("damage.json")
FEWER = 4  # the number of sentences for a mistake in one layer alone, and for losses from prefixes
MANY = 10  # the number of sentences for a head whose output is set to 0
GOES_ON = 10  # the number of tokens with which a model continues a text
UNDAMAGED = "right"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Damage:
    """How much worse a model becomes with a mistake in all its layers, or in one layer."""

    name: str  # the name of the mistake, or "right" for the model without a mistake
    losses: Array  # (20,) nats per token, for each sentence; NaN if the mistake leads to no number
    from_prefixes: Array | None  # (4,) the losses if the model reads no later token; None if none changes a prediction
    goes_on: str  # the text with which the model continues a prompt
    layers: tuple[float | None, ...]  # the added loss if only one layer has the mistake, for each layer; () if unknown

    @property
    def loss(self) -> float:
        """The mean loss in nats per token, or NaN if the mistake leads to no number."""
        return float(self.losses.mean())


@cache
def read_measurements() -> Mapping[str, Any]:
    """Return all measurements from the file of this package, by the name of the measurement."""
    return json.loads(FILE.read_text("utf-8"))


@cache
def damages() -> Mapping[str, Damage]:
    """Return the damage of each mistake that a real model can make, and of the model without a mistake, by name.

    The damage with the smallest mean loss comes first. Mistakes that lead to no number come last.
    """
    made = [_damage(name, numbers or {}) for name, numbers in read_measurements()["mistakes"].items()]
    return {each.name: each for each in sorted(made, key=lambda each: (np.isnan(each.loss), each.loss))}


def _damage(name: str, numbers: Mapping[str, Any]) -> Damage:
    """Return the damage of one mistake from its numbers in the file. Without numbers, all its losses are NaN."""
    no_number = [float("nan")] * len(SENTENCES)
    return Damage(
        name=name,
        losses=_array(numbers.get("losses", no_number)),
        from_prefixes=_array(numbers["from_prefixes"]) if "from_prefixes" in numbers else None,
        goes_on=numbers.get("goes_on", ""),
        layers=tuple(read_measurements()["layers"].get(name, ())),
    )


def _array(values: Any) -> Array:
    return read_only(np.asarray(values, dtype=float))


@cache
def mistakes() -> Mapping[str, Mistake[Any]]:
    """Return the mistakes that a real model can make, by name, in the order of the catalogue."""
    return {mistake.name: mistake for mistake in CANDIDATES if mistake.name in damages()}


@cache
def head_measurements(measurement: str) -> Array:
    """Return one measurement of each head. `measurement` is the name of the measurement: "added", "first" or "pointed".

    "added" is how much the loss grows without the head. "first" is the head's mean weight on the first token.
    "pointed" is the mean of the head's greatest weight on any token but the first.

    Shapes: → (n_layers, n_heads).
    """
    return read_only(np.asarray(read_measurements()["heads"][measurement], dtype=float))


def rank_correlation(one: Array, other: Array) -> float:
    """Return how similar the orders of two lists of numbers are, by Spearman's rank correlation.

    It is 1 for the same order, −1 for the reverse order, and about 0 for unrelated orders.

    Source: Spearman 1904.

    >>> rank_correlation(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0]))
    1.0
    """
    ranks = np.stack([np.ravel(each).argsort().argsort() for each in (one, other)])
    return float(np.asarray(np.corrcoef(ranks))[0, 1])
