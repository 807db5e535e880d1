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
from attention_core.diagnosis.stages import lines_to_compute, matrix_at, name_of, stages_of
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes import Mistake
from attention_core.mistakes.engine.named_traces import Trace
from attention_core.mistakes.engine.pipelines import LINES_THAT_ROTATE
from attention_core.reading.matrix_text import MatrixText
from attention_core.rotation import PositionTrace
from pages.check_my_matrix.numbers import TEXTS, Case, matrix_name, place_in_matrix_text, two_numbers, with_decimals
from pages.shared.equation import Line, Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.matrices import attention_matrices, example_matrices, head_matrices
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
    """Return an equation with the matrices that the task gives; `source` says where they come from."""
    m, names = _given_matrices(problem), _given_names(problem, source)
    if problem.shown is not None:
        m = {**m, "scores": replace(m["scores"], values=problem.shown)}  # a score of −∞ stays what it is
    shown = [m[name].as_given().with_suffix(f"_{OWN}", _ids_of_given(source)) for name in names if name in m]
    return [Line(tuple(shown), TEXTS.fill("start_from"))]


def answer_lines(problem: Problem, answer: MatrixText, source: str) -> list[Line]:
    """Return an equation with the pasted result, its wrong numbers marked, and one with the correct result."""
    right = _asked_matrix(problem, source)
    fits = answer.values.shape == right.values.shape
    yours = replace(
        right,
        id=f"{right.id}_{YOURS}",
        name=TEXTS.fill("your_result", name=right.name.lower()),
        values=answer.values,
        right=np.where(correct_cells(problem, answer), answer.values, right.values) if fits else None,
        row_labels=right.row_labels if fits else (),
        column_labels=right.column_labels if fits else (),
    )
    yours = yours.paired_with(right)
    said = TEXTS.fill("yours_marked" if fits else "yours")
    return [Line((yours,), said), Line((right,), TEXTS.fill("correct_result"))]


def first_wrong_place(problem: Problem, found: Diagnosis) -> Place | None:
    """Return the first wrong cell: the id of its matrix, its row and its column. Return None if no cell is wrong."""
    if found.first_wrong_cell is None:
        return None
    stage, row, column = found.first_wrong_cell
    return (symbol_of(problem) if stage == problem.stage else stage, row, column)


def your_number_text(problem: Problem, answer: MatrixText, place: Place | None) -> str:
    """Return a sentence with the visitor's number in a cell of the result, and the correct number; or ""."""
    if place is None or place[0].removesuffix(f"_{YOURS}") != symbol_of(problem):
        return ""
    inside = all(i < n for i, n in zip(place[1:], answer.values.shape, strict=True))
    if not inside:
        return ""
    value, right = (float(matrix[place[1:]]) for matrix in (answer.values, problem.correct_result))
    written, correct = two_numbers(value, right, answer.decimals)
    fits = answer.values.shape == problem.correct_result.shape
    is_correct = fits and correct_cells(problem, answer)[place[1:]]
    return TEXTS.fill("your_number" if is_correct else "your_wrong_number", value=written, right=correct)


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
    """Return the matrices that a task may give, by name; queries, keys and values only with one head."""
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
    return m[name].read_only().with_suffix(f"_{OWN}", _ids_of_given(source))


CLOSE = 6  # decimals to which numbers in full are compared
# The names in the code, and what they hold. The mask comes last, because a causal mask is written out after it.
NOTES = {
    "even": "note_even",
    "split": "note_split",
    "angles": "note_angles",
    "width": "note_width",
    "query_places": "note_places",
    "of_own_head": "note_of_own_head",
    "v_heads": "note_v_heads",
    "concat": "note_concat",
    "mask": "note_mask",
}
SPLIT = "heads"  # the stage of mistakes in splitting heads: the scores are the first to show them


def show(case: Case, mistake: Mistake[Any], first_place: Place | None, lines: str, several: bool) -> None:
    """Draw the lines of code that correct a mistake (named, if there are `several`), and the first number to mend."""
    heading = case.say("how_to_correct")
    if several:
        heading = case.say("how_to_correct_this", title=typeset(mistake.title))
    is_added = any(line.startswith("+") for line in lines.splitlines())
    in_code = case.say("in_code_with_additions" if is_added else "in_code")
    by_hand = _by_hand_text(case, first_place) if first_place else ""
    st.markdown("\n\n".join(filter(None, (heading, by_hand, in_code))))
    st.markdown("  \n".join(map(_coloured_line, lines.splitlines())))
    notes = [*_notes(case, lines), *([case.say("code_has_rows")] if case.parameters.columns else [])]
    if notes:
        st.caption(" ".join(notes))


