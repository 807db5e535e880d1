"""The task in words: what to compute, its formula, and the sizes in it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at
from attention_core.heads import MultiHeadTrace
from attention_core.position_trace import PositionTrace
from pages.shared.controls import Parameters
from pages.shared.lessons.check_my_matrix.places import join_names, size, what

# With tokens as rows. A masked formula has the mask’s symbol in it.
_SCALED = r"\frac{Q K^\top}{\sqrt{d_k}}"
_OF_ONE: Mapping[str, str] = {
    "scores": r"S = Q K^\top",
    "scaled": rf"S' = {_SCALED}",
    "weights": rf"A = \operatorname{{softmax}}\!\left({_SCALED}\right)",
    "output": rf"Z = \operatorname{{softmax}}\!\left({_SCALED}\right) \, V",
}
_OF_SCORES = r"A = \operatorname{softmax}(S)"
_PROJECTED = {"q": ("Q", "X", "W^Q", "b^Q"), "k": ("K", "C", "W^K", "b^K"), "v": ("V", "C", "W^V", "b^V")}
_NEEDS = {"q": "q", "k": "k", "v": "v", "scores": "qk", "scaled": "qk", "weights": "qk", "output": "qkv"}
_POSITIONS = r"PE_{pos,\,2i} = \sin\frac{pos}{10000^{2i/d}}, \quad PE_{pos,\,2i+1} = \cos\frac{pos}{10000^{2i/d}}"


def task_text(parameters: Parameters, problem: Problem) -> str:
    """Say what to compute from which numbers, and what to paste."""
    wanted = problem.right if not parameters.columns else problem.right.T
    return (
        f"**Compute the {what(problem.stage)}, {size(wanted)},** with your own code or by hand, and paste "
        f"{'it' if what(problem.stage) in ('output', 'positional encoding') else 'them'} below: "
        f"{_formula(parameters, problem)}."
    )


def _formula(parameters: Parameters, problem: Problem) -> str:
    trace = problem.trace
    if isinstance(trace, PositionTrace):
        return f"${_POSITIONS}$, with $d = {problem.example.x.shape[1]}$ and positions from 0"
    if problem.scored:
        return f"${parameters.formula(_OF_SCORES)}$, with the scores as they stand{_of_the_mask(problem)}"
    n_heads = problem.example.n_heads
    if isinstance(trace, MultiHeadTrace):
        d_k = problem.example.w_q.shape[1] // n_heads
        concat = r"\operatorname{Concat}(Z_1, \dots, Z_h)"
        mixed = rf"Y = {concat} \, W^O"
        return (
            f"${parameters.formula(mixed)}$, where each $Z$ is ${_right_side(parameters, 'output')}$ of one head. "
            f"There are $h = {n_heads}$ heads, each with its own columns of $W^Q$, $W^K$ and $W^V$, so "
            f"$d_k = {d_k}${_of_the_mask(problem)}"
        )
    told = [parameters.formula(_OF_ONE[problem.stage])] if problem.stage in _OF_ONE else []
    told += [] if problem.known else [_projection(parameters, problem, name) for name in _NEEDS[problem.stage]]
    width = f", with $d_k = {np.shape(trace.q)[1]}$" if r"d_k" in told[0] else ""
    first, *others = told
    where = f", where {join_names([f'${each}$' for each in others])}" if others else ""
    return f"${first}${where}{width}{_of_the_mask(problem)}"


def _right_side(parameters: Parameters, stage: str) -> str:
    return parameters.formula(_OF_ONE[stage]).partition(" = ")[2]


def _projection(parameters: Parameters, problem: Problem, name: str) -> str:
    result, tokens, weights, bias = _PROJECTED[name]
    tokens = "X" if problem.example.context is None else tokens
    added = f" + {bias}" if getattr(problem.example, f"b_{name}") is not None else ""
    return parameters.formula(f"{result} = {tokens} {weights}") + added


def _of_the_mask(problem: Problem) -> str:
    is_masked = problem.stage in ("weights", "output") and np.isneginf(matrix_at(problem.trace, "masked")).any()
    return ". A mask hides the keys that come later, before the softmax" if is_masked and not problem.scored else ""
