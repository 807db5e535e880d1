"""Problems: the given numbers, of an example or somebody's own, and the matrix that is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace
from attention_core.checks import Array, floats
from attention_core.diagnosis.setting import Setting, one_head_of, setting_of
from attention_core.diagnosis.stages import Trace, matrix_at, stages_of
from attention_core.examples import Example
from attention_core.heads import MultiHeadTrace
from attention_core.masks import Mask
from attention_core.rotation import Places, PositionTrace, heads_with_positions, sinusoidal_steps, with_positions

USUAL = Setting()
OWN = "own"  # the name of an example with somebody's own numbers
ALL_HEADS, POSITIONS = "mixed", "encoding"  # further matrices that can be asked for, besides the stages of one head


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Problem:
    """A problem: the given numbers, the correct computation, and the matrix that is asked for (`stage`)."""

    example: Example
    trace: Trace
    stage: str
    known: tuple[str, ...] = ()  # the stages that the problem gives: they contain no mistake
    shown: Array | None = None  # the given scores, with −∞
    other: Trace | None = None  # the same with other scores in place of −∞; a finding must hold for both
    aligned: Trace | None = None  # the same with a causal mask that ends with the last key, if this differs
    setting: Setting = USUAL

    @property
    def gives_scores(self) -> bool:
        """Whether the problem gives scores, and not the tokens or the queries."""
        return "scores" in self.known

    @property
    def correct_result(self) -> Array:
        """The correct result."""
        return matrix_at(self.trace, self.stage)

    @property
    def earlier_stages(self) -> tuple[str, ...]:
        """The stages of the intermediate matrices that somebody can also paste. Given matrices are left out."""
        stages = stages_of(self.trace)
        before = stages[: stages.index(self.stage)]
        told = (*self.known, "masked")
        return tuple(step for step in before if step not in told and matrix_at(self.trace, step).ndim == 2)


def problem_of(example: Example, stage: str, setting: Setting | str = USUAL) -> Problem:
    """Return the problem that asks for the matrix `stage` of an example.

    `stage` is a stage of one head, such as "weights", or `ALL_HEADS` (the output of all heads), or `POSITIONS` (the
    positional encoding). If `setting` is a text, it is the kind of the mask, such as "causal".

    Raises: ValueError if the matrices of the example do not fit each other, or the setting does not fit them.
    """
    if stage == POSITIONS:
        return Problem(example=example, trace=sinusoidal_steps(*example.x.shape), stage=POSITIONS)
    setting = setting_of(setting)
    places = setting.places(len(example.tokens), len(example.key_tokens), example.n_heads)
    if stage == ALL_HEADS:
        return Problem(example=example, trace=_of_all(example, setting, places), stage="output", setting=setting)
    example = _of_one(example, setting)
    aligned = _aligned_at_the_end(example, setting, places)
    return Problem(
        example=example, trace=_trace(example, setting, places), stage=stage, aligned=aligned, setting=setting
    )


def _of_all(example: Example, setting: Setting, places: Places) -> MultiHeadTrace:
    mask = setting.allowed(len(example.tokens), len(example.key_tokens))
    trace = example.multi_head(mask=mask, scale=setting.scale, n_kv_heads=setting.n_kv_heads or None)
    return heads_with_positions(trace, places)


def _of_one(example: Example, setting: Setting) -> Example:
    if setting.head:
        return one_head_of(example, setting.head, setting.n_kv_heads)
    if setting.n_kv_heads not in (0, example.n_heads):
        raise ValueError(
            "One head must be chosen if heads share keys, but none is chosen. "
            "Choose a head, or choose to check the output of all heads."
        )
    return example


def _trace(example: Example, setting: Setting, places: Places) -> SelfAttentionTrace:
    mask = setting.allowed(len(example.tokens), len(example.key_tokens))
    trace = example.attention(mask=mask, scale=setting.scale)
    return with_positions(trace, places)


def same_question(problem: Problem, example: Example) -> Problem:
    """Return the problem that asks for the same matrix of another example, with the same kind of mask."""
    if isinstance(problem.trace, PositionTrace):
        return problem_of(example, POSITIONS)
    several = isinstance(problem.trace, MultiHeadTrace)
    return problem_of(example, ALL_HEADS if several else problem.stage, problem.setting.mask)


def _aligned_at_the_end(example: Example, setting: Setting, places: Places) -> Trace | None:
    n_q, n_k = len(example.tokens), len(example.key_tokens)
    if example.name != OWN or setting.mask != "causal" or n_q == n_k:
        return None
    if n_q > n_k and setting.positions != "none":
        return None  # the first query would stand before the first position
    trace = example.attention(mask=np.tri(n_q, n_k, n_k - n_q, dtype=bool), scale=setting.scale)
    return with_positions(trace, replace(places, queries=places.queries + n_k - n_q))


def problem_of_queries(q: ArrayLike, k: ArrayLike, v: ArrayLike, stage: str, setting: Setting | str = USUAL) -> Problem:
    """Return the problem that gives queries, keys and values, and asks for the matrix `stage`, such as "weights".

    Raises: ValueError for the same reasons as `example_of_queries` and `problem_of`.
    """
    return replace(problem_of(example_of_queries(q, k, v), stage, setting), known=("q", "k", "v"))


def problem_of_scores(scores: ArrayLike, setting: Setting | str = USUAL) -> Problem:
    """Return the problem that gives scores and asks for their softmax. The scores are not scaled.

    Scores of −∞ are masked. The positions of the setting, such as ALiBi, do not change the scores.

    Raises: ValueError if the scores are no matrix, NaN or +∞ is among them, or the mask does not fit them.
    """
    given = floats("scores", scores, min_rank=2, minus_infinity=True)
    setting = replace(setting_of(setting), positions="none")
    mask = setting.allowed(*given.shape)
    trace = _of_scores(given, mask, np.zeros(given.shape))
    any_scores = np.cos(np.arange(given.size)).reshape(given.shape)  # all different
    other = _of_scores(given, mask, any_scores) if np.isneginf(given).any() else None
    example = example_of_queries(trace.q, trace.k, trace.v)
    known = ("q", "k", "v", "scores", "scaled")
    return Problem(
        example=example, trace=trace, stage="weights", known=known, shown=given, other=other, setting=setting
    )


def _of_scores(given: Array, further_mask: Mask | None, replacements: Array) -> SelfAttentionTrace:
    seen, n_k = np.isfinite(given), given.shape[1]
    example = example_of_queries(np.where(seen, given, replacements), np.eye(n_k), np.eye(n_k))
    return example.attention(mask=seen if further_mask is None else seen & further_mask, scale=1.0)


def example_of_weights(
    x: ArrayLike,
    w_q: ArrayLike,
    w_k: ArrayLike,
    w_v: ArrayLike,
    *,
    n_heads: int = 1,
    n_kv_heads: int = 0,
    **more: ArrayLike,
) -> Example:
    """Return an example with somebody's own numbers. `more` may have the biases b_q, b_k and b_v, and the matrix w_o.

    Without w_o, the outputs of the heads are only placed side by side. `n_kv_heads` is the number of heads of keys and
    values. It may be smaller than `n_heads`; 0 means `n_heads`.

    Raises: ValueError if a matrix has a NaN or an infinity in it.
    """
    matrices = {name: floats(name, m, min_rank=2) for name, m in {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v}.items()}
    biases = {name: floats(name, m).reshape(-1) for name, m in more.items() if name != "w_o"}
    shared_by = max(n_heads // (n_kv_heads or n_heads), 1)
    w_o = floats("w_o", more["w_o"], min_rank=2) if "w_o" in more else np.eye(matrices["w_v"].shape[1] * shared_by)
    return _own_example(**matrices, **biases, w_o=w_o, n_heads=n_heads, tokens=_tokens(len(matrices["x"])))


def example_of_embeddings(x: ArrayLike) -> Example:
    """Return an example with somebody's own embeddings, for problems about the encoding of positions.

    Raises: ValueError if the matrix has a NaN or an infinity in it.
    """
    x = floats("x", x, min_rank=2)
    same = np.eye(x.shape[1])
    return _own_example(x=x, w_q=same, w_k=same, w_v=same, w_o=same, n_heads=1, tokens=_tokens(len(x)))


def example_of_queries(q: ArrayLike, k: ArrayLike, v: ArrayLike) -> Example:
    """Return an example that has exactly these queries, keys and values, because its weights only copy columns.

    Raises: ValueError if a matrix has a NaN or an infinity in it, or there are not as many keys as values.
    """
    q, k, v = (floats(name, m, min_rank=2) for name, m in {"q": q, "k": k, "v": v}.items())
    if len(k) != len(v):
        raise ValueError(f"k and v must share n_k, but k is {k.shape} and v is {v.shape}. Give each key its value.")
    left, right = np.eye(k.shape[1] + v.shape[1], k.shape[1]), np.eye(k.shape[1] + v.shape[1])[:, k.shape[1] :]
    return _own_example(
        x=q, context=np.hstack([k, v]), w_q=np.eye(q.shape[1]), w_k=left, w_v=right, w_o=np.eye(v.shape[1]),
        n_heads=1, tokens=_tokens(len(q)), context_tokens=_tokens(len(k)),
    )  # fmt: skip


def _own_example(**fields: Any) -> Example:
    return Example(name=OWN, title="Your numbers", about="", source="", **fields)


def _tokens(n: int) -> tuple[str, ...]:
    return tuple(f"token {i}" for i in range(1, n + 1))