def _notes(case: Case, lines: str) -> list[str]:
    """Return notes that explain names in the code `lines`, such as `mask`."""
    notes: list[str] = [case.say(note) for name, note in NOTES.items() if re.search(rf"\b{name}\b", lines)]
    if re.search(r"\bturned\(", lines):
        notes.insert(0, _how_pairs_are_rotated(case))
    if case.problem.setting.mask == "causal" and re.search(r"\bmask\b", lines):
        notes.append(case.say("note_causal_mask"))
        notes += [case.say("note_turned_mask")] if "mask.T" in lines else []
    return notes


def _how_pairs_are_rotated(case: Case) -> str:
    """Return a sentence with the code of the function `turned`, which rotates pairs of columns."""
    lines = LINES_THAT_ROTATE[case.problem.setting.positions].splitlines()[1:]
    *computed, returned = (f"`{line.strip()}`" for line in lines)
    return case.say("note_turned", lines=", ".join(computed), last=returned)


def _coloured_line(line: str) -> str:
    """Return a line of a code difference in Markdown; its colour says the same as its sign, + or −."""
    colour = {"-": GONE, "+": COME}.get(line[0])
    return f":{colour}-background[`{line}`]" if colour else f"`{line}`"


def _by_hand_text(case: Case, first_place: Place) -> str:
    """Return a sentence that names the first number to compute again by hand, and its correct value."""
    problem, (stage, *place) = case.problem, first_place
    right, is_result = float(matrix_at(problem.trace, stage)[tuple(place)]), stage == problem.stage
    value = f"${with_decimals(right, case.answer.decimals) if is_result else number(right)}$"
    if stage == "masked":
        is_lowered = problem.setting.positions == "alibi"
        allowed = "lowered_because_not_hidden" if is_lowered else "scaled_because_not_hidden"
        value = case.say(allowed if np.isfinite(right) else "because_hidden", value=value)
    where = place_in_matrix_text(case.parameters, stage, place)
    return case.say("by_hand" if is_result else "by_hand_before", place=where, value=value, name=matrix_name(stage))


def place_to_begin(problem: Problem, answer: MatrixText, mistake: Mistake[Any]) -> Place:
    """Return the first number that a mistake changes or, if the page cannot explain it, the first wrong number."""
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
    stages = _stages_to_search(problem.trace, mistake)
    places = {stage: _first_changed_in(problem, mistake, stage) for stage in stages}
    stage = next((stage for stage in stages if places[stage] is not None), stages[-1])
    return (stage, *(places[stage] or (0,) * matrix_at(problem.trace, stage).ndim))


def _stages_to_search(trace: Trace, mistake: Mistake[Any]) -> tuple[str, ...]:
    """Return the stages of a trace in which a mistake may change a number first, in order.

    A trace of attention keeps no angles of a rotation. So a mistake in the angles first shows in the scores.
    """
    stages = stages_of(trace)
    if mistake.stage == SPLIT and isinstance(trace, MultiHeadTrace):
        return stages[stages.index("scores") : stages.index(SPLIT) + 1]
    return (mistake.stage,) if mistake.stage in stages else stages[stages.index("scores") :]


def _first_changed_in(problem: Problem, mistake: Mistake[Any], stage: str) -> tuple[int, ...] | None:
    """Return the first place in the matrix `stage` that a mistake changes (if the shape, the first), or None."""
    right, work = matrix_at(problem.trace, stage), edited_run_of(problem.trace)
    wrong = work.matrix_after(lines_to_compute(work.pipeline, name_of(stage), mistake.lines_in(work.pipeline)), stage)
    if wrong is None or right.shape != wrong.shape:
        return (0,) * right.ndim
    differs = np.argwhere(~np.isclose(right, wrong))
    return tuple(int(i) for i in differs[0]) if len(differs) else None
