"""Run a model on a text: the likeliest next tokens, the loss of each token, and chosen matrices of its layers."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from attention_core.caching import read_only
from attention_core.checks import Array
from attention_core.language_model.block import RIGHT_PARTS, BlockTrace, Parts
from attention_core.language_model.model import LanguageModel, layers_of

BEST = 10  # how many next tokens an answer has at each position


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A text as tokens, how a model should run on this text, and the matrices to store. The `Answer` has the results.

    `parts` are functions, which cannot be compared. So a comparison of two questions ignores `parts`, and each set of
    functions needs a different name in `parts_name`.
    """

    tokens: tuple[int, ...]
    parts_name: str = "right"  # a name for the parts, which tells questions with different parts apart
    parts: Parts = field(default=RIGHT_PARTS, compare=False)  # the functions that compute each layer
    positions: tuple[int, ...] | None = None  # the position of each token; None: 0, 1, 2, …
    weights: bool = False  # whether to store the weights of all heads
    layers: tuple[int, ...] = ()  # the layers whose queries, keys, values and head outputs are stored


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class KeptLayer:
    """The matrices of one layer that an answer stores because the question named this layer."""

    norms: Array  # (n,) the length of each token's residual vector at the input
    q: Array  # (n_heads, n, d_k) rotated by their positions
    k: Array  # (n_kv_heads, n, d_k) rotated by their positions
    v: Array  # (n_kv_heads, n, d_k)
    head_outputs: Array  # (n_heads, n, d_k)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Answer:
    """The tokens that a model expects after each token of a text, and the matrices that the question asked for."""

    tokens: tuple[int, ...]
    losses: Array  # (n − 1,) for each token after the first: −ln of its predicted probability, in nats
    next_tokens: NDArray[np.int64]  # (n, 10) the most likely next tokens at each position, the likeliest first
    probabilities: Array  # (n, 10) the probabilities of these tokens
    log_totals: Array  # (n,) at each position, ln Σ e^score over all tokens of the vocabulary
    weights: Array | None  # (n_layers, n_heads, n, n) the weights of all heads, if the question asked for them
    layers: Mapping[int, KeptLayer]  # the layers that the question named, by their number

    @property
    def bytes(self) -> int:
        """The approximate memory that the answer takes, in bytes."""
        held = [self.losses, self.next_tokens, self.probabilities, *([] if self.weights is None else [self.weights])]
        held += [each for layer in self.layers.values() for each in (layer.q, layer.k, layer.v, layer.head_outputs)]
        return sum(each.nbytes for each in held)


def answer_in_steps(model: LanguageModel, question: Question) -> Generator[int, None, Answer]:
    """Run a model on the text of a question, one layer at a time.

    The generator yields the number of finished layers after each layer. It returns the answer at the end.

    Raises: ValueError for the same reasons as `run_model`.
    """
    x, weights, kept = np.empty(0), list[Array](), dict[int, KeptLayer]()
    for number, trace in enumerate(
        layers_of(model, question.tokens, positions=question.positions, parts=question.parts)
    ):
        x = trace.output
        if question.weights:
            weights.append(trace.heads.weights)
        if number in question.layers:
            kept[number] = _layer_to_keep(trace)
        yield number + 1
    logits = model.logits(x)
    log_totals = _log_sum_exp(logits)
    logs = logits - log_totals[:, None]
    next_tokens = _greatest_columns(logs)
    came = logs[np.arange(len(question.tokens) - 1), question.tokens[1:]]
    return read_only(
        Answer(
            tokens=question.tokens, losses=-came, next_tokens=next_tokens,
            probabilities=np.exp(np.take_along_axis(logs, next_tokens, axis=-1)), log_totals=log_totals,
            weights=np.stack(weights) if weights else None, layers=kept,
        )
    )  # fmt: skip


def answer(model: LanguageModel, question: Question) -> Answer:
    """Run a model on the text of a question, and return the answer.

    Raises: ValueError for the same reasons as `run_model`.
    """
    steps = answer_in_steps(model, question)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def _layer_to_keep(trace: BlockTrace) -> KeptLayer:
    norms = np.linalg.norm(trace.x, axis=-1)
    return KeptLayer(norms=norms, q=trace.q, k=trace.k, v=trace.v, head_outputs=trace.heads.output)


def _greatest_columns(logs: Array) -> NDArray[np.int64]:
    """Return the columns of the 10 greatest numbers in each row, the greatest number first."""
    among = np.argpartition(logs, -BEST, axis=-1)[:, -BEST:]
    order = np.argsort(-np.take_along_axis(logs, among, axis=-1), axis=-1)
    return np.take_along_axis(among, order, axis=-1)


def _log_sum_exp(logits: Array) -> Array:
    """Return ln Σ e^x for each row, computed in float64 because the sum has 49,152 terms."""
    greatest = logits.max(axis=-1).astype(np.float64)
    return greatest + np.log(np.exp(logits - greatest[:, None]).sum(axis=-1))
