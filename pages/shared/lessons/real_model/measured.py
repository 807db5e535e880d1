"""The measured numbers of a view of the page, with one column for each of the ways that the view compares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.language_model.causes import INDUCTION_CONTROLS, swap_partners
from attention_core.language_model.damage import UNDAMAGED, damages, head_measurements, read_measurements
from attention_core.language_model.texts import SENTENCES

ABOUT = "SmolLM2-135M-Instruct, a real language model of 30 layers of 9 heads, measured by this app’s own core."
SOURCE = "The model: Hugging Face, 2024, Apache 2.0. What was measured, and how, is in attention_core/language_model."


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Measured:
    """Measured numbers of a real model, with one column for each way to run it, such as without a head.

    The page uses them in place of an example.
    """

    name: str  # the measure: "losses" or "gaps"
    ways: tuple[str, ...]  # the labels of the columns
    tokens: tuple[str, ...]  # the labels of the rows
    values: Array  # (n, ways)
    counted: bool = False  # whether the page counts how often the measure is below 0
    title: str = "A real model"
    about: str = ABOUT
    source: str = SOURCE
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
    return Measured(name="losses", ways=("right", "with the mistake"), tokens=SENTENCES, values=losses)


@cache_recent
def of_experiment(name: str) -> Measured:
    """Return the measurements of the experiment `name`, for the unchanged model and with some heads changed."""
    return {"capitals": _capitals, "induction": _induction, "number": _number}[name]()


def _capitals() -> Measured:
    found = read_measurements()["experiments"]["capitals"]
    countries = found["countries"]
    ways = {"as it is": found["gaps"]} | {f"{head} swapped": gaps for head, gaps in found["swapped"].items()}
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
        "none": "as it is",
        "previous": "L16H0 averaged",
        "previous_control": "L16H4 averaged",
        "induction": "5 heads cut",
        "induction_control": f"{len(INDUCTION_CONTROLS)} others cut",
    }
    ways = {name: found[way]["losses"] for way, name in names.items()}
    lists = tuple(f"list {i + 1}" for i, _ in enumerate(found["none"]["losses"]))
    return Measured(name="losses", ways=tuple(ways), tokens=lists, values=_columns(ways))


def _number() -> Measured:
    found = read_measurements()["experiments"]["number"]
    ways = {("as it is" if way == "none" else f"{way} cut"): gaps for way, gaps in found["gaps"].items()}
    return Measured(name="gaps", ways=tuple(ways), tokens=tuple(found["texts"]), values=_columns(ways), counted=True)


def _columns(ways: dict[str, list[float]]) -> Array:
    return np.stack([np.asarray(each, dtype=float) for each in ways.values()], axis=1)
