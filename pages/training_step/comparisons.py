"""Three comparisons: scores ten times as large, training of some matrices only, and a weight that changes a little."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.training import LEARNING, Aim, nudged_loss, train_at_the_end, training_trace
from attention_core.gradients.parts import softmax_jacobian
from attention_core.turns import in_turn
from pages.shared.notation.latex import symbol_of
from pages.shared.notation.numbers import significant
from pages.shared.notation.prose import markdown_table
from pages.training_step.state import MOST_COMPARED, TEXTS, TrainingState, greatest, table_row

BY = 0.001  # how much a weight is changed to check its gradient
LARGE = 10.0  # the factor by which the scores are multiplied


@dataclass(frozen=True, slots=True)
class Sharpness:
    """The greatest weight in a token's row, and the greatest gradients, if its scores are multiplied by a factor."""

    share: float  # the greatest weight in the row of the token
    slope: float  # the greatest number in the Jacobian of the row
    gradients: Mapping[str, float]  # the greatest gradient of each learned matrix


@cache_recent
def sharpness(example: Example, aim: Aim) -> Mapping[float, Sharpness]:
    """Return how sharp a token's weights are with the usual, the undivided and ten times as large scores."""
    undivided = example.w_q.shape[-1] ** 0.5
    return {times: _sharpness(example, replace(aim, times=times)) for times in (1.0, undivided, LARGE)}


def _sharpness(example: Example, aim: Aim) -> Sharpness:
    trace = training_trace(example, aim)
    row = trace.forward.weights[aim.token]
    gradients = {name: greatest(getattr(trace.back, f"grad_{name}")) for name in LEARNING["all"]}
    return Sharpness(float(row.max()), greatest(softmax_jacobian(row)), gradients)


def sharpness_table(found: Mapping[float, Sharpness]) -> str:
    """Return a Markdown table with one column for each factor on the scores, narrow enough for a phone."""
    words = TEXTS.words("greatest_number")
    names = [words.options[name] for name in ("weight", "jacobian", *LEARNING["all"])]
    values = zip(*([each.share, each.slope, *each.gradients.values()] for each in found.values()), strict=True)
    rows = [(name, *map(significant, each)) for name, each in zip(names, values, strict=True)]
    factors = {1.0: "divided", LARGE: "large"}
    head = (words.label, *(words.options[factors.get(times, "undivided")] for times in found))
    return markdown_table(head, rows)


def large_scores_text(found: Mapping[float, Sharpness], token: str) -> str:
    """Return a text that says how scores ten times as large change the gradients of W^Q and W^K."""
    usual, large = (found[times].gradients["w_q"] for times in (1.0, LARGE))
    return TEXTS.fill(
        "large_scores_stop_learning" if large < usual / LARGE else "larger_scores_still_learn",
        token=token, share=significant(found[LARGE].share), usual=significant(usual), large=significant(large),
        values=significant(found[LARGE].gradients["w_v"]),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Learned:
    """What some steps of training have changed: the loss, the attention weights and the values."""

    loss: float
    weights_moved: float  # the greatest change of an attention weight
    values_moved: float  # the greatest change of a number of the values


@cache_recent
@in_turn
def changes_by_learned_matrices(example: Example, aim: Aim, rate: float) -> Mapping[str, Learned]:
    """Return what 50 steps of training change for each choice of the matrices that learn."""
    before = training_trace(example, aim).forward
    found = dict[str, Learned]()
    for learns in LEARNING:
        trained = train_at_the_end(example, replace(aim, learns=learns), lr=rate, steps=MOST_COMPARED)
        after = training_trace(trained.example, aim).forward
        moved = greatest(after.weights - before.weights), greatest(after.v - before.v)
        found[learns] = Learned(float(trained.losses[-1]), *moved)
    return found


def learned_text(found: Mapping[str, Learned]) -> str:
    """Return a text with a table of what changes, with one row for each choice of the matrices that learn."""
    rows = {
        name: " | ".join(map(significant, (each.loss, each.weights_moved, each.values_moved)))
        for name, each in found.items()
    }
    return TEXTS.fill("what_each_matrix_learns", steps=MOST_COMPARED, **rows)


@dataclass(frozen=True, slots=True)
class Checked:
    """One weight that grows by 0.001: the loss before and after, and the gradient that predicts the change."""

    name: str
    row: int
    column: int
    before: float
    after: float
    gradient: float

    @property
    def slopes(self) -> tuple[float, float]:
        """Two numbers: the change of the loss divided by the change of the weight, and the gradient of the weight."""
        return (self.after - self.before) / BY, self.gradient


@cache_recent
def nudge_each_matrix(training: TrainingState, chosen: tuple[str, int, int] | None) -> tuple[Checked, ...]:
    """Return what a change does to the loss: of the chosen weight, and of each matrix's with the greatest gradient."""
    places = [_greatest_place(training, name) for name in LEARNING["all"]]
    first = [chosen] if chosen else list[tuple[str, int, int]]()
    return tuple(_check_gradient(training, *place) for place in dict.fromkeys([*first, *places]))


def _greatest_place(training: TrainingState, name: str) -> tuple[str, int, int]:
    gradient = np.abs(getattr(training.trace.back, f"grad_{name}"))
    row, column = np.unravel_index(gradient.argmax(), gradient.shape)
    return name, int(row), int(column)


def _check_gradient(training: TrainingState, name: str, row: int, column: int) -> Checked:
    after = nudged_loss(training.example, training.trace.aim, name, row, column, BY)
    gradient = float(getattr(training.trace.back, f"grad_{name}")[row, column])
    return Checked(name, row, column, float(training.trace.loss.loss), after, gradient)


def chosen_weight(cell: tuple[str, int, int] | None, training: TrainingState) -> tuple[str, int, int] | None:
    """Return the learned weight that is selected, itself or by its gradient, or None if there is none."""
    if cell is None:
        return None
    name, row, column = cell[0].removeprefix("grad_"), *cell[1:]
    if name not in LEARNING["all"]:
        return None
    rows, columns = getattr(training.example, name).shape
    return (name, row, column) if row < rows and column < columns else None


def checked_text(found: tuple[Checked, ...], columns: bool) -> str:
    """Return a text with a table of the changed weights, whose places are exchanged if tokens are `columns`."""
    rows = [
        table_row(
            _weight_symbol(each, columns), f"{each.before:.7f}", f"{each.after:.7f}", *map(significant, each.slopes)
        )
        for each in found
    ]
    return TEXTS.fill("change_one_number", by=BY, checked="\n".join(rows))


def _weight_symbol(each: Checked, columns: bool) -> str:
    places = (each.column, each.row) if columns else (each.row, each.column)
    return f"${symbol_of(each.name)}_{{{places[0] + 1},{places[1] + 1}}}$"
