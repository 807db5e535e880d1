"""The equations of a check: what was given, and the pasted result beside the right one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from attention_core import SelfAttentionTrace, embed_positions
from attention_core.arithmetic import Number, Worked
from attention_core.arithmetic.position_rules import embedding_worked
from attention_core.diagnosis.checking import POSITIONS, Problem, right_cells
from attention_core.diagnosis.diagnose import Diagnosis
from attention_core.heads import MultiHeadTrace
from attention_core.position_trace import PositionTrace
from attention_core.reading.matrix_text import MatrixText
from pages.shared.equation import Line, Matrix, matrices_of
from pages.shared.equation.matrices import attention_matrices, limits_of, matrix_of
from pages.shared.equation.position_matrices import position_matrix
from pages.shared.notation.latex import number
from pages.shared.notation.symbols import shown_as

YOURS, OWN = "yours", "given"  # end the ids of the pasted result, and of numbers that the visitor gave
GIVEN = {
    "example": ("x", "context", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v"),
    "weights": ("x", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v"),
    "queries": ("q", "k", "v"),
    "scores": ("scores",),
}


def name_of(problem: Problem) -> str:
    """Return what the asked matrix is called in formulas and ids."""
    return shown_as(problem.stage)


def given_lines(problem: Problem, source: str) -> list[Line]:
    """The numbers that were given, each with its name."""
    trace = problem.trace if isinstance(problem.trace, SelfAttentionTrace) else problem.example.attention()
    m, several = attention_matrices(problem.example, trace), isinstance(problem.trace, MultiHeadTrace)
    names = ("x",) if problem.stage == POSITIONS else (*GIVEN[source], *(["w_o"] if several else []))
    shown = [m[name] if source == "example" else _of_their_own(m[name]) for name in names if name in m]
    return [Line(tuple(shown), "What you start from")]


def answer_lines(problem: Problem, answer: MatrixText) -> list[Line]:
    """The pasted result, wrong numbers underlined, and the right one."""
    right = _asked_matrix(problem)
    fits = answer.values.shape == right.values.shape
    yours = replace(
        right,
        id=f"{right.id}_{YOURS}",
        name=f"Your {right.name.lower()}",
        values=answer.values,
        right=np.where(right_cells(problem, answer), answer.values, right.values) if fits else None,
        row_labels=right.row_labels if fits else (),
        column_labels=right.column_labels if fits else (),
    )
    said = "Yours: what is wrong is underlined; point there for the right one" if fits else "Yours"
    return [Line((yours,), said), Line((right,), "Right")]


def first_wrong(problem: Problem, found: Diagnosis) -> tuple[str, int, int] | None:
    """Return the first wrong cell, as the equations name it."""
    if found.departs is None:
        return None
    stage, row, column = found.departs
    return (name_of(problem) if stage == problem.stage else stage, row, column)


def beside(problem: Problem, answer: MatrixText, place: tuple[str, int, int] | None) -> str:
    """Say what the visitor has where a cell of the asked matrix is explained."""
    if place is None or place[0].removesuffix(f"_{YOURS}") != name_of(problem):
        return ""
    inside = all(i < n for i, n in zip(place[1:], answer.values.shape, strict=True))
    return f"Yours is ${number(float(answer.values[place[1:]]))}$." if inside else ""


def traces_of(problem: Problem, source: str) -> Mapping[str, Any]:
    """Return the traces that explain the cells, by the suffix of their ids."""
    if isinstance(problem.trace, PositionTrace):
        worked = embedding_worked(embed_positions(problem.example.x, root=False))
        return {"": worked, YOURS: worked, OWN: worked}
    given = matrices_of(given_lines(problem, source))
    names = [matrix.id.removesuffix(f"_{OWN}") for matrix in given]
    rules = {name: (m.values, partial(_given, name, m)) for name, m in zip(names, given, strict=True)}
    return {OWN: Worked(rules), "": problem.trace, YOURS: problem.trace}


def _given(name: str, matrix: Matrix, *index: int) -> Number:
    return Number(float(matrix.values[index]), name, index)


def _of_their_own(matrix: Matrix) -> Matrix:
    """Return a matrix that the visitor pasted: nothing gives it, and it cannot be edited here."""
    return matrix.renamed(f"{matrix.id}_{OWN}").reading()


def _asked_matrix(problem: Problem) -> Matrix:
    right, name = problem.right, name_of(problem)
    if problem.stage == POSITIONS:
        return position_matrix(name, right)
    return matrix_of(name, problem.example, right, (), limits_of({name: right})).fixed()
