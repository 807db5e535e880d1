"""The visitor's result as an equation, and what to do next."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from attention_core import SelfAttentionTrace, embed_positions
from attention_core.arithmetic import Cell
from attention_core.arithmetic.position_rules import embedding_rules
from attention_core.diagnosis.diagnose import Diagnosis
from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.pasted import POSITIONS, Problem, correct_cells
from attention_core.diagnosis.stages import OF_HEADS, lines_to_compute, matrix_at, name_of
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes import Mistake
from attention_core.mistakes.engine.pipelines import LINES_THAT_ROTATE
from attention_core.reading.matrix_text import MatrixText
from attention_core.rotation import PositionTrace
from pages.check_my_matrix.numbers import matrix_name, place_in_matrix_text, two_numbers, with_decimals
from pages.shared.controls import Parameters
from pages.shared.equation import Line, Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices, example_matrices, head_matrices, limits_of
from pages.shared.equation.position_matrices import position_matrix
from pages.shared.notation.numbers import number
from pages.shared.notation.palette import COME, GONE
from pages.shared.notation.prose import typeset
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


def symbol_of(problem: Problem) -> str:
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
    return (symbol_of(problem) if stage == problem.stage else stage, row, column)


def your_number_text(problem: Problem, answer: MatrixText, place: Place | None) -> str:
    """Return a sentence with the visitor's number in the cell `place`, and the correct number if they differ.

    Return "" if the cell is not in the result.
    """
    if place is None or place[0].removesuffix(f"_{YOURS}") != symbol_of(problem):
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
    right, name = problem.correct_result, symbol_of(problem)
    if isinstance(problem.trace, PositionTrace):
        return position_matrix(name, right, _computation(problem))
    trace, example = problem.trace, problem.example
    of_several = isinstance(trace, MultiHeadTrace)
    m = head_matrices(example, trace) if of_several else attention_matrices(example, trace)
    asked = replace(m[name], limit=limits_of({name: right}).get(name, 1.0))
    return asked.read_only().with_suffix(f"_{OWN}", _ids_of_given(source))


CLOSE = 6  # decimals to which numbers in full are compared
# What the names in the code hold. The mask comes last, because a causal mask is written out after it.
NOTES = {
    "even": "`even` is the width, or the width plus 1 if the width is odd.",
    "split": "`split` cuts the columns of a matrix into one block for each head.",
    "angles": "`angles` has a row of angles for each position, with one angle for each column.",
    "width": "`width` is the number of columns.",
    "query_places": "`query_places` and `key_places` are the positions of the queries and of the keys.",
    "of_own_head": "`of_own_head(slopes)` is the slope of each head.",
    "v_heads": "`weights` and `v_heads` have one matrix for each head.",
    "concat": "`concat` has the outputs of the heads side by side.",
    "mask": "`mask` is True where a query may use a key.",
}
UPPER = (
    "Then `mask.T` is True on the diagonal and above it, as with `np.triu`. Perhaps you wrote `np.triu` in place of "
    "`np.tril`."
)
SPLIT = "heads"  # the stage of mistakes in splitting heads: the scores are the first to show them


def show(
    parameters: Parameters,
    problem: Problem,
    mistake: Mistake[Any],
    first_place: Place | None,
    lines: str,
    several: bool,
    decimals: int | None = None,
) -> None:
    """Draw the lines of code that correct a mistake, and the first number to compute again by hand.

    `first_place` is this number's matrix, row and column (None: no number is named), and `lines` are the lines of code.
    If `several`, the heading names the mistake. `decimals` are the decimals of the visitor's result.
    """
    title = f"How to correct “{typeset(mistake.title)}”" if several else "How to correct it"
    by_hand = _by_hand_text(problem, first_place, decimals) if first_place else ""
    st.markdown("\n\n".join(filter(None, (f"**{title}.**", parameters.in_layout(by_hand), _in_code_text(lines)))))
    st.markdown("  \n".join(map(_coloured_line, lines.splitlines())))
    notes = _notes(lines, problem) + (["The code has tokens as rows."] if parameters.columns else [])
    if notes:
        st.caption(" ".join(notes))


def _notes(lines: str, problem: Problem) -> list[str]:
    """Return notes that explain names in the code `lines`, such as `mask`."""
    notes = [note for name, note in NOTES.items() if re.search(rf"\b{name}\b", lines)]
    if re.search(r"\bturned\(", lines):
        notes.insert(0, _how_pairs_are_rotated(problem.setting.positions))
    is_causal = problem.setting.mask == "causal" and re.search(r"\bmask\b", lines)
    told = ["Here it is `np.tri(len(q), len(k), dtype=bool)`."] if is_causal else []
    upper = is_causal and "mask.T" in lines
    return [*notes, *told, *([UPPER] if upper else [])]


def _how_pairs_are_rotated(kind: str) -> str:
    """Return a sentence with the code of the function `turned`, which rotates pairs of columns.

    `kind` is the kind of rotary positions.
    """
    *computed, returned = (line.strip() for line in LINES_THAT_ROTATE[kind].splitlines()[1:])
    return f"`turned(m, angles)` is a function with the lines `{'`, `'.join(computed)}` and `{returned}`."


def _in_code_text(lines: str) -> str:
    """Return sentences that say which lines of the code to remove (they begin with −) and which to add (with +)."""
    added = ", and add each line that begins with +" if any(line.startswith("+") for line in lines.splitlines()) else ""
    return f"In code: remove each line that begins with −{added}. Your own names may be different."


def _coloured_line(line: str) -> str:
    """Return a line of a code difference in Markdown, with a colour for removed or added lines.

    The sign at the beginning (+ or −) says the same as the colour.
    """
    colour = {"-": GONE, "+": COME}.get(line[0])
    return f":{colour}-background[`{line}`]" if colour else f"`{line}`"


def _by_hand_text(problem: Problem, first_place: Place, decimals: int | None) -> str:
    """Return a sentence that names the first number to compute again by hand, and its correct value.

    `first_place` is the matrix of this number, and its place. A number of the result is written with `decimals`
    decimals.
    """
    stage, *place = first_place
    right = float(matrix_at(problem.trace, stage)[tuple(place)])
    value = f"${with_decimals(right, decimals) if stage == problem.stage else number(right)}$"
    if stage == "masked" and np.isfinite(right):
        subtracted = (
            " minus the slope times the distance of the two tokens" if problem.setting.positions == "alibi" else ""
        )
        value += f" (the scaled score{subtracted}, because this key is not hidden)"
    elif stage == "masked":
        value += " (because this key is hidden, so that its weight is 0)"
    begin = (
        f"Begin with this number: compute the {matrix_name(stage)} again."
        if stage == problem.stage
        else f"If yours is different, compute the {matrix_name(stage)} again, and then compute every later step again."
    )
    return f"By hand: {place_in_matrix_text(stage, place)} should be {value}. {begin}"


def place_to_begin(problem: Problem, answer: MatrixText, mistake: Mistake[Any]) -> Place:
    """Return the first number to compute again: its matrix, its head if there are several, its row and its column.

    This is the first number that the mistake changes or, if the page cannot explain that number, the first wrong number
    of the result.
    """
    stage, *place = first_changed_place(problem, mistake)
    if stage != problem.stage and explain_cell(problem, (matrix_id_of_stage(stage), *place)):
        return (stage, *place)
    return (problem.stage, *_first_wrong_number(problem, answer))


def _first_wrong_number(problem: Problem, answer: MatrixText) -> tuple[int, ...]:
    """Return the place of the first wrong number in a result, or the first place that is missing in it."""
    rows, columns = (min(sizes) for sizes in zip(answer.values.shape, problem.correct_result.shape[-2:], strict=True))
    off = np.abs(answer.values[:rows, :columns] - problem.correct_result[:rows, :columns])
    wrong = np.argwhere(~(off <= 0.5 * 10.0 ** -(answer.decimals or CLOSE)))
    if len(wrong):
        return tuple(int(i) for i in wrong[0])
    n_rows, n_columns = problem.correct_result.shape[-2:]
    return (0, columns) if columns < n_columns else (rows, 0) if rows < n_rows else (0, 0)


def first_changed_place(problem: Problem, mistake: Mistake[Any]) -> Place:
    """Return the matrix and the place of the first number that a mistake changes."""
    stages = [mistake.stage]
    if mistake.stage == SPLIT and isinstance(problem.trace, MultiHeadTrace):
        stages = list(OF_HEADS[OF_HEADS.index("scores") : OF_HEADS.index(SPLIT) + 1])
    places = {stage: _first_changed_in(problem, mistake, stage) for stage in stages}
    stage = next((stage for stage in stages if places[stage] is not None), stages[-1])
    return (stage, *(places[stage] or (0,) * matrix_at(problem.trace, stage).ndim))


def _first_changed_in(problem: Problem, mistake: Mistake[Any], stage: str) -> tuple[int, ...] | None:
    """Return the first place in the matrix `stage` that a mistake changes, or None if it changes none.

    If the mistake changes the shape, return the first place of the matrix.
    """
    right, work = matrix_at(problem.trace, stage), edited_run_of(problem.trace)
    wrong = work.matrix_after(lines_to_compute(work.pipeline, name_of(stage), mistake.lines_in(work.pipeline)), stage)
    if wrong is None or right.shape != wrong.shape:
        return (0,) * right.ndim
    differs = np.argwhere(~np.isclose(right, wrong))
    return tuple(int(i) for i in differs[0]) if len(differs) else None
