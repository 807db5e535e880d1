"""The code of the softmax axes: one matrix of scores, and three ways in which it can sum to one."""

from __future__ import annotations

from typing import Any

import numpy as np

from attention_core import entropy, softmax_steps
from attention_core.slips import naive_softmax_steps
from pages.shared.codes.mistake import with_mistake
from pages.shared.codes.pieces import Texts
from pages.shared.takehome.code import Block, Code

AXES = {"rows": "-1", "columns": "0", "whole": "(0, 1)"}
OTHER = {"rows": "columns", "columns": "rows", "whole": "whole"}
SUMS = {"rows": "each row sums to 1", "columns": "each column sums to 1", "whole": "everything together sums to 1"}
ENTROPY = """\
def entropy(weights, axis):                       # in nats; 0 ln 0 is 0
    logs = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=axis, keepdims=True)"""
SAYS = (
    "In attention each row belongs to one query, which has one unit of attention to give: rows must sum to 1. A sum of "
    "1 proves nothing by itself."
)


def code(parameters, example) -> Code:
    """Return the code of what the page of softmax axes shows."""
    given: dict[str, Any] = {"scores": _scores(parameters, example), "temperature": parameters.temperature}
    given |= {"constant": parameters.constant} if parameters.constant else {}
    given |= {"base": int(parameters.base)} if parameters.base != "e" else {}
    axis, others = parameters.axis, [axis for axis in AXES if axis != parameters.axis]
    softmax = _softmax(parameters)
    made = Code(
        name=f"over_{OTHER[axis] if parameters.columns else axis}",
        given=given,
        core=(softmax_steps if parameters.subtract else naive_softmax_steps, entropy),
        blocks=(
            Block(title="Softmax, along any axis", rows=f"{softmax}\n\n{ENTROPY}"),
            Block(title="Powers and shares", key="steps", says=SAYS, **_both(parameters, [axis], entropies=True)),
            Block(title="The other two ways", key="axes", **_both(parameters, others)),
        ),
    )
    return with_mistake(made, parameters, example)


def _softmax(parameters) -> str:
    subtract = "scores - scores.max(axis=axis, keepdims=True)   # nothing overflows"
    shifted = subtract if parameters.subtract else "scores                                      # the maximum is kept"
    power = "np.exp(shifted / temperature)" if parameters.base == "e" else "base ** (shifted / temperature)"
    return (
        f"def softmax(scores, axis):\n    shifted = {shifted}\n    powers = {power}\n"
        "    return powers, powers / powers.sum(axis=axis, keepdims=True)"
    )


def _both(parameters, axes: list[str], *, entropies: bool = False) -> Texts:
    rows = "\n".join(_lines(parameters, axis, axis == "rows", entropies) for axis in axes)
    columns = "\n".join(_lines(parameters, OTHER[axis], axis == "rows", entropies) for axis in axes)
    return {"rows": rows, "columns": columns}


def _lines(parameters, axis: str, attention: bool, entropies: bool) -> str:
    scores = "scores + constant" if parameters.constant else "scores"
    tokens = ": tokens as columns, this is attention’s" if axis == "columns" else ": this is attention’s"
    line = f"powers_{axis}, weights_{axis} = softmax({scores}, axis={AXES[axis]})   # {SUMS[axis]}{tokens * attention}"
    return line + f"\nentropies_{axis} = entropy(weights_{axis}, axis={AXES[axis]})" * entropies


def _scores(parameters, example) -> np.ndarray:
    return np.array(parameters.scores) if parameters.source == "array" else example.attention().scaled
