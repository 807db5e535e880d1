"""The scores of one example, divided by 1, by √d_k and by d_k: their matrices and tables."""

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

DIVISORS = {"one": "÷ 1", "root": "÷ √d_k", "dk": "÷ d_k"}  # the name in the core, and how a page writes it
DIVIDED = ("scaled", "masked", "weights", "output")  # the matrices that depend on the divisor
HUGE = 10_000  # softmax overflows for scores that are so many times as large


@cache_recent
def traces_of(example: Example) -> Mapping[str, SelfAttentionTrace]:
    """Return the attention of an example for each divisor, by the name of the divisor: "one", "root" or "dk"."""
    root = example.attention()
    return {name: with_scale(root, scale) for name, scale in scales(example.w_q.shape[-1]).items()}


@cache_recent
def divided_matrices(example: Example) -> Mapping[str, Mapping[str, Matrix]]:
    """Return the scaled scores, the weights and the output for each divisor, by its name.

    The ids of these matrices end in the name of the divisor.
    """
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
    """Return a label for the divisor `name`, with its value in this example."""
    d_k = example.w_q.shape[-1]
    return {
        "one": "÷ 1, the scores as they are",
        "root": f"÷ √d_k = √{d_k}",
        "dk": f"÷ d_k = {d_k}, without the root",
    }[name]


def order_table(example: Example, traces: Mapping[str, SelfAttentionTrace], token: int) -> str:
    """Return a Markdown table with one row for each key, the key with the greatest score first.

    A row has the score with which `token` attends to the key, and the weight for each divisor.
    """
    scores = traces["one"].scores[token]
    best_first = sorted(range(len(scores)), key=lambda j: -scores[j])
    rows = [
        (example.key_tokens[j], f"{scores[j]:,.6g}", *(f"{trace.weights[token, j]:.4f}" for trace in traces.values()))
        for j in best_first
    ]
    return markdown_table(("key", "score", *DIVISORS.values()), rows)


def overflows(traces: Mapping[str, SelfAttentionTrace], token: int) -> bool:
    """Return whether a plain softmax overflows for scores of `token` that are 10,000 times as large.

    The result is True only if this happens both with undivided scores and with scores divided by √d_k.
    """
    return all(np.isnan(naive_softmax(traces[name].scaled[token] * HUGE)).any() for name in ("one", "root"))


def overflow_table(example: Example, traces: Mapping[str, SelfAttentionTrace], token: int) -> str:
    """Return a Markdown table of the weights that `token` has if its scores are 10,000 times as large.

    The columns are a plain softmax without and with the divisor, and a softmax that subtracts the maximum first.
    """
    huge, divided = (traces[name].scaled[token] * HUGE for name in ("one", "root"))
    columns = (huge, naive_softmax(huge), naive_softmax(divided), softmax(huge))
    rows = [
        (key, f"{score:,.0f}", *(f"{share:.4g}".replace("nan", "NaN") for share in shares))
        for key, score, *shares in zip(example.key_tokens, *columns, strict=True)
    ]
    return markdown_table(("key", "score", "plain softmax, ÷ 1", "plain softmax, ÷ √d_k", "max subtracted, ÷ 1"), rows)
