"""The remedy: the wrong line and the right one, and the first number to compute again."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from attention_core.diagnosis.edited_run import edited_run_of
from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.plans import plan
from attention_core.diagnosis.stages import OF_HEADS, matrix_at, name_of
from attention_core.heads import MultiHeadTrace
from attention_core.mistakes import Mistake
from attention_core.mistakes.engine.repair import repair
from pages.shared.controls import Parameters
from pages.shared.lessons.check_my_matrix.pasted_equation import Place
from pages.shared.lessons.check_my_matrix.places import cell, what
from pages.shared.notation.numbers import number
from pages.shared.notation.palette import COME, GONE
from pages.shared.notation.prose import typeset

SPLIT = "heads"  # the stage of mistakes in splitting heads: the scores are the first to show them


def show(parameters: Parameters, problem: Problem, mistake: Mistake[Any], several: bool) -> None:
    """Show the lines that mend a mistake, and where to begin again by hand; name the mistake if there are several."""
    title = f"How to mend “{typeset(mistake.title)}”" if several else "How to mend it"
    st.markdown(f"**{title}.** {parameters.in_layout(_by_hand(problem, mistake))}")
    st.markdown("  \n".join(map(_coloured_line, repair(mistake).splitlines())))
    if parameters.columns:
        st.caption("The code has tokens as rows.")


def _coloured_line(line: str) -> str:
    """Return a line of a difference in Markdown; its sign says the same as its colour."""
    colour = {"-": GONE, "+": COME}.get(line[0])
    return f":{colour}-background[`{line}`]" if colour else f"`{line}`"


def _by_hand(problem: Problem, mistake: Mistake[Any]) -> str:
    """Name the first number that the mistake changes, and what it should be."""
    stage, *place = first_changed_place(problem, mistake)
    value = number(float(matrix_at(problem.trace, stage)[tuple(place)]))
    return (
        f"By hand: {cell(place)} of the {what(stage)} should be ${value}$. Compute the {what(stage)} again from "
        "there, and every step after. In code, where your names may differ:"
    )


def first_changed_place(problem: Problem, mistake: Mistake[Any]) -> Place:
    """Return the stage and the place of the first number that a mistake changes."""
    stages = [mistake.stage]
    if mistake.stage == SPLIT and isinstance(problem.trace, MultiHeadTrace):
        stages = list(OF_HEADS[OF_HEADS.index("scores") : OF_HEADS.index(SPLIT) + 1])
    places = {stage: _first_in(problem, mistake, stage) for stage in stages}
    stage = next((stage for stage in stages if places[stage] is not None), stages[-1])
    return (stage, *(places[stage] or (0,) * matrix_at(problem.trace, stage).ndim))


def _first_in(problem: Problem, mistake: Mistake[Any], stage: str) -> tuple[int, ...] | None:
    """Return the first place in a matrix that a mistake changes; if it changes the shape, the first cell."""
    right, work = matrix_at(problem.trace, stage), edited_run_of(problem.trace)
    wrong = work.matrix_after(plan(work.pipeline, name_of(stage), mistake.lines_in(work.pipeline)), stage)
    if wrong is None or right.shape != wrong.shape:
        return (0,) * right.ndim
    differs = np.argwhere(~np.isclose(right, wrong))
    return tuple(int(i) for i in differs[0]) if len(differs) else None
