"""Explain an answer by rounded inputs: it is correct, or has a usual mistake, for the input as the page shows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from attention_core.diagnosis.answer import Answer
from attention_core.diagnosis.by_chance import excludes_chance
from attention_core.diagnosis.edited_run import EditedRun
from attention_core.diagnosis.explaining import one_usual_mistake
from attention_core.diagnosis.finding import Finding
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.edits import edited_lines

SHOWN = (2, 4)  # decimals with which the pages show the numbers of a task


def rounded_inputs(computation: EditedRun, answer: Answer, stage: str) -> tuple[list[Finding], EditedRun]:
    """Return the findings about an answer that was computed from rounded inputs, and the computation from these inputs.

    The inputs are rounded to the decimals that a page shows. The computation from them may be correct, or have a usual
    mistake. If neither gives the answer, return [] and the exact computation.
    """
    for decimals in SHOWN:
        rounded = _with_rounded_inputs(computation, decimals)
        if rounded is None or not excludes_chance(computation, answer, stage, len(rounded.usual) * len(SHOWN)):
            continue
        if answer.matches(rounded.expected(stage)):
            return [Finding("rounded_inputs", decimals=decimals)], rounded
        found = one_usual_mistake(rounded, answer, stage)
        if found:
            return [replace(each, rounded=("inputs",), decimals=decimals) for each in found], rounded
    return [], computation


def _with_rounded_inputs(computation: EditedRun, decimals: int) -> EditedRun | None:
    """Return the computation from rounded inputs, or None if rounding does not change the inputs."""
    exact = {
        name: np.asarray(computation.names[name], dtype=float)
        for name in computation.pipeline.matrices
        if name in computation.names
    }
    moved = {name: np.round(m, decimals) for name, m in exact.items() if (np.round(m, decimals) != m).any()}
    if not moved or computation.settled:
        return None
    made = run(edited_lines(computation.pipeline.lines, changed=moved), computation.names | moved)
    return replace(computation, names=made | moved, memory={}, made={})
