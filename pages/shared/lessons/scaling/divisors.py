"""One example with several divisors: its matrices and tables."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attention_core import SelfAttentionTrace, softmax
from attention_core.attention import with_scale
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.mistakes import naive_softmax
from attention_core.scaling import scales
from pages.shared.equation import Matrix
from pages.shared.equation.matrices import attention_matrices
from pages.shared.notation.tables import markdown_table

DIVISORS = {"one": "÷ 1", "root": "÷ √d_k", "dk": "÷ d_k"}  # by their names in the core: how they are written
DIVIDED = ("scaled", "masked", "weights", "output")  # the matrices that depend on the divisor
HUGE = 10_000  # scores that are so many times as large overflow


@cache_recent
def traces_of(example: Example) -> Mapping[str, SelfAttentionTrace]:
    """Return the attention of an example with each divisor."""
    root = example.attention()
    return {name: with_scale(root, scale) for name, scale in scales(example.w_q.shape[-1]).items()}


@cache_recent
def divided_matrices(example: Example) -> Mapping[str, Mapping[str, Matrix]]:
    """Return by divisor its scores, weights and output, as matrices whose ids end in its name."""
    traces = traces_of(example)
    matrices = attention_matrices(example, traces["root"])
    return {name: _matrices_of(name, matrices, trace) for name, trace in traces.items()}


def _matrices_of(name: str, m: Mapping[str, Matrix], trace: SelfAttentionTrace) -> dict[str, Matrix]:
    scaled, weights, output = (
        m[each].of(trace).with_suffix(f"_{name}", DIVIDED) for each in ("scaled", "weights", "output")
    )
    return {
        "scaled": scaled,
        "weights": weights.with_sums("rows"),
        "output": output,
    }


def label(name: str, example: Example) -> str:
    """Return the label of a divisor in an example."""
    d_k = example.w_q.shape[-1]
    return {
        "one": "÷ 1, the scores as they are",
        "root": f"÷ √d_k = √{d_k}",
        "dk": f"÷ d_k = {d_k}, without the root",
    }[name]


def order_table(example: Example, traces: Mapping[str, SelfAttentionTrace], token: int) -> str:
    """Return one token's keys, the best first, with their weights for each divisor."""
    scores = traces["one"].scores[token]
    best_first = sorted(range(len(scores)), key=lambda j: -scores[j])
    rows = [
        (example.key_tokens[j], f"{scores[j]:,.6g}", *(f"{trace.weights[token, j]:.4f}" for trace in traces.values()))
        for j in best_first
    ]
    return markdown_table(("key", "score", *DIVISORS.values()), rows)


def overflows(traces: Mapping[str, SelfAttentionTrace], token: int) -> bool:
    """Say whether one token's scores, times 10,000, overflow both undivided and divided by the root."""
    return all(np.isnan(naive_softmax(traces[name].scaled[token] * HUGE)).any() for name in ("one", "root"))


def overflow_table(example: Example, traces: Mapping[str, SelfAttentionTrace], token: int) -> str:
    """Return one token's weights from huge scores: undivided, divided, and with the maximum subtracted."""
    huge, divided = (traces[name].scaled[token] * HUGE for name in ("one", "root"))
    columns = (huge, naive_softmax(huge), naive_softmax(divided), softmax(huge))
    rows = [
        (key, f"{score:,.0f}", *(f"{share:.4g}".replace("nan", "NaN") for share in shares))
        for key, score, *shares in zip(example.key_tokens, *columns, strict=True)
    ]
    return markdown_table(("key", "score", "plain softmax, ÷ 1", "plain softmax, ÷ √d_k", "max subtracted, ÷ 1"), rows)
