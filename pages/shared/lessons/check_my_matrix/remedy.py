"""What to change: the wrong line and the right one, and the first number to compute again."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from attention_core.checks import Array
from attention_core.diagnosis.checking import Problem
from attention_core.diagnosis.plans import plan
from attention_core.diagnosis.stages import matrix_at, name_of
from attention_core.diagnosis.workings import workings_of
from attention_core.slips import Slip
from attention_core.slips.repair import repair
from pages.shared.controls import Parameters
from pages.shared.lessons.check_my_matrix.places import cell, what
from pages.shared.notation.latex import number
from pages.shared.notation.palette import COME, GONE


def show(parameters: Parameters, problem: Problem, slip: Slip[Any]) -> None:
    """Show the lines that mend a mistake, and where to begin again by hand."""
    st.markdown(f"**How to mend it.** {parameters.says(_by_hand(problem, slip))}")
    st.markdown("  \n".join(map(_coloured, repair(slip).splitlines())))
    if parameters.columns:
        st.caption("The code has tokens as rows.")


def _coloured(line: str) -> str:
    """Return a line of a difference in Markdown; its sign says the same as its colour."""
    colour = {"-": GONE, "+": COME}.get(line[0])
    return f":{colour}-background[`{line}`]" if colour else f"`{line}`"


def _by_hand(problem: Problem, slip: Slip[Any]) -> str:
    """Name the first number that the mistake changes, and what it should be."""
    right, work = matrix_at(problem.trace, slip.stage), workings_of(problem.trace)
    lines = plan(work.pipeline, name_of(slip.stage), slip.lines_in(work.pipeline))
    place = _first_changed(right, work.made(lines, slip.stage))
    value = number(float(right[place]))
    return f"By hand, begin again at {cell(place)} of the {what(slip.stage)}: it is ${value}$. In code:"


def _first_changed(right: Array, wrong: Array | None) -> tuple[int, ...]:
    """Return the first place where two matrices differ, or the first of all if they have different shapes."""
    if wrong is None or right.shape != wrong.shape:
        return (0,) * right.ndim
    differs = np.argwhere(~np.isclose(right, wrong))
    return tuple(int(i) for i in differs[0]) if len(differs) else (0,) * right.ndim
