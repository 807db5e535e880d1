"""Checking a pasted result against an example, or against somebody's own numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_core.checks import Array, floats, greatest_difference
from attention_core.diagnosis.answer import MOST_DECIMALS, Answer, answer_to
from attention_core.diagnosis.diagnose import Diagnosis, diagnose
from attention_core.diagnosis.stages import Trace, matrix_at, possible_slips, stages_of
from attention_core.examples import Example
from attention_core.masks import Mask
from attention_core.position_trace import sinusoidal_steps
from attention_core.reading.matrix_text import MatrixText
from attention_core.slips import HALF_A_DECIMAL, Slip

ALL_HEADS, POSITIONS = "mixed", "encoding"  # these can be asked for as well as the stages of one head
SINGLE = 5  # decimals to which float32 agrees, whatever it prints


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Problem:
    """A question: the numbers that are given, the right computation, and which of its matrices is asked for."""

    example: Example
    trace: Trace
    stage: str
    scored: bool = False  # whether only scores were given, so that no slip before them can be meant

    @property
    def right(self) -> Array:
        """The right result."""
        return matrix_at(self.trace, self.stage)

    @property
    def earlier(self) -> tuple[str, ...]:
        """The matrices on the way to it that somebody can give as well."""
        stages = stages_of(self.trace)
        before = stages[: stages.index(self.stage)]
        shown = [s for s in before if s != "masked" and matrix_at(self.trace, s).ndim == 2]
        return ("scores",) * ("scores" in shown) if self.scored else tuple(shown)


def problem_of(example: Example, asked: str, mask: str = "none") -> Problem:
    """Ask for a stage of one head of an example, for the output of all heads, or for the encoding of its positions.

    Raises: ValueError if the matrices of the example do not fit each other, or the mask is not one of its own.
    """
    if asked == POSITIONS:
        return Problem(example=example, trace=sinusoidal_steps(*example.x.shape), stage=POSITIONS)
    allowed = example.mask(mask)
    if asked == ALL_HEADS:
        return Problem(example=example, trace=example.multi_head(mask=allowed), stage="output")
    return Problem(example=example, trace=example.attention(mask=allowed), stage=asked)


def problem_of_scores(scores: ArrayLike, mask: str = "none") -> Problem:
    """Ask for the softmax of scores; scores of −∞ are masked.

    Raises: ValueError if the scores are no matrix, or NaN or +∞ is among them.
    """
    given = floats("scores", scores, min_rank=2, minus_infinity=True)
    seen, n_k = np.isfinite(given), given.shape[1]
    example = example_of_queries(np.where(seen, given, 0.0), np.eye(n_k), np.eye(n_k))
    more: Mask | None = example.mask(mask)
    trace = example.attention(mask=seen if more is None else seen & more, scale=1.0)
    return Problem(example=example, trace=trace, stage="weights", scored=True)


def example_of_weights(
    x: ArrayLike, w_q: ArrayLike, w_k: ArrayLike, w_v: ArrayLike, *, n_heads: int = 1, **more: ArrayLike
) -> Example:
    """Return somebody's own numbers as an example; `more` is any of b_q, b_k, b_v and w_o.

    Without w_o, heads stay in their own columns.

    Raises: ValueError if a matrix has a NaN or an infinity in it.
    """
    matrices = {name: floats(name, m, min_rank=2) for name, m in {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v}.items()}
    biases = {name: floats(name, m).reshape(-1) for name, m in more.items() if name != "w_o"}
    w_o = floats("w_o", more["w_o"], min_rank=2) if "w_o" in more else np.eye(matrices["w_v"].shape[1])
    return _own(**matrices, **biases, w_o=w_o, n_heads=n_heads, tokens=_tokens(len(matrices["x"])))


def example_of_embeddings(x: ArrayLike) -> Example:
    """Return an example of somebody's own embeddings, of which nothing but their positions is asked.

    Raises: ValueError if the matrix has a NaN or an infinity in it.
    """
    x = floats("x", x, min_rank=2)
    same = np.eye(x.shape[1])
    return _own(x=x, w_q=same, w_k=same, w_v=same, w_o=same, n_heads=1, tokens=_tokens(len(x)))


def example_of_queries(q: ArrayLike, k: ArrayLike, v: ArrayLike) -> Example:
    """Return an example with identity weights, so that its queries, keys and values are these.

    Raises: ValueError if a matrix has a NaN or an infinity in it, or keys and values are not as many.
    """
    q, k, v = (floats(name, m, min_rank=2) for name, m in {"q": q, "k": k, "v": v}.items())
    if len(k) != len(v):
        raise ValueError(f"k and v must share n_k; got k {k.shape}, v {v.shape}: every key needs its value.")
    left, right = np.eye(k.shape[1] + v.shape[1], k.shape[1]), np.eye(k.shape[1] + v.shape[1])[:, k.shape[1] :]
    return _own(
        x=q, context=np.hstack([k, v]), w_q=np.eye(q.shape[1]), w_k=left, w_v=right, w_o=np.eye(v.shape[1]),
        n_heads=1, tokens=_tokens(len(q)), context_tokens=_tokens(len(k)),
    )  # fmt: skip


def check(problem: Problem, answer: MatrixText, given: Mapping[str, MatrixText]) -> Diagnosis:
    """Find the mistake that gives a result in all digits that are written, or else to the precision of float32.

    `given` are intermediate matrices of the same attempt, by stage.
    """
    told = {**given, problem.stage: answer}
    exactly = _diagnosed(problem, told, MOST_DECIMALS)
    if any(finding.kind != "near" for finding in exactly.findings):
        return exactly
    in_single = _diagnosed(problem, told, SINGLE)
    return in_single if in_single.findings else exactly


def right_cells(problem: Problem, answer: MatrixText) -> NDArray[np.bool_]:
    """Say for each number of a result whether it is right to the digits that are written."""
    written = MOST_DECIMALS if answer.decimals is None else answer.decimals
    return answer_to(problem.right, answer.values, min(written, SINGLE)).agrees(problem.right)


def mistaken(problem: Problem) -> tuple[Array, Slip[Any]] | None:
    """Return a wrong result to try, and its slip: a usual one that shows here, first one from a notebook; or None."""
    slips = (slip for slip in possible_slips(problem.trace) if slip.rank == "usual" and slip.shows(problem.trace))
    for slip in sorted(slips, key=lambda slip: all("#" in source for source in slip.sources)):
        try:
            wrong = matrix_at(slip.apply(problem.trace), problem.stage)
        except ValueError:
            continue  # the shapes do not allow it
        if greatest_difference(wrong, problem.right) > HALF_A_DECIMAL:
            return wrong, slip
    return None


def _diagnosed(problem: Problem, told: Mapping[str, MatrixText], most: int) -> Diagnosis:
    answers = {stage: _answer(problem, stage, one, most) for stage, one in told.items()}
    found = diagnose(answers.pop(problem.stage), problem.trace, problem.stage, given=answers)
    if not problem.scored:
        return found
    meant = (f for f in found.findings if all(slip.stage in ("masked", "weights") for slip in f.slips))
    return replace(found, findings=tuple(meant))


def _answer(problem: Problem, stage: str, one: MatrixText, most: int) -> Answer:
    written = MOST_DECIMALS if one.decimals is None else one.decimals
    return answer_to(matrix_at(problem.trace, stage), one.values, min(written, most))


def _own(**fields: Any) -> Example:
    return Example(name="own", title="Your numbers", about="", source="", **fields)


def _tokens(n: int) -> tuple[str, ...]:
    return tuple(f"token {i}" for i in range(1, n + 1))
