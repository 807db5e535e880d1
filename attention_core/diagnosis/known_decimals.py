"""The number of reliable decimals of a result, if the given numbers of a problem are a rounded print-out."""

from __future__ import annotations

import numpy as np

from attention_core.checks import greatest_difference
from attention_core.diagnosis.answer import FEWEST_DECIMALS, MOST_DECIMALS, decimals_of
from attention_core.diagnosis.problems import OWN, Problem
from attention_core.diagnosis.stages import name_of
from attention_core.mistakes.engine.code_lines import run
from attention_core.mistakes.engine.edits import edited_lines
from attention_core.mistakes.engine.named_traces import names_of, pipeline_of_trace

PRINTED = 4  # decimals: numbers with so many decimals count as a rounded print-out
DRAWS = 16  # random choices of exact numbers that would be rounded to the numbers of the problem


def certain_decimals(problem: Problem, written_decimals: int) -> int:
    """Return how many decimals of a result are certain if the numbers of the problem were rounded.

    `written_decimals` is the number of decimals of the result. Numbers that somebody typed in with four decimals or
    more may be copied from a print-out, so each may be wrong by half of its last decimal. All other numbers count as
    exact. If all numbers are exact, return `MOST_DECIMALS`.
    """
    if problem.example.name != OWN:
        return MOST_DECIMALS
    names, pipeline = names_of(problem.trace), pipeline_of_trace(problem.trace)
    printed = {
        name: n
        for name in pipeline.matrices
        if name in names and PRINTED <= (n := decimals_of(np.asarray(names[name]))) < MOST_DECIMALS
    }
    if not printed:
        return MOST_DECIMALS
    rng, off = np.random.default_rng(0), 0.0
    for _ in range(DRAWS):
        moved = {
            name: names[name] + 0.5 * 10.0**-n * rng.choice([-1.0, 1.0], np.shape(names[name]))
            for name, n in printed.items()
        }
        made = run(edited_lines(pipeline.lines, changed=moved), names | moved)[name_of(problem.stage)]
        off = max(off, greatest_difference(made, problem.correct_result))
    if not 0 < off < np.inf:
        return MOST_DECIMALS
    return max(int(np.floor(-np.log10(2 * off + 10.0**-written_decimals))), FEWEST_DECIMALS)
