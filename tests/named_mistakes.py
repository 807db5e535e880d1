"""The problems that “Check my matrix” can pose, the wrong results that mistakes give in them, and their verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from attention_core.diagnosis.pasted import Problem
from attention_core.diagnosis.stages import matrix_at, possible_mistakes
from attention_core.examples import example
from attention_core.reading.matrix_text import read_matrix, write_matrix
from pages.check_my_matrix import page, problem, verdict
from visiting import new_visitor, visiting

RNG = np.random.default_rng(5)
DIGITS = RNG.integers(-3, 4, size=(9, 4, 4))
OWN = {name: write_matrix(matrix, 0) for name, matrix in zip(
    ("own_x", "own_w_q", "own_w_k", "own_w_v", "own_w_o"), DIGITS, strict=False)}  # fmt: skip
BIASES = {f"own_b_{each}": "1 -1 2 0" for each in "qkv"}
QUERIES = {name: write_matrix(matrix, 0) for name, matrix in zip(("own_q", "own_k", "own_v"), DIGITS[5:8], strict=True)}
FEW_QUERIES = QUERIES | {"own_q": write_matrix(DIGITS[5][:2], 0)}
MANY_QUERIES = QUERIES | {name: write_matrix(DIGITS[n][:2], 0) for n, name in ((6, "own_k"), (7, "own_v"))}
SHARED = {name: write_matrix(DIGITS[n][:, :2], 0) for n, name in ((2, "own_w_k"), (3, "own_w_v"))}
NARROW = {name: write_matrix(DIGITS[n][:2, :2], 0) for n, name in ((5, "own_q"), (6, "own_k"), (7, "own_v"))}
MASKS = ("none", "causal", "causal_at_end", "padding", "window", "own")
POSITIONS = ("none", "rotary_pairs", "rotary_halves", "alibi")
WITHOUT_POSITIONS = ("scores", "embeddings")
SCALES: tuple[dict[str, str], ...] = ({}, {"scale": "none"}, {"scale": "own", "factor": "1/4"})

Link = dict[str, str]


@cache
def problems() -> list[Link]:
    """Return the parameters of each problem: what is given and asked, with which mask, scale, positions and heads."""
    made = list[Link]()
    for each in _given():
        settings = list(product(MASKS, ("none",) if each["source"] in WITHOUT_POSITIONS else POSITIONS))
        for number, (asked, (mask, kind)) in enumerate(product(problem.ASKED[each["source"]], settings)):
            scale = SCALES[number % len(SCALES)]
            made.append(_with_mask(each | {"asked": asked, "mask": mask, "positions": kind} | scale))
    return [link for link in made if not isinstance(posed(link)[1], str)]


def _given() -> Iterator[Link]:
    yield from ({"source": "queries", **own} for own in (QUERIES, FEW_QUERIES, MANY_QUERIES, NARROW))
    yield from ({"source": "weights", **OWN, **more} for more in ({}, BIASES))
    yield from ({"source": "weights", **OWN, "heads": "2", "head": head} for head in "02")
    yield from ({"source": "weights", **OWN, **SHARED, "heads": "2", "kv_heads": "1", "head": head} for head in "02")
    yield from ({"source": "example", "example": name} for name in ("hand", "square", "translation"))
    yield {"source": "scores", "own_scores": write_matrix(DIGITS[8], 0)}
    yield {"source": "embeddings", "own_x": OWN["own_x"]}


def _with_mask(link: Link) -> Link:
    if link["mask"] == "padding":
        return link | {"hidden": "2"}
    if link["mask"] == "own":
        here = posed(link | {"mask": "none"})[1]
        if not isinstance(here, str) and here.stage != "encoding":
            seen = np.indices(matrix_at(here.trace, "scores").shape[-2:]).sum(axis=0) % 3 > 0
            return link | {"own_mask": write_matrix(seen + 0.0, 0)}
    return link


def posed(link: Link) -> tuple[page.CheckMyMatrix, Problem | str]:
    """Return the parameters in a link, and the problem that they pose, or the sentence that says why there is none."""
    chosen: dict[str, Any] = {name: value for name, value in link.items() if name != "example"}
    parameters = page.CheckMyMatrix(**chosen)
    return parameters, problem.problem_or_question(parameters, example(link.get("example", "hand")))


def wrong_results(link: Link) -> Iterator[tuple[str, str]]:
    """Yield the name of each mistake that is possible in a problem, and the result that it gives, as a text.

    A result that several mistakes give is yielded once.
    """
    _, here = posed(link)
    assert isinstance(here, Problem)
    given = set[str]()
    for mistake in possible_mistakes(here.trace):
        try:
            wrong = np.atleast_2d(matrix_at(mistake.apply(here.trace), here.stage))
        except ValueError:
            continue  # the shapes do not allow it
        text = write_matrix(wrong, 6)
        if wrong.ndim == 2 and text not in given:
            given.add(text)
            yield mistake.name, text


def draw_verdict(link: Link, result: str) -> None:
    """Draw what the page says about a pasted result, and the arithmetic of the first cell to correct."""
    parameters, here = posed(link | {"answer": result})
    assert isinstance(here, Problem)
    with visiting(new_visitor("check_my_matrix")), pytest.MonkeyPatch.context() as patch:
        patch.setattr(verdict, "link", lambda *_, **__: None)  # only a running app knows the pages of the menu
        page.diagnosis(parameters, here, read_matrix(result))
