"""The result of an exhibit as equations: what its code gives and, beside it, what its code should give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from attention_core.museum import Exhibit, Numbers
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import limits_of, matrix_of
from pages.shared.equation.position_matrices import position_matrix
from pages.shared.equation.selected_cell import MISTAKE_SUFFIX, RIGHT_SUFFIX
from pages.shared.notation.symbols import SYMBOLS, symbol_of_matrix

Items = tuple[Matrix | Sign | str, ...]

OWN_VALUES = Sign("times its own values", arrow=True)
OTHERWISE = Sign("by the cell", arrow=True)  # used if the output is not the product of the matrices before it
PRODUCTS = (("weights", "v"), ("concat", "w_o"))


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two results of an exhibit: the result of its wrong code, or the correct result."""

    shown: Exhibit
    numbers: Numbers
    suffix: str  # the ending of the ids of its matrices
    right: Numbers | None = None  # the numbers to compare these with

    @property
    def computation(self) -> Computation:
        """The computation of the correct numbers, which explains their cells."""
        return Computation(self.shown.outcome().correct_trace)


def result_lines(shown: Exhibit, *, beside: bool) -> list[Line]:
    """Return lines with the result of an exhibit's code.

    If `paired_with` is true, lines with the correct result follow, and numbers that differ from it are underlined.
    """
    outcome = shown.outcome()
    if not beside:
        return _lines(Side(shown, outcome.wrong, MISTAKE_SUFFIX), "What the cell gives")
    comparable = outcome.correct[shown.result].shape == outcome.wrong[shown.result].shape
    label = "What the cell gives" + comparable * ": wrong numbers are underlined, point at one for the right number"
    given = _lines(Side(shown, outcome.wrong, MISTAKE_SUFFIX, outcome.correct), label)
    return given + _lines(Side(shown, outcome.correct, RIGHT_SUFFIX), "What it should give")


def has_line_for_each_head(shown: Exhibit) -> bool:
    """Return whether the result has one line for each head. The page then draws these lines side by side."""
    return "heads" in shown.outcome().correct


def _lines(side: Side, label: str) -> list[Line]:
    numbers = side.numbers
    if "encoding" in numbers:
        return [Line((_encoding_matrix(side),), label)]
    if "heads" in numbers:
        each = [_head_items(side, h) for h in range(len(numbers["heads"]))]
        return [Line(items, label if h == 0 else "") for h, items in enumerate(each)]
    if "scores" in numbers:
        return [Line(tuple(_score_matrices(side)), label)]
    left, factor = next(pair for pair in PRODUCTS if pair[0] in numbers)
    return [Line(_product_items(side, left, factor), label)]


def _product_items(side: Side, left: str, factor: str) -> Items:
    first = _matrix(side, left)
    output = replace(_matrix(side, "output"), symbol=SYMBOLS[symbol_of_matrix("output", (left,))].symbol)
    first = first.with_sums("rows") if left == "weights" else first
    second = _matrix(Side(side.shown, side.numbers, RIGHT_SUFFIX), factor)
    if not side.shown.outcome().is_product(side.numbers, left, factor):
        return first, "and", second, OTHERWISE, output.with_reads(f"{first.id}[:,:]", f"{second.id}[:,:]")
    return first, "·", second, "=", output.with_reads(f"{first.id}[i,:]", f"{second.id}[:,j]")


def _matrix(side: Side, name: str) -> Matrix:
    values, limits = side.numbers[name], limits_of({**side.shown.outcome().correct, name: side.numbers[name]})
    right = _right_values(side, name)
    return _with_id_of_side(
        matrix_of(name, side.shown.own_example(), values, side.computation, limits, right=right), side
    )


def _head_items(side: Side, h: int) -> Items:
    weights, output = (_matrix_of_head(side, name, h) for name in ("weights", "heads"))
    return weights, OWN_VALUES, output.with_reads(f"{weights.id}[i,:]")


def _matrix_of_head(side: Side, name: str, h: int) -> Matrix:
    values, limits, right = side.numbers[name][h], limits_of(side.shown.outcome().correct), _right_values(side, name)
    beside = None if right is None else right[h]
    made = matrix_of(name, side.shown.own_example(), values, side.computation, limits, part=h, right=beside)
    return _with_id_of_side(made, side)


def _encoding_matrix(side: Side) -> Matrix:
    encoding, right = side.numbers["encoding"], _right_values(side, "encoding")
    return _with_id_of_side(position_matrix("sinusoidal", encoding, side.computation, right=right), side)


def _right_values(side: Side, name: str) -> np.ndarray | None:
    """Return the correct numbers of the matrix `name`, to compare with the wrong ones.

    Return None for the correct result itself, or if the two matrices have different shapes.
    """
    if side.right is None or side.right[name].shape != side.numbers[name].shape:
        return None
    return side.right[name]


def _with_id_of_side(matrix: Matrix, side: Side) -> Matrix:
    """Return the matrix with an id that says whether it belongs to the wrong result or to the correct one.

    A cell of the wrong matrix lights up together with the same cell of the correct matrix.
    """
    here, right = (matrix.with_suffix(suffix, (matrix.id,)) for suffix in (side.suffix, RIGHT_SUFFIX))
    return here.with_reads() if matrix.right is None else here.paired_with(right)


def _score_matrices(side: Side) -> Iterator[Matrix]:
    """Yield the matrix of the scores.

    In one exhibit, each score is wrongly a matrix itself. Then yield one matrix for query 1 and each key.
    """
    scores = side.numbers["scores"]
    limits = limits_of({"scores": scores})
    if scores.ndim == 2:
        made = matrix_of("scores", side.shown.own_example(), scores, side.computation, limits)
        yield _with_id_of_side(made, side)
        return
    for j, values in enumerate(scores[0]):
        features = tuple(str(i + 1) for i in range(len(values)))
        name = f"Score of query 1 and key {j + 1}"
        yield Matrix(
            id=f"scores{side.suffix}.{j}", symbol=f"S_{{1,{j + 1}}}", name=name, values=values, limit=limits["scores"],
            row_labels=features, column_labels=features,
        )  # fmt: skip
