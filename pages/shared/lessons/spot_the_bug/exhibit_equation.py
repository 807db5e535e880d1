"""The result of an exhibit as equations: what its cell gives and, beside it, what it should give."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attention_core.museum import Exhibit, Numbers
from pages.shared.equation import Line, Matrix, Sign, matrices_of
from pages.shared.equation.drawn import drawn
from pages.shared.equation.explain import RIGHT, SLIP
from pages.shared.equation.matrices import limits_of, matrix_of
from pages.shared.equation.position_matrices import position_matrix

Items = tuple[Matrix | Sign | str, ...]

OWN_VALUES = Sign("times its own values", arrow=True)
OTHERWISE = Sign("by the cell", arrow=True)  # where the output is not the product of what stands before it
PRODUCTS = (("weights", "v"), ("concat", "w_o"))


def result_lines(shown: Exhibit, *, beside: bool) -> list[Line]:
    """The result of the cell. Beside the right one, what differs is underlined."""
    outcome = shown.outcome()
    if not beside:
        return _lines(shown, outcome.wrong, SLIP, "What the cell gives")
    comparable = outcome.right[shown.result].shape == outcome.wrong[shown.result].shape
    label = "What the cell gives" + comparable * ": what is wrong is underlined, point there for the right number"
    given = _lines(shown, outcome.wrong, SLIP, label, outcome.right)
    return given + _lines(shown, outcome.right, RIGHT, "What it should give")


def per_head(shown: Exhibit) -> bool:
    """Say whether the result is a line for each head: these stand abreast."""
    return "heads" in shown.outcome().right


def core_place(place: tuple[str, int, int]) -> tuple[str, int, int] | None:
    """Return a selected cell of these equations under its name in the core, or None if it is none of theirs."""
    name, dot, part = place[0].partition(".")
    bare = name.removesuffix(SLIP).removesuffix(RIGHT)
    return None if bare == name else (f"{bare}{dot}{part}", *place[1:])


def drawn_value(place: tuple[str, int, int]) -> float | None:
    """Return the number at a place of the equations on the page, if it is there."""
    id, row, column = place
    shown = [matrix for lines in drawn().values() for matrix in matrices_of(lines)]
    values = next((matrix.values for matrix in shown if matrix.id == id), np.empty((0, 0)))
    return float(values[row, column]) if row < values.shape[0] and column < values.shape[1] else None


def _lines(shown: Exhibit, side: Numbers, suffix: str, label: str, right: Numbers | None = None) -> list[Line]:
    if "encoding" in side:
        return [
            Line(
                (
                    position_matrix(
                        "sinusoidal", side["encoding"], suffix=suffix, right=_beside("encoding", side, right)
                    ),
                ),
                label,
            )
        ]
    if "heads" in side:
        heads = zip(*(_per_head(shown, name, side, suffix, right) for name in ("weights", "heads")), strict=True)
        return [Line((weights, OWN_VALUES, head), label if h == 0 else "") for h, (weights, head) in enumerate(heads)]
    if "scores" in side:
        return [Line(tuple(_scores(shown, side["scores"], suffix)), label)]
    left, factor = next(pair for pair in PRODUCTS if pair[0] in side)
    return [Line(_product(shown, side, left, factor, suffix, right), label)]


def _product(shown: Exhibit, side: Numbers, left: str, factor: str, suffix: str, right: Numbers | None) -> Items:
    first = _matrix(shown, left, side, suffix, right)
    first = first.with_sums("rows") if left == "weights" else first
    second = _matrix(shown, factor, side, RIGHT, None)
    output = _matrix(shown, "output", side, suffix, right)
    if not shown.outcome().is_product(side, left, factor):
        return first, "and", second, OTHERWISE, output
    return first, "·", second, "=", output.reading(f"{first.id}[i,:]", f"{second.id}[:,j]")


def _matrix(shown: Exhibit, name: str, side: Numbers, suffix: str, right: Numbers | None) -> Matrix:
    limits = limits_of({**shown.outcome().right, name: side[name]})
    made = matrix_of(name, shown.numbers(), side[name], (), limits, right=_beside(name, side, right))
    return made.renamed(f"{name}{suffix}")


def _per_head(shown: Exhibit, name: str, side: Numbers, suffix: str, right: Numbers | None) -> Iterator[Matrix]:
    limits, beside = limits_of(shown.outcome().right), _beside(name, side, right)
    for h, values in enumerate(side[name]):
        its_right = None if beside is None else beside[h]
        made = matrix_of(name, shown.numbers(), values, (), limits, part=h, right=its_right)
        yield made.renamed(f"{name}{suffix}.{h}")


def _beside(name: str, side: Numbers, right: Numbers | None) -> np.ndarray | None:
    """Return the right numbers, if they are asked for and can stand cell by cell beside these."""
    return right[name] if right and right[name].shape == side[name].shape else None


def _scores(shown: Exhibit, scores: np.ndarray, suffix: str) -> Iterator[Matrix]:
    """Scores as they should be, or a matrix for every key of the first query."""
    limits = limits_of({"scores": scores})
    if scores.ndim == 2:
        yield matrix_of("scores", shown.numbers(), scores, (), limits).renamed(f"scores{suffix}")
        return
    for j, values in enumerate(scores[0]):
        features = tuple(str(i + 1) for i in range(len(values)))
        name = f"Score of query 1 and key {j + 1}"
        yield Matrix(
            id=f"scores{suffix}.{j}", symbol=f"S_{{1,{j + 1}}}", name=name, values=values, limit=limits["scores"],
            row_labels=features, column_labels=features,
        )  # fmt: skip
