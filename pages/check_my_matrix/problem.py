"""The problem whose result is checked, and its task as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from attention_core.diagnosis.pasted import (
    ALL_HEADS,
    POSITIONS,
    Problem,
    example_of_embeddings,
    example_of_weights,
    problem_of,
    problem_of_queries,
    problem_of_scores,
)
from attention_core.diagnosis.stages import matrix_at
from attention_core.examples import Example
from attention_core.heads import MultiHeadTrace
from attention_core.reading.matrix_text import MatrixText
from attention_core.rotation import PositionTrace
from pages.check_my_matrix.numbers import join_names, matrix_name, shape_text
from pages.check_my_matrix.reading import read
from pages.check_my_matrix.setting import kv_heads_of, positions_text, setting_of, with_positions
from pages.shared.controls import Parameters, controls_of
from pages.shared.notation.numbers import number

ATTENTION = ("q", "k", "v", "scores", "scaled", "weights", "output")
# The matrices that can be asked for, by the kind of numbers that are given.
ASKED: Mapping[str, tuple[str, ...]] = {
    "example": (*ATTENTION, ALL_HEADS, POSITIONS),
    "weights": (*ATTENTION, ALL_HEADS, POSITIONS),
    "queries": ("scores", "scaled", "weights", "output"),
    "scores": ("weights",),
    "embeddings": (POSITIONS,),
}
# The texts that are needed, and those that may be added.
_NEEDED = {
    "example": (),
    "weights": ("own_x", "own_w_q", "own_w_k", "own_w_v"),
    "queries": ("own_q", "own_k", "own_v"),
    "scores": ("own_scores",),
    "embeddings": ("own_x",),
}
ADDED = ("own_b_q", "own_b_k", "own_b_v", "own_w_o")


def needed_texts(parameters: Any) -> tuple[str, ...]:
    """Return the names of the text areas that the visitor has to fill.

    If the visitor checks the positional encoding, only the text area of X is needed.
    """
    texts = _NEEDED[parameters.source]
    return texts[:1] if asked_stage(parameters) == POSITIONS else texts


def asked_stage(parameters: Any) -> str:
    """Return the name of the matrix that the visitor has chosen to check.

    If it cannot be computed from the given matrices, return the name of another matrix.
    """
    possible = ASKED[parameters.source]
    return parameters.asked if parameters.asked in possible else possible[-1]


def problem_or_question(parameters: Any, example: Example) -> Problem | str:
    """Return the visitor's task: the given matrices, the setting, and which matrix the visitor has computed.

    If a matrix is missing, or the matrices do not fit each other, return a sentence that says so.
    """
    texts = controls_of(type(parameters))
    missing = [texts[name].label for name in needed_texts(parameters) if read(parameters, name) is None]
    if missing:
        return f"Paste what is still missing: {'; '.join(missing)}."
    try:
        return _problem(parameters, example)
    except ValueError as error:
        return f"This task cannot be computed yet. {error}"


def _problem(parameters: Any, example: Example) -> Problem:
    own = {name.removeprefix("own_"): _values(read(parameters, name)) for name in needed_texts(parameters)}
    asked, n_heads = asked_stage(parameters), heads_of(parameters, example)
    setting = setting_of(parameters, asked, n_heads)
    if parameters.source == "scores":
        return problem_of_scores(own["scores"], setting)
    if parameters.source == "queries":
        return problem_of_queries(**own, stage=asked, setting=setting)
    return problem_of(_example(parameters, example, own), asked, setting)


def heads_of(parameters: Any, example: Example) -> int:
    """Return how many heads the problem has."""
    return {"example": example.n_heads, "weights": int(parameters.heads)}.get(parameters.source, 1)


def pasted_steps(parameters: Any, task: Problem) -> dict[str, MatrixText]:
    """Return the intermediate matrices that the visitor has pasted for the task `task`, by name."""
    found = {stage: read(parameters, f"given_{stage}") for stage in task.earlier_stages} if parameters.steps else {}
    return {stage: matrix for stage, matrix in found.items() if matrix is not None}


def _example(parameters: Any, example: Example, own: dict[str, Any]) -> Example:
    if parameters.source == "example":
        return example
    if asked_stage(parameters) == POSITIONS:
        return example_of_embeddings(**own)
    more: dict[str, Any] = {
        name.removeprefix("own_"): found for name in ADDED if (found := read(parameters, name)) is not None
    }
    return example_of_weights(
        **own,
        n_heads=int(parameters.heads),
        n_kv_heads=kv_heads_of(parameters),
        **{name: found.values for name, found in more.items()},
    )


def _values(found: MatrixText | None) -> Any:
    return None if found is None else found.values


# With tokens as rows. A masked formula has the mask’s symbol in it.
_SCALED = r"\frac{Q K^\top}{\sqrt{d_k}}"
_OF_ONE: Mapping[str, str] = {
    "scores": r"S = Q K^\top",
    "scaled": r"S' = SCALED",
    "weights": r"A = \operatorname{softmax}\!\left(SCALED\right)",
    "output": r"Z = \operatorname{softmax}\!\left(SCALED\right) \, V",
}
# What each mask hides.
_HIDDEN: Mapping[str, str] = {
    "causal": "the keys that come later",
    "causal_at_end": "the keys that come later, where the last query is at the last key",
    "padding": "{keys}",
    "window": "all keys except the last {n}, counted up to the token itself",
    "own": "what your mask forbids",
}
_OF_SCORES = r"A = \operatorname{softmax}(S)"
_PROJECTED = {"q": ("Q", "X", "W^Q", "b^Q"), "k": ("K", "C", "W^K", "b^K"), "v": ("V", "C", "W^V", "b^V")}
_NEEDS = {"q": "q", "k": "k", "v": "v", "scores": "qk", "scaled": "qk", "weights": "qk", "output": "qkv"}
_POSITIONS = r"PE_{pos,\,2i} = \sin\frac{pos}{10000^{2i/d}}, \quad PE_{pos,\,2i+1} = \cos\frac{pos}{10000^{2i/d}}"


def task_text(parameters: Parameters, problem: Problem) -> str:
    """Return a text that says what to compute from which numbers, and what to paste."""
    wanted = problem.correct_result if not parameters.columns else problem.correct_result.T
    formula = _formula(parameters, problem)
    return (
        f"**Compute the {matrix_name(problem.stage)}, {shape_text(wanted)},** with your own code or by hand, and paste "
        f"{'it' if matrix_name(problem.stage) in ('output', 'positional encoding') else 'them'} below: "
        f"{formula}{positions_text(problem, formula) or '.'}"
    )


def _formula(parameters: Parameters, problem: Problem) -> str:
    trace = problem.trace
    if isinstance(trace, PositionTrace):
        width = problem.example.x.shape[1]
        of_odd = f" (the width {width}, plus 1 because it is odd)" if width % 2 else ""
        return f"${_POSITIONS}$, with $d = {width + width % 2}${of_odd} and positions from 0"
    if problem.gives_scores:
        return f"${parameters.formula(_OF_SCORES)}$, with the scores as they are{_mask_text(problem)}"
    n_heads = problem.example.n_heads
    if isinstance(trace, MultiHeadTrace):
        d_k = problem.example.w_q.shape[1] // n_heads
        concat = r"\operatorname{Concat}(Z_1, \dots, Z_h)"
        mixed = rf"Y = {concat} \, W^O"
        of_one = _formula_of_stage(parameters, problem, "output").partition(" = ")[2]
        return (
            f"${parameters.formula(mixed)}$, where each $Z$ is ${of_one}$ of one head. There are $h = {n_heads}$ "
            f"heads, {_columns_text(trace)}, so $d_k = {d_k}${_mask_text(problem)}"
        )
    told = [_formula_of_stage(parameters, problem, problem.stage)] if problem.stage in _OF_ONE else []
    told += [] if problem.known else [_projection(parameters, problem, name) for name in _NEEDS[problem.stage]]
    width = f", with $d_k = {np.shape(trace.q)[1]}$" if r"d_k" in told[0] else ""
    first, *others = told
    where = f", where {join_names([f'${each}$' for each in others])}" if others else ""
    head = f" of head {problem.setting.head} alone" * bool(problem.setting.head)
    return f"${first}${head}{where}{width}{_mask_text(problem)}"


def _formula_of_stage(parameters: Parameters, problem: Problem, stage: str) -> str:
    """Return the formula of the matrix `stage`, with the scale and the positions of the task."""
    scale = problem.setting.scale
    factor = "" if scale == 1 else rf"{number(scale)} \cdot " if scale is not None else ""
    formula = _OF_ONE[stage].replace("SCALED", _SCALED if scale is None else rf"{factor}Q K^\top")
    return with_positions(parameters.formula(formula), problem)


def _columns_text(trace: MultiHeadTrace) -> str:
    """Return words that say which columns of the projections each head has."""
    if not trace.shares_keys:
        return "each with its own columns of $W^Q$, $W^K$ and $W^V$"
    share = "all share the columns" if trace.n_kv_heads == 1 else (
        f"every {trace.n_heads // trace.n_kv_heads} in turn share their columns"
    )  # fmt: skip
    return f"each with its own columns of $W^Q$; {share} of $W^K$ and $W^V$"


def _projection(parameters: Parameters, problem: Problem, name: str) -> str:
    result, tokens, weights, bias = _PROJECTED[name]
    tokens = "X" if problem.example.context is None else tokens
    added = f" + {bias}" if getattr(problem.example, f"b_{name}") is not None else ""
    return parameters.formula(f"{result} = {tokens} {weights}") + added


def _mask_text(problem: Problem) -> str:
    """Return words that say what the mask hides.

    Return "" if the mask hides nothing, or if it does not change the matrix that the task asks for.
    """
    setting, masked = problem.setting, np.isneginf(matrix_at(problem.trace, "masked"))
    if problem.stage not in ("weights", "output") or not masked.any():
        return ""
    hidden = _HIDDEN.get(setting.mask, "").format(keys=_keys(setting.hidden_keys), n=setting.window)
    return f". The mask hides {hidden}, before the softmax" if hidden else ""


def _keys(numbers: Sequence[int]) -> str:
    return f"the key{'s' * (len(numbers) > 1)} {join_names(list(map(str, numbers)))}" if numbers else ""
