"""Make matrices for the page from a computation with several heads: some for all heads together, some for each head."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from attention_core.caching import cache_recent
from attention_core.checks import greatest_difference
from attention_core.examples import Example, FeatureNames
from attention_core.heads import MultiHeadTrace
from pages.shared.equation import Matrix
from pages.shared.equation.computation import Computation
from pages.shared.equation.labels import labels_of, words_above
from pages.shared.equation.matrices import labels_of_all, limits_of, matrix_of
from pages.shared.notation.records import SYMBOLS


def head_matrices(example: Example, trace: MultiHeadTrace, right: MultiHeadTrace | None = None) -> dict[str, Matrix]:
    """Return the matrices of several heads by id, ready to show.

    "weights.1" is the weights of head 1, counted from 0. If `trace` has a mistake, `right` is the correct trace.
    """
    d_k, d_v = trace.heads.q.shape[-1], trace.heads.v.shape[-1]
    computed = {"q": trace.q, "k": trace.k, "v": trace.v, "concat": trace.concat, "output": trace.output}
    inner = {name: getattr(trace.heads, name) for name in ("scores", "scaled", "masked", "weights")}
    per_head = {**inner, "heads": trace.heads.output, "shares": trace.shares}
    values = example.matrices() | computed
    limits = limits_of(values | per_head)
    blocks = {"q": d_k, "k": d_k, "v": d_v, "w_q": d_k, "w_k": d_k, "w_v": d_v, "concat": d_v}
    rights = {} if right is None else {"concat": right.concat, "output": right.output}
    each = {f"{name}.{h}": matrix for name, matrices in per_head.items() for h, matrix in enumerate(matrices)}
    labels = labels_of_all(values | each, example)
    labels["output"] = labels_of("shares", example, trace.output.shape[-1])  # W^O maps the heads to the features again
    computation = Computation(right or trace, words_above(labels))
    whole = {
        name: matrix_of(
            name, example, matrix, computation, limits,
            block_width=blocks.get(name), right=rights.get(name), labels=labels[name],
        )
        for name, matrix in values.items()
    }  # fmt: skip
    whole["output"] = replace(whole["output"], symbol=SYMBOLS["mixed"].symbol)
    heads = {
        f"{name}.{h}": matrix_of(
            name, example, per_head[name][h], computation, limits, part=h, labels=labels[f"{name}.{h}"]
        )
        for h in range(trace.n_heads)
        for name in per_head
    }
    return whole | heads


@cache_recent
def rewired_matrices(example: Example, trace: MultiHeadTrace) -> Mapping[str, Matrix]:
    """Return the matrices of several heads, ready to show, for a trace with other weight matrices than the example.

    Visitors cannot edit these other weight matrices.
    """
    used = {name: getattr(trace.projections, name) for name in ("w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v")}
    own = {name: getattr(example, name) for name in used}
    changed = [name for name in used if used[name] is not None and greatest_difference(used[name], own[name]) > 0]
    m = head_matrices(replace(example, **used, names=_names_of_the_rest(example.names, changed)), trace)
    return MappingProxyType(m | {name: replace(m[name], editable=False) for name in changed})


def _names_of_the_rest(names: FeatureNames, changed: list[str]) -> FeatureNames:
    """Return `names`, but without the names of queries, keys or values whose weight matrix has changed.

    `changed` has the names of the changed weight matrices, such as "w_q". The old names would not fit the new numbers.
    """
    return replace(names, **{name: () for name in ("q", "k", "v") if f"w_{name}" in changed})
