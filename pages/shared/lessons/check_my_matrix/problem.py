"""The task that a visitor has chosen: the numbers of the example or the visitor's own, and the asked matrix."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from attention_core.examples import Example
from attention_core.reading.matrix_text import MatrixText
from pages.shared.controls import controls_of
from pages.shared.lessons.check_my_matrix.reading import read
from pages.shared.lessons.check_my_matrix.setting import kv_heads_of, setting_of

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
