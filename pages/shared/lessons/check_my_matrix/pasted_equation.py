"""The equations of a check: the given matrices, and the pasted result with the right result below it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from attention_core import SelfAttentionTrace, embed_positions
from attention_core.arithmetic import Cell
from attention_core.arithmetic.position_rules import embedding_rules
from attention_core.diagnosis.diagnose import Diagnosis
from attention_core.diagnosis.pasted import POSITIONS, Problem, correct_cells
from attention_core.heads import MultiHeadTrace
from attention_core.position_trace import PositionTrace
from attention_core.reading.matrix_text import MatrixText
from pages.shared.equation import Line, Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.head_matrices import head_matrices
from pages.shared.equation.matrices import attention_matrices, example_matrices, limits_of
from pages.shared.equation.position_matrices import position_matrix
from pages.shared.lessons.check_my_matrix.pairs_of_values import two_numbers
from pages.shared.notation.symbols import matrix_id_of_stage

Place = tuple[str, *tuple[int, ...]]  # a matrix and a place in it; with several heads, the head comes first
YOURS, OWN = "yours", "given"  # the ids of the pasted result, and of the visitor's own numbers, end with these
GIVEN = {
    "example": ("x", "context", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v"),
    "weights": ("x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v"),
    "queries": ("q", "k", "v"),
    "scores": ("scores",),
    "embeddings": ("x",),
}


def name_of(problem: Problem) -> str:
    """Return the id of the matrix that the task asks for, as formulas and equations use it."""
    return matrix_id_of_stage(problem.stage)


def given_lines(problem: Problem, source: str) -> list[Line]:
    """Return an equation with the matrices that the task gives, each with its name.

    `source` says where these matrices come from, such as "example".
    """
    m, names = _given_matrices(problem), _given_names(problem, source)
    if problem.shown is not None:
        m = {**m, "scores": replace(m["scores"], values=problem.shown)}  # a score of −∞ stays what it is
    shown = [m[name].as_given().with_suffix(f"_{OWN}", _ids_of_given(source)) for name in names if name in m]
    return [Line(tuple(shown), "What you start from")]


def answer_lines(problem: Problem, answer: MatrixText, source: str) -> list[Line]:
    """Return an equation with the pasted result and an equation with the correct result. Wrong numbers are underlined.

    `source` says where the matrices of the task come from, such as "example".
    """
    right = _asked_matrix(problem, source)
    fits = answer.values.shape == right.values.shape
    yours = replace(
        right,
        id=f"{right.id}_{YOURS}",
        name=f"Your {right.name.lower()}",
        values=answer.values,
        right=np.where(correct_cells(problem, answer), answer.values, right.values) if fits else None,
        row_labels=right.row_labels if fits else (),
        column_labels=right.column_labels if fits else (),
    )
    yours = yours.paired_with(right)
    said = "Yours: what is wrong is underlined; point there for the correct one" if fits else "Yours"
    return [Line((yours,), said), Line((right,), "Right")]


def first_wrong_place(problem: Problem, found: Diagnosis) -> Place | None:
    """Return the first wrong cell: the id of its matrix, its row and its column. Return None if no cell is wrong."""
    if found.first_wrong_cell is None:
        return None
    stage, row, column = found.first_wrong_cell
    return (name_of(problem) if stage == problem.stage else stage, row, column)


def your_number_text(problem: Problem, answer: MatrixText, place: Place | None) -> str:
    """Return a sentence with the visitor's number in the cell `place`, and the correct number if they differ.

    Return "" if the cell is not in the result.
    """
    if place is None or place[0].removesuffix(f"_{YOURS}") != name_of(problem):
        return ""
    inside = all(i < n for i, n in zip(place[1:], answer.values.shape, strict=True))
    if not inside:
        return ""
    value, right = (float(matrix[place[1:]]) for matrix in (answer.values, problem.correct_result))
    written, correct = two_numbers(value, right, answer.decimals)
    fits = answer.values.shape == problem.correct_result.shape
    if fits and correct_cells(problem, answer)[place[1:]]:
        return f"Yours is ${written}$."
    return f"Yours is ${written}$; the correct number is ${correct}$."


def explain_cell(problem: Problem, place: Place) -> Cell | None:
    """Return the arithmetic of a cell in the correct computation, or None if the cell has none."""
    return _computation(problem).cell(place[0], place[1:])


def _computation(problem: Problem) -> Computation:
    if isinstance(problem.trace, PositionTrace):
        return Computation(embedding_rules(embed_positions(problem.example.x, root=False)))
    return Computation(problem.trace)


def _given_names(problem: Problem, source: str) -> tuple[str, ...]:
    if problem.stage == POSITIONS:
        return ("x",)
    return (*GIVEN[source], "w_o") if isinstance(problem.trace, MultiHeadTrace) else GIVEN[source]


def _ids_of_given(source: str) -> tuple[str, ...]:
    """Return the ids of the matrices that the visitor has given. Return () if `source` is "example"."""
    return () if source == "example" else (*GIVEN[source], "w_o")


def _given_matrices(problem: Problem) -> Mapping[str, Matrix]:
    """Return the matrices that a task may give, by name.

    Queries, keys and values are among them only if the task has one head.
    """
    if isinstance(problem.trace, SelfAttentionTrace):
        return attention_matrices(problem.example, problem.trace)
    return example_matrices(problem.example)


def _asked_matrix(problem: Problem, source: str) -> Matrix:
    right, name = problem.correct_result, name_of(problem)
    if isinstance(problem.trace, PositionTrace):
        return position_matrix(name, right, _computation(problem))
    trace, example = problem.trace, problem.example
    of_several = isinstance(trace, MultiHeadTrace)
    m = head_matrices(example, trace) if of_several else attention_matrices(example, trace)
    asked = replace(m[name], limit=limits_of({name: right}).get(name, 1.0))
    return asked.read_only().with_suffix(f"_{OWN}", _ids_of_given(source))
