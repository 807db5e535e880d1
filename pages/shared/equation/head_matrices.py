"""The matrices of several heads to show: those of all heads together, with their blocks, and those of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from attention_core.caching import cached
from attention_core.checks import greatest_difference
from attention_core.examples import Example
from attention_core.heads import MultiHeadTrace
from pages.shared.equation import Matrix
from pages.shared.equation.matrices import limits_of, matrix_of


def head_matrices(example: Example, trace: MultiHeadTrace, right: MultiHeadTrace | None = None) -> dict[str, Matrix]:
    """Return the matrices of several heads by name; "weights.1" is head 1 of the weights, counted from 0.

    Where a slip is shown, `right` has the right numbers.
    """
    d_k, d_v = trace.heads.q.shape[-1], trace.heads.v.shape[-1]
    computed = {"q": trace.q, "k": trace.k, "v": trace.v, "concat": trace.concat, "output": trace.output}
    per_head = {"weights": trace.heads.weights, "heads": trace.heads.output, "shares": trace.shares}
    values = example.matrices() | computed
    limits = limits_of(values | per_head)
    reads = {
        "concat": tuple(f"heads.{h}[i,j-{h * d_v}]" for h in range(trace.n_heads)),
        "output": ("concat[i,:]", "w_o[:,j]"),
    }
    blocks = {"q": d_k, "k": d_k, "v": d_v, "w_q": d_k, "w_k": d_k, "w_v": d_v, "concat": d_v}
    rights = {} if right is None else {"concat": right.concat, "output": right.output}
    whole = {
        name: matrix_of(
            name, example, matrix, reads.get(name, ()), limits, blocks=blocks.get(name), right=rights.get(name)
        )
        for name, matrix in values.items()
    }
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
        for name, values in per_head.items():
            yield f"{name}.{h}", matrix_of(name, example, values[h], reads[name], limits, part=h)


@cached
def rewired_matrices(example: Example, trace: MultiHeadTrace) -> Mapping[str, Matrix]:
    """Return the matrices of heads whose weights are not all the example's own: those that differ cannot be edited."""
    used = {name: getattr(trace.weights, name) for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v")}
    own = {name: getattr(example, name) for name in used}
    m = head_matrices(replace(example, **used), trace)
    changed = [name for name in m if name in used and greatest_difference(used[name], own[name]) > 0]
    return MappingProxyType(m | {name: replace(m[name], editable=False) for name in changed})
