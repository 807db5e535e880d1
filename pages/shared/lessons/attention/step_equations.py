"""The equations of the ten steps of attention.

Each function takes all matrices by name, and returns lines of equations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attention_core.examples import Example
from attention_core.heads import MultiHeadTrace
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.lessons.attention.formulas import Case

Matrices = Mapping[str, Matrix]


@dataclass(frozen=True, slots=True)
class Walk:
    """The example whose ten steps are shown, the token that some steps are about, and the results of several heads."""

    example: Example
    token: int  # the index of the token that some steps are about
    case: Case
    heads: MultiHeadTrace


def input_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return an equation with the input, and with the second input if there is one."""
    given = (m["x"],) if walk.example.context is None else (m["x"], m["context"])
    return [Line(given, "One row for each token, one column for each feature")]


def weights_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return an equation with the three learned matrices, and an equation with their biases if there are any."""
    biases = tuple(m[name] for name in ("b_q", "b_k", "b_v") if name in m)
    return [Line((m["w_q"], m["w_k"], m["w_v"])), *([Line(biases, "Biases")] if biases else [])]


def projections_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return three products, which give the queries, the keys and the values."""
    source = "x" if walk.example.context is None else "context"
    return [_projection(m, x, name) for x, name in (("x", "q"), (source, "k"), (source, "v"))]


def _projection(m: Matrices, x: str, name: str) -> Line:
    bias = ("+", m[f"b_{name}"]) if f"b_{name}" in m else ()
    return Line((m[x], "·", m[f"w_{name}"], *bias, "=", m[name]))


def scores_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return the product of queries and keys, and an equation in which the scores are scaled and perhaps masked."""
    mask = (Sign("mask", arrow=True), m["masked"]) if walk.case.masked else ()
    return [
        Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"])),
        Line((m["scores"], Sign("÷ √d_k" if walk.case.scaled else "not scaled", arrow=True), m["scaled"], *mask)),
    ]


def softmax_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return the equation in which softmax turns the scores into weights."""
    scores = m["masked" if walk.case.masked else "scaled"]
    return [Line((scores, Sign("softmax of each row", arrow=True), m["weights"].with_sums("rows")))]


def terms_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return the equation in which the weights of one token multiply the rows of the values."""
    one = m["weights"].row(walk.token, f"a_{walk.token + 1}")
    return [Line((one, "times the rows of", m["v"], "=", m["terms"]))]


def sum_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return two equations for the output of one token: as a sum of terms, and as one product."""
    weights = m["weights"].row(walk.token, f"a_{walk.token + 1}")
    output = m["output"].row(walk.token, f"z_{walk.token + 1}")
    return [
        Line((m["terms"].with_sums("columns"), Sign("add down", arrow=True), output)),
        Line((weights, "·", m["v"], "=", output), "The same as one product"),
    ]


def every_token_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return the product that gives the outputs of all tokens at once."""
    return [Line((m["weights"], "·", m["v"], "=", m["output"]))]


def heads_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return an equation with the queries, keys and values of all heads, and then one equation for each head."""
    label = f"{walk.heads.n_heads} heads: each has its own block of columns, and the line below shows which"
    each = [
        Line((m[f"weights.{h}"], "·", f"V_{h + 1}", "=", m[f"heads.{h}"]), f"Head {h + 1}")
        for h in range(walk.heads.n_heads)
    ]
    return [Line((m["q"], m["k"], m["v"]), label), *each]


def mix_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return an equation that puts the heads' outputs side by side, and an equation that multiplies them by W^O."""
    abreast = tuple(m[f"heads.{h}"] for h in range(walk.heads.n_heads))
    label = "W^O mixes the outputs of the heads, and brings them back to the width of the input"
    return [
        Line((*abreast, Sign("side by side", arrow=True), m["concat"])),
        Line((m["concat"], "·", m["w_o"], "=", m["output"]), label),
    ]
