"""The measured damage of each mistake: its equations, and what the page says about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attention_core.arithmetic.position_rules import average_rules, averages_of, counts_of
from attention_core.caching import cache_recent
from attention_core.checks import Array
from attention_core.language_model.causes import (
    FEWER,
    INDUCTION_CONTROLS,
    UNDAMAGED,
    Damage,
    damages,
    head_measurements,
    mistakes,
    read_measurements,
    swap_partners,
)
from attention_core.language_model.tokens import PROMPTS, SENTENCES
from pages.shared.equation import Line, Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.model import greatest_magnitude
from pages.shared.notation.glossary import define
from pages.shared.notation.prose import literal, markdown_table, typeset

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


WHY = (
    "What does a mistake cost a model that has learned to write? In all 30 layers of **SmolLM2-135M**, we replace the "
    "right line of code by the line with the mistake. The model is not trained again. The **loss** says how surprised "
    "the model is by the next token: less is better."
)
CHANCE = 2.0  # a difference of fewer standard errors may be chance


def mistake_text(name: str) -> str:
    """Return a text about a mistake: how it changes the loss, what goes wrong, and its formula."""
    mistake, this = mistakes()[name], damages()[name]
    formula = f"$$\n{mistake.formula}\n$$\n\n" * bool(mistake.formula)
    return f"{_loss_change_text(this)}\n\n**{typeset(mistake.title)}.** {typeset(mistake.why)}\n\n{formula}"


def _loss_change_text(damage: Damage) -> str:
    right = damages()[UNDAMAGED]
    if np.isnan(damage.loss):
        return (
            "It leaves **no number**: the output of the first layer is NaN, or too large to be squared, and so is "
            "the rest."
        )
    ((more, error),) = averages_of((damage.losses - right.losses)[:, None])
    how = f"by {more:+.2f} {define('nats')} for each token. Chance alone usually moves this number by ± {error:.2f}"
    if abs(more) < CHANCE * error:
        return f"The loss goes from {right.loss:.2f} to **{damage.loss:.2f}**, {how}. Chance alone could do that."
    return f"The loss goes from {right.loss:.2f} to **{damage.loss:.2f}**, {how}."


def caution_text(name: str) -> str:
    """Return a warning if the model sees later tokens because of the mistake, or "" if it does not.

    The usual loss says little about such a mistake, because the model could read the answer.
    """
    this, right = damages()[name], damages()[UNDAMAGED].losses[:FEWER].mean()
    if this.from_prefixes is None:
        return ""
    usual, fair = this.losses[:FEWER].mean(), this.from_prefixes.mean()
    return (
        f":material/warning: **{_false_loss_text(right, usual, fair)}** With this mistake, the model sees later "
        "tokens, which it should predict. If the model gets only the earlier words, as when it writes, its loss on "
        f"the first {FEWER} sentences is **{fair:.2f}** in place of {usual:.2f}. "
        f"The right model has {right:.2f} in both cases."
    )


def _false_loss_text(right: float, usual: float, fair: float) -> str:
    if fair <= usual:
        return "This loss depends on later tokens."
    falls = "It is even below the loss of the right model." if usual < right else "It hides a part of the damage."
    return f"The model can read off the answer, so do not trust this loss. {falls}"


def writing_and_layers_text(name: str) -> str:
    """Return a text that says how the model writes with the mistake, and what the mistake costs in a single layer."""
    return "\n\n".join(filter(None, (continuation_table(name), one_layer_text(name))))


def continuation_table(name: str) -> str:
    """Return a table that shows how the model continues a text, without and with the mistake."""
    rows = [
        (who, literal(damages()[each].goes_on.replace("\n", "⏎")) or "nothing that could be written")
        for who, each in (("right", UNDAMAGED), ("with the mistake", name))
    ]
    table = markdown_table(("model", "the next ten tokens"), rows, ":--")
    return f"How does the model continue *{PROMPTS[0]}*?\n\n{table}"


def one_layer_text(name: str) -> str:
    """Return a text that says how much loss the mistake adds in a single layer, or "" if this was not measured."""
    added = np.array([np.nan if each is None else each for each in damages()[name].layers])
    if not len(added) or np.isnan(added).all():
        return ""
    most, least = int(np.nanargmax(added)), int(np.nanargmin(added))
    return (
        f"**In one layer alone**, the mistake adds most in layer {most} ({added[most]:+.2f}) and least in layer "
        f"{least} ({added[least]:+.2f}), measured on {FEWER} of the sentences. The numbers of the 30 layers add up to "
        f"{np.nansum(added):+.2f}. In all layers at once, the mistake adds "
        f"{damages()[name].loss - damages()[UNDAMAGED].loss:+.2f}."
    )
