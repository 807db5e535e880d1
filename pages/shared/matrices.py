"""Traces as matrices to show: symbol, labels, tint, and what each cell reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from attention_core.attention import SelfAttentionTrace, contributions
from attention_core.examples import Example
from attention_core.heads import MultiHeadTrace
from attention_core.softmax import SoftmaxTrace
from pages.shared.equation import Matrix, Tint
from pages.shared.link import MOST_CELLS
from pages.shared.notation import SYMBOLS

# Numbers of one kind share one colour scale all over a page.
KINDS: Sequence[tuple[str, ...]] = (
    ("x", "context"),
    ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "w_o"),
    ("q", "k"),
    ("scores", "scaled", "masked"),
    ("v", "output", "heads", "concat", "shares"),
)


def attention_matrices(example: Example, trace: SelfAttentionTrace, right: SelfAttentionTrace | None = None) -> dict[str, Matrix]:
    """Return every matrix of one head by name; where a slip is shown, `right` has the right numbers."""
    source = "x" if example.context is None else "context"
    reads = {
        "q": ("x[i,:]", "w_q[:,j]", *_bias(example, "b_q")),
        "k": (f"{source}[i,:]", "w_k[:,j]", *_bias(example, "b_k")),
        "v": (f"{source}[i,:]", "w_v[:,j]", *_bias(example, "b_v")),
        "scores": ("q[i,:]", "k[j,:]"),
        "scaled": ("scores[i,j]",),
        "masked": ("scaled[i,j]",),
        "weights": ("masked[i,:]",),
        "output": ("weights[i,:]", "v[:,j]"),
    }
    names = ("q", "k", "v", "scores", "scaled", "masked", "weights", "output")
    values = {**example.matrices(), **{name: getattr(trace, name) for name in names}}
    limits = _limits(values)
    return {
        name: Matrix(
            id=name, symbol=SYMBOLS[name][0], name=SYMBOLS[name][1].capitalize(), values=np.atleast_2d(matrix),
            reads=reads.get(name, ()), tint=_tint(name), limit=limits.get(name, 1.0),
            editable=name in example.matrices() and max(matrix.shape) <= MOST_CELLS,
            right=None if right is None or name not in names else getattr(right, name),
            **_labels(name, example, matrix.shape),
        )
        for name, matrix in values.items()
    }  # fmt: skip


def term_matrices(example: Example, trace: SelfAttentionTrace, token: int) -> dict[str, Matrix]:
    """Return the values as one token weights them: the terms whose sum is its output."""
    terms = contributions(trace)[token]
    return {
        "terms": Matrix(
            id=f"terms.{token}", symbol=f"T_{token + 1}", name=f"Weighted values of {example.tokens[token]}", values=terms,
            reads=(f"weights[{token},i]", "v[i,j]"), limit=_limits({"v": trace.v, "output": trace.output})["v"],
            row_labels=example.key_tokens, column_labels=_numbers(terms.shape[-1]),
        )
    }  # fmt: skip


def head_matrices(example: Example, trace: MultiHeadTrace) -> dict[str, Matrix]:
    """Return the matrices of several heads by name; "weights.1" is head 1 of the weights, counted from 0."""
    d_k, d_v = trace.heads.q.shape[-1], trace.heads.v.shape[-1]
    values = {"q": trace.q, "k": trace.k, "v": trace.v, "concat": trace.concat, "output": trace.output, **example.matrices()}
    per_head = {"weights": trace.heads.weights, "heads": trace.heads.output, "shares": trace.shares}
    limits = _limits({**values, **per_head})
    whole_reads = {"concat": tuple(f"heads.{h}[i,j-{h * d_v}]" for h in range(trace.n_heads)), "output": ("concat[i,:]", "w_o[:,j]")}
    blocks = {"q": d_k, "k": d_k, "v": d_v, "w_q": d_k, "w_k": d_k, "w_v": d_v, "concat": d_v}
    whole = {
        name: Matrix(
            id=name, symbol=SYMBOLS[name][0], name=SYMBOLS[name][1].capitalize(), values=np.atleast_2d(matrix),
            reads=whole_reads.get(name, ()), tint=_tint(name), limit=limits.get(name, 1.0), blocks=blocks.get(name),
            editable=name in example.matrices() and max(matrix.shape) <= MOST_CELLS, **_labels(name, example, matrix.shape),
        )
        for name, matrix in values.items()
    }  # fmt: skip
    return whole | dict(_heads(example, trace, per_head, limits))


def _heads(
    example: Example, trace: MultiHeadTrace, per_head: Mapping[str, np.ndarray], limits: Mapping[str, float]
) -> Iterable[tuple[str, Matrix]]:
    d_k, d_v, group = trace.heads.q.shape[-1], trace.heads.v.shape[-1], trace.n_heads // trace.n_kv_heads
    for h in range(trace.n_heads):
        own = h // group
        reads = {
            "weights": (f"q[i,{h * d_k}..{(h + 1) * d_k}]", f"k[:,{own * d_k}..{(own + 1) * d_k}]"),
            "heads": (f"weights.{h}[i,:]", f"v[:,j+{own * d_v}]"),
            "shares": (f"heads.{h}[i,:]", f"w_o[{h * d_v}..{(h + 1) * d_v},j]"),
        }
        symbols = {"weights": f"A_{h + 1}", "heads": f"head_{h + 1}", "shares": f"head_{h + 1}W^O_{h + 1}"}
        for name, values in per_head.items():
            yield f"{name}.{h}", Matrix(
                id=f"{name}.{h}", symbol=symbols[name], name=f"{SYMBOLS[name][1].capitalize()}, head {h + 1}", values=values[h],
                reads=reads[name], tint=_tint(name), limit=limits.get(name, 1.0), **_labels(name, example, values[h].shape),
            )  # fmt: skip


def softmax_matrices(trace: SoftmaxTrace, name: str, row_labels: tuple[str, ...], column_labels: tuple[str, ...]) -> dict[str, Matrix]:
    """Return the scores, powers and shares of a softmax over a matrix; `name` keeps several on one page apart."""
    line = {0: "[:,j]", 1: "[i,:]", None: "[:,:]"}[None if trace.axis is None else trace.axis % 2]
    labels = {"row_labels": row_labels, "column_labels": column_labels}
    per_row, per_column = trace.axis in (-1, 1), trace.axis in (0, -2)
    return {
        "entropies": Matrix(
            id=f"entropies_{name}", symbol="H", name="Entropies", values=trace.entropies, tint="plain",
            reads=(f"weights_{name}[{'i' if per_row else ':'},{'j' if per_column else ':'}]",),
            row_labels=row_labels if per_row else (), column_labels=column_labels if per_column else (),
        ),
        "powers": Matrix(
            id=f"powers_{name}", symbol="P", name="Powers", values=trace.powers, reads=(f"scores{line}",), tint="weight", **labels
        ),
        "weights": Matrix(
            id=f"weights_{name}", symbol="A", name="Shares", values=trace.weights, reads=(f"powers_{name}{line}",), tint="weight",
            sums={"rows": trace.row_sums, "columns": trace.column_sums}, **labels,
        ),
    }  # fmt: skip


def scores_matrix(scores: ArrayLike, row_labels: tuple[str, ...], column_labels: tuple[str, ...], *, editable: bool) -> Matrix:
    """Return scores that stand by themselves."""
    values = np.asarray(scores, dtype=float)
    return Matrix(
        id="scores", symbol="S", name="Scores", values=values, limit=_greatest(values), editable=editable,
        row_labels=row_labels, column_labels=column_labels,
    )  # fmt: skip


def _bias(example: Example, name: str) -> tuple[str, ...]:
    return () if getattr(example, name) is None else (f"{name}[0,j]",)


def _tint(name: str) -> Tint:
    return "weight" if name == "weights" else "signed"


def _limits(values: Mapping[str, np.ndarray]) -> dict[str, float]:
    """Return for each name the greatest magnitude among the numbers of its kind."""
    limits = {}
    for kind in KINDS:
        present = [name for name in kind if name in values]
        limits |= dict.fromkeys(present, max((_greatest(values[name]) for name in present), default=1.0))
    return limits


def _greatest(values: np.ndarray) -> float:
    """Return the greatest finite magnitude, or 1 where there is none to compare with."""
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) or 1.0 if finite.size else 1.0


def _labels(name: str, example: Example, shape: tuple[int, ...]) -> dict[str, tuple[str, ...]]:
    """Return token labels where rows or columns are tokens, and numbers where they are features."""
    features = _numbers(shape[-1])
    if name in ("x", "q", "output", "heads", "concat", "shares"):
        return {"row_labels": example.tokens, "column_labels": features}
    if name in ("context", "k", "v"):
        return {"row_labels": example.key_tokens, "column_labels": features}
    if name in ("scores", "scaled", "masked", "weights"):
        return {"row_labels": example.tokens, "column_labels": example.key_tokens}
    return {"column_labels": features}


def _numbers(n: int) -> tuple[str, ...]:
    return tuple(str(i + 1) for i in range(n))
