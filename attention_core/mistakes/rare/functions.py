"""Mistakes that apply a function to a matrix inside attention: one mistake for each function and each matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attention_core.heads import MultiHeadTrace
from attention_core.mistakes.engine.mistake import Mistake
from attention_core.mistakes.rare.entry import RareMistakes, diagnosis_mistake, shows_always
from attention_core.mistakes.rare.table_of_functions import FUNCTIONS, ONE_WAY, OTHER_WAY, Function

MATRICES: dict[str, str] = {
    "x": "the input", "q": "the queries", "k": "the keys", "v": "the values", "qk": "queries and keys",
    "qkv": "queries, keys and values", "scores": "the scores", "scaled": "the scaled scores",
    "weights": "the weights", "output": "the output",
}  # fmt: skip
ONE_THING = ("the input", "the output", "the output of all heads", "W^Q", "W^K", "W^V")  # names that “is” follows
STAGES = {"x": "q", "qk": "q", "qkv": "q"}  # the first wrong stage, if it has another name than the matrix
OF_EACH_HEAD = "layer_norm softmax rms_norm unit_rows by_sum by_maximum"
FROM_CHANGED = (
    "q, k, v = changed(x) @ w_q + b_q, changed(context) @ w_k + b_k, changed(context) @ w_v + b_v"  # for a changed x
)
LEARNED = ("w_q", "w_k", "w_v")
ON_LEARNED = "cut rounded absolute column_by_column filled_by_columns"
BY_NAME = {function.name: function for function in FUNCTIONS}


def title_of(title: str, matrix: str) -> str:
    """Return a title with the name of a matrix in place of {}."""
    said = title.format(matrix, be="is" if matrix in ONE_THING else "are")
    return said[0].upper() + said[1:] if title.startswith("{") else said


def _check_shows(function: Function, matrix: str) -> Callable[[Any], bool]:
    """Return a function that says whether applying `function` to `matrix` in a trace differs from other mistakes.

    Some functions read a matrix by columns and write the matrix by rows. For a square matrix, this gives the same
    numbers as transposing the matrix, which is another mistake.
    """
    return (lambda trace: _is_oblong(trace, matrix)) if function.why in (ONE_WAY, OTHER_WAY) else shows_always


def _is_oblong(trace: Any, matrix: str) -> bool:
    """Return whether the matrix with this name in a trace is not square."""
    rows, columns = getattr(
        trace.projections if matrix in LEARNED and isinstance(trace, MultiHeadTrace) else trace, matrix
    ).shape[-2:]
    return rows != columns


def _mistake_on(function: Function, matrix: str) -> Mistake[Any]:
    """Return the mistake that applies a function to a matrix, such as "q", or to several matrices, such as "qk"."""
    code, stage, shows = _code(function, matrix), STAGES.get(matrix) or matrix, _check_shows(function, matrix)
    title = title_of(function.title, MATRICES[matrix])
    return diagnosis_mistake(stage, f"{function.name}_on_{matrix}", title, code, function.why, shows=shows)


def _code(function: Function, matrix: str) -> str:
    """Return the code that applies a function to a matrix, such as "q", or to several matrices, such as "qk"."""
    if matrix == "x":
        return f"changed = lambda m: {function.code.format(m='m')}\n{FROM_CHANGED}"
    each = matrix if matrix in ("qk", "qkv") else (matrix,)
    return "\n".join(f"{m} = {function.code.format(m=m)}" for m in each)


def _mistakes_in_each_head(function: Function) -> Iterator[Mistake[Any]]:
    """Yield the mistakes that apply a function to the queries, keys or values of each head."""
    for letters in ("q", "k", "v", "qkv", "qk")[: 4 if function.name == "unit_rows" else 5]:  # exists elsewhere
        code = "\n".join(f"{m}_heads = {function.code.format(m=f'{m}_heads')}" for m in letters)
        title = title_of(function.title, f"{MATRICES[letters]} of each head")
        yield diagnosis_mistake("heads", f"{function.name}_on_{letters}_heads", title, code, function.why)


def _mistakes_on_learned_matrices(function: Function) -> Iterator[Mistake[Any]]:
    """Yield the mistakes that apply a function to W^Q, W^K or W^V, or to several of them."""
    w = {m: function.code.format(m=f"w_{m}") for m in "qkv"}
    for m, rows in {"q": "x", "k": "context", "v": "context"}.items():
        title = title_of(function.title, f"W^{m.upper()}")
        yield diagnosis_mistake(
            m, f"{function.name}_on_w_{m}", title, f"{m} = {rows} @ {w[m]} + b_{m}", function.why,
            shows=_check_shows(function, f"w_{m}"),
        )  # fmt: skip
    code = f"q, k = x @ {w['q']} + b_q, context @ {w['k']} + b_k"
    yield diagnosis_mistake(
        "q", f"{function.name}_on_w_qk", title_of(function.title, "W^Q and W^K"), code, function.why,
        shows=_check_shows(function, "w_q"),
    )  # fmt: skip
    code = f"q, k, v = x @ {w['q']} + b_q, context @ {w['k']} + b_k, context @ {w['v']} + b_v"
    yield diagnosis_mistake(
        "q", f"{function.name}_on_w", title_of(function.title, "W^Q, W^K and W^V"), code, function.why,
        shows=_check_shows(function, "w_q"),
    )  # fmt: skip


def wrong_functions() -> RareMistakes:
    """Return a mistake for each function and each matrix that the function may be applied to."""
    return (
        *(_mistake_on(function, matrix) for function in FUNCTIONS for matrix in function.on.split()),
        *(each for name in ON_LEARNED.split() for each in _mistakes_on_learned_matrices(BY_NAME[name])),
        *(each for name in OF_EACH_HEAD.split() for each in _mistakes_in_each_head(BY_NAME[name])),
    )
