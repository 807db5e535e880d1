"""How each cell of a computation with a mistake is calculated: the code of the mistake, run on traced arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core.arithmetic.formulas import given_rules
from attention_core.arithmetic.terms import CellCalculations, Rule
from attention_core.arithmetic.traced import Traced, softmax, traced
from attention_core.mistakes.engine.code_lines import lines_of, run
from attention_core.mistakes.engine.edits import edited_lines
from attention_core.mistakes.engine.mistake import Mistake, names_after
from attention_core.mistakes.engine.named_traces import Trace, names_of, pipeline_of_trace


def mistake_rules(mistake: Mistake[Any], trace: Trace) -> CellCalculations:
    """Return how each cell of every matrix is calculated if the computation of `trace` is done with a mistake.

    The names are those of the inputs and of the steps of the computation, such as "scaled".

    Raises: ValueError if the shapes do not allow the mistake.

    >>> from attention_core.examples import example
    >>> from attention_core.mistakes import WITH_SWITCH
    >>> mistake = next(mistake for mistake in WITH_SWITCH if mistake.name == "divided_by_d_k")
    >>> scaled, formula = mistake_rules(mistake, example("story").attention()).rules["scaled"]
    >>> formula(0, 1).symbol
    'quotient'
    """
    right, pipeline = names_of(trace), pipeline_of_trace(trace)
    values = names_after(trace, right, mistake)
    inputs = {name: right[name] for name in pipeline.matrices if isinstance(right[name], np.ndarray)}
    names = right | {name: Traced.given(name, matrix) for name, matrix in inputs.items()} | {"softmax": softmax}
    if right.get("context") is right["x"]:
        names["context"] = names["x"]
    names |= run(lines_of(pipeline.start), names) | {"d_k": right.get("d_k")}
    lines = edited_lines(pipeline.lines, mistake.lines_in(pipeline), changed=pipeline.protected_names)
    found = dict[str, Rule]()
    for number, line in enumerate(lines):
        names = run([line], names)
        for name in {*line.gives} & {*pipeline.names}:
            is_last = all(name not in later.gives for later in lines[number + 1 :])
            if is_last and np.ndim(values[name]):
                found[name] = values[name], traced(names[name]).formula
                names[name] = Traced.given(name, values[name])
    return CellCalculations({**given_rules(**inputs), **found})
