"""The code of the page “Softmax axes”: one matrix of scores, and three ways to let its weights add up to 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from attention_core import entropy, softmax_steps
from attention_core.mistakes import naive_softmax_steps
from pages.shared.codes.mistake import with_mistake
from pages.shared.codes.pieces import Texts
from pages.shared.takehome.code import Block, Code
from pages.softmax_axes.lesson import TEXTS, id_of_scores, scores_of

AXES = {"rows": "-1", "columns": "0", "whole": "(0, 1)"}
OTHER = {"rows": "columns", "columns": "rows", "whole": "whole"}
SUMS = {"rows": "each row sums to 1", "columns": "each column sums to 1", "whole": "everything together sums to 1"}
ENTROPY = """\
def entropy(weights, axis):                       # in nats; 0 ln 0 is 0
    logs = np.log(np.where(weights > 0, weights, 1))
    return -(weights * logs).sum(axis=axis, keepdims=True)"""


def code(parameters, example) -> Code:
    """Return the code that computes what the page “Softmax axes” shows."""
    given: dict[str, Any] = {id_of_scores(parameters): _scores(parameters, example)}
    given |= {"temperature": parameters.temperature}
    given |= {"constant": parameters.constant} if parameters.constant else {}
    given |= {"base": int(parameters.base)} if parameters.base != "e" else {}
    say, axis, others = parameters.say, parameters.axis, [axis for axis in AXES if axis != parameters.axis]
    made = Code(
        name=f"over_{OTHER[axis] if parameters.columns else axis}",
        given=given,
        labels=_labels(parameters, example),
        core=(softmax_steps if parameters.subtract else naive_softmax_steps, entropy),
        blocks=(
            Block(title=say(TEXTS, "code_of_softmax"), rows=_softmax(parameters)),
            Block(
                title=say(TEXTS, "code_of_steps"),
                key="steps",
                says=say(TEXTS, "reason_of_steps"),
                **_both(_lines, parameters, [axis]),
            ),
            Block(title=say(TEXTS, "code_of_other_axes"), key="axes", **_both(_lines, parameters, others)),
            Block(title=say(TEXTS, "code_of_entropies"), key="spread", **_both(_entropies, parameters, [axis])),
        ),
    )
    return with_mistake(made, parameters, example)


def _softmax(parameters) -> str:
    subtract = "scores - scores.max(axis=axis, keepdims=True)   # nothing overflows"
    shifted = (
        subtract
        if parameters.subtract
        else "scores                                      # the maximum is not subtracted"
    )
    power = "np.exp(shifted / temperature)" if parameters.base == "e" else "base ** (shifted / temperature)"
    return (
        f"def softmax(scores, axis):\n    shifted = {shifted}\n    powers = {power}\n"
        "    return powers, powers / powers.sum(axis=axis, keepdims=True)"
    )


def _both(write: Callable[..., str], parameters, axes: list[str]) -> Texts:
    rows = "\n".join(write(parameters, axis, axis == "rows") for axis in axes)
    columns = "\n".join(write(parameters, OTHER[axis], axis == "rows") for axis in axes)
    return {"rows": rows, "columns": columns}


def _lines(parameters, axis: str, attention: bool) -> str:
    scores = id_of_scores(parameters) + " + constant" * bool(parameters.constant)
    tokens = ": tokens as columns, this is attention’s" if axis == "columns" else ": this is attention’s"
    return f"powers_{axis}, weights_{axis} = softmax({scores}, axis={AXES[axis]})   # {SUMS[axis]}{tokens * attention}"


def _entropies(parameters, axis: str, attention: bool) -> str:
    return f"{ENTROPY}\n\nentropies_{axis} = entropy(weights_{axis}, axis={AXES[axis]})"


def _labels(parameters, example) -> dict[str, tuple[str, ...]]:
    if parameters.source == "array":
        return {}
    tokens, keys = ", ".join(example.tokens), ", ".join(example.key_tokens)
    return {id_of_scores(parameters): (f"rows ask: {tokens}", f"columns are asked: {keys}")}


def _scores(parameters, example) -> np.ndarray:
    return np.array(scores_of(parameters, example)[0])
