"""Three comparisons: scores ten times as large, only some matrices that learn, and a weight changed a little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.training import LEARNING, Aim, nudged_loss, train, training_trace
from attention_core.gradients.softmax import softmax_jacobian
from pages.shared.lessons.training_step.reasons import greatest
from pages.shared.lessons.training_step.state import MOST_COMPARED, TrainingState
from pages.shared.notation.latex import symbol_of
from pages.shared.notation.numbers import small
from pages.shared.notation.tables import markdown_table

BY = 0.001  # how much a weight is changed to check its gradient
LARGE = 10.0  # the factor by which the scores are multiplied
SAID = {"all": "all three", "what": "$W^V$ alone", "where": "$W^Q$ and $W^K$ alone"}


@dataclass(frozen=True, slots=True)
class Sharpness:
    """How sharp a row of weights is if its scores are multiplied, and the gradients of the matrices then."""

    share: float  # the greatest weight in the row of the token
    slope: float  # the greatest number of its Jacobian
    gradients: Mapping[str, float]  # the greatest gradient of each learned matrix


@cache_recent
def sharpness(example: Example, aim: Aim) -> Mapping[float, Sharpness]:
    """Return how sharp a token's row of weights is: with the usual scores, without division, and ten times as large."""
    undivided = example.w_q.shape[-1] ** 0.5
    return {times: _sharpness(example, replace(aim, times=times)) for times in (1.0, undivided, LARGE)}


def _sharpness(example: Example, aim: Aim) -> Sharpness:
    trace = training_trace(example, aim)
    row = trace.forward.weights[aim.token]
    gradients = {name: greatest(getattr(trace.back, f"grad_{name}")) for name in LEARNING["all"]}
    return Sharpness(float(row.max()), greatest(softmax_jacobian(row)), gradients)


def sharpness_table(found: Mapping[float, Sharpness]) -> str:
    """Return a table with a column for each factor, which fits a phone."""
    symbols = ["J", *(symbol_of(f"grad_{name}") for name in LEARNING["all"])]
    names = ["attention weight", *(f"number of ${symbol}$" for symbol in symbols)]
    values = zip(*([each.share, each.slope, *each.gradients.values()] for each in found.values()), strict=True)
    rows = [(name, *map(small, each)) for name, each in zip(names, values, strict=True)]
    said = {1.0: "÷ $\\sqrt{d_k}$", LARGE: f"÷ $\\sqrt{{d_k}}$, × {LARGE:g}"}
    return markdown_table(("greatest", *(said.get(times, "not divided") for times in found)), rows)


def what_large_scores_do(found: Mapping[float, Sharpness], token: str) -> str:
    """Say how scores ten times as large change the gradients of W^Q and W^K."""
    usual, large = (found[times].gradients["w_q"] for times in (1.0, LARGE))
    share = small(found[LARGE].share)
    if large < usual / LARGE:
        return (
            f"**Large scores stop learning.** If the scores are 10 times as large, “{token}” attends to a single token "
            f"with a weight of {share}, rounded to three digits. A weight that is nearly 1 hardly changes with its "
            f"score. So the greatest number of $dW^Q$ falls from **{small(usual)}** to **{small(large)}**, however "
            f"wrong the output is. The greatest number of $dW^V$ is still {small(found[LARGE].gradients['w_v'])}: the "
            "values can learn, but the attention weights hardly can. The division by $\\sqrt{d_k}$ keeps scores small, "
            "so that the attention weights can learn."
        )
    return (
        f"**Here larger scores do not stop learning.** Multiplied by 10, the greatest weight of “{token}” is "
        f"{share}, and the greatest number of $dW^Q$ goes from {small(usual)} to {small(large)}. "
        "It becomes tiny only if one weight is nearly 1."
    )


@dataclass(frozen=True, slots=True)
class Learned:
    """The changes that some steps of training have made."""

    loss: float
    weights_moved: float  # the greatest change of an attention weight
    values_moved: float  # the greatest change of a number of the values


@cache_recent
def changes_by_side(example: Example, aim: Aim, rate: float) -> Mapping[str, Learned]:
    """Return the changes after some steps in which all matrices learn, and in which only one side learns."""
    before = training_trace(example, aim).forward
    found = dict[str, Learned]()
    for learns in LEARNING:
        trained = train(example, replace(aim, learns=learns), lr=rate, steps=MOST_COMPARED)
        after = training_trace(trained.example, aim).forward
        moved = greatest(after.weights - before.weights), greatest(after.v - before.v)
        found[learns] = Learned(float(trained.losses[-1]), *moved)
    return found


def learned_table(found: Mapping[str, Learned]) -> str:
    """Return the changes by learning as a table."""
    head = ("what learns", f"loss after {MOST_COMPARED} more steps", "$A$ changes by up to", "$V$ changes by up to")
    rows = [
        (SAID[name], small(each.loss), small(each.weights_moved), small(each.values_moved))
        for name, each in found.items()
    ]
    return markdown_table(head, rows)


@dataclass(frozen=True, slots=True)
class Checked:
    """One weight that is changed a little: the change of the loss that its gradient predicts, and the real change."""

    name: str
    row: int
    column: int
    before: float
    after: float
    gradient: float

    @property
    def slopes(self) -> tuple[float, float]:
        """How fast the loss grows, and how fast its gradient says that it grows."""
        return (self.after - self.before) / BY, self.gradient


@cache_recent
def nudge_each_matrix(here: TrainingState, chosen: tuple[str, int, int] | None) -> tuple[Checked, ...]:
    """Change the weight with the greatest gradient in each learned matrix, and before that the chosen weight."""
    places = [_greatest_place(here, name) for name in LEARNING["all"]]
    first = [chosen] if chosen else list[tuple[str, int, int]]()
    return tuple(_check_gradient(here, *place) for place in dict.fromkeys([*first, *places]))


def _greatest_place(here: TrainingState, name: str) -> tuple[str, int, int]:
    gradient = np.abs(getattr(here.trace.back, f"grad_{name}"))
    row, column = np.unravel_index(gradient.argmax(), gradient.shape)
    return name, int(row), int(column)


def _check_gradient(here: TrainingState, name: str, row: int, column: int) -> Checked:
    after = nudged_loss(here.example, here.trace.aim, name, row, column, BY)
    gradient = float(getattr(here.trace.back, f"grad_{name}")[row, column])
    return Checked(name, row, column, float(here.trace.loss.loss), after, gradient)


def chosen_weight(cell: tuple[str, int, int] | None, here: TrainingState) -> tuple[str, int, int] | None:
    """Return the learned weight that is selected, or whose gradient is selected, if any."""
    if cell is None:
        return None
    name, row, column = cell[0].removeprefix("grad_"), *cell[1:]
    if name not in LEARNING["all"]:
        return None
    rows, columns = getattr(here.example, name).shape
    return (name, row, column) if row < rows and column < columns else None


def checked_table(found: tuple[Checked, ...], columns: bool) -> str:
    """Return the weights that were checked as a table."""
    head = ("number", "loss", f"loss if the number is {BY} greater", f"change ÷ {BY}", "its gradient")
    rows = [
        (_place(each, columns), *(f"{loss:.7f}" for loss in (each.before, each.after)), *map(small, each.slopes))
        for each in found
    ]
    return markdown_table(head, rows)


def _place(each: Checked, columns: bool) -> str:
    places = (each.column, each.row) if columns else (each.row, each.column)
    return f"${symbol_of(each.name)}_{{{places[0] + 1},{places[1] + 1}}}$"
