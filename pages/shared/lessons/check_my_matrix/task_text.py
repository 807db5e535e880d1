"""The task in words: what to compute, its formula, and the sizes in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at
from attention_core.heads import MultiHeadTrace
from attention_core.position_trace import PositionTrace
from pages.shared.controls import Parameters
from pages.shared.lessons.check_my_matrix.places import join_names, matrix_name, shape_text
from pages.shared.lessons.check_my_matrix.position_setting import positions_text, with_positions
from pages.shared.notation.numbers import number

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
