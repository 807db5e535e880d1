"""The ten steps of attention: what each does, its formula, its code, and the matrices that show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attention_core.examples import Example
from attention_core.heads import MultiHeadTrace
from pages.shared.equation import Line, Matrix, Sign

Matrices = Mapping[str, Matrix]


@dataclass(frozen=True, slots=True)
class Walk:
    """What the steps walk over."""

    example: Example
    token: int  # the one that is followed
    masked: bool
    heads: MultiHeadTrace


@dataclass(frozen=True, slots=True)
class Step:
    """One of the ten steps."""

    name: str
    says: str
    formula: str
    code: str
    lines: Callable[[Matrices, Walk], list[Line]]


def _input(m: Matrices, walk: Walk) -> list[Line]:
    given = (m["x"],) if walk.example.context is None else (m["x"], m["context"])
    return [Line(given, "One row a token, one column a feature")]


def _weights(m: Matrices, walk: Walk) -> list[Line]:
    biases = tuple(m[name] for name in ("b_q", "b_k", "b_v") if name in m)
    return [Line((m["w_q"], m["w_k"], m["w_v"])), *([Line(biases, "Biases")] if biases else [])]


def _projections(m: Matrices, walk: Walk) -> list[Line]:
    source = "x" if walk.example.context is None else "context"
    return [_projection(m, x, name) for x, name in (("x", "q"), (source, "k"), (source, "v"))]


def _projection(m: Matrices, x: str, name: str) -> Line:
    bias = ("+", m[f"b_{name}"]) if f"b_{name}" in m else ()
    return Line((m[x], "·", m[f"w_{name}"], *bias, "=", m[name]))


def _scores(m: Matrices, walk: Walk) -> list[Line]:
    mask = (Sign("mask", arrow=True), m["masked"]) if walk.masked else ()
    return [
        Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"])),
        Line((m["scores"], Sign("scale", arrow=True), m["scaled"], *mask)),
    ]


def _softmax(m: Matrices, walk: Walk) -> list[Line]:
    scores = m["masked" if walk.masked else "scaled"]
    weights = m["weights"].reading(f"{scores.id}[i,:]").with_sums("rows")
    return [Line((scores, Sign("softmax of each row", arrow=True), weights))]


def _terms(m: Matrices, walk: Walk) -> list[Line]:
    one = m["weights"].row(walk.token, f"A_{walk.token + 1}")
    return [Line((one, "times the rows of", m["v"], "=", m["terms"]))]


def _sum(m: Matrices, walk: Walk) -> list[Line]:
    weights = m["weights"].row(walk.token, f"A_{walk.token + 1}")
    output = m["output"].row(walk.token, f"Z_{walk.token + 1}")
    return [
        Line((m["terms"].with_sums("columns"), Sign("add down", arrow=True), output)),
        Line((weights, "·", m["v"], "=", output), "The same as one product"),
    ]


def _every_token(m: Matrices, walk: Walk) -> list[Line]:
    return [Line((m["weights"], "·", m["v"], "=", m["output"]))]


def _heads(m: Matrices, walk: Walk) -> list[Line]:
    label = f"{walk.heads.n_heads} heads: each owns one block of columns, told apart by the line below them"
    each = [
        Line((m[f"weights.{h}"], "·", f"V_{h + 1}", "=", m[f"heads.{h}"]), f"Head {h + 1}")
        for h in range(walk.heads.n_heads)
    ]
    return [Line((m["q"], m["k"], m["v"]), label), *each]


def _mix(m: Matrices, walk: Walk) -> list[Line]:
    abreast = tuple(m[f"heads.{h}"] for h in range(walk.heads.n_heads))
    label = "W^O mixes what the heads found, and brings it back to the width of the input"
    return [
        Line((*abreast, Sign("side by side", arrow=True), m["concat"])),
        Line((m["concat"], "·", m["w_o"], "=", m["output"]), label),
    ]


HEADS_CODE = """\
def split(m):
    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)

def attend(q, k, v):
    scaled = q @ k.swapaxes(-1, -2) * (head_scale or q.shape[-1] ** -0.5)
    masked = np.where(mask, scaled, -np.inf)
    powers = np.exp(masked - masked.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ v

heads = attend(split(q), split(k), split(v))"""

STEPS = (
    Step(
        "Input",
        "Every token is a vector: one row.",
        r"X \in \mathbb{R}^{n \times d_{\text{model}}}",
        "import numpy as np\n\nn_q, d_model = x.shape",
        _input,
    ),
    Step(
        "Weights",
        "Three learned matrices, each as high as a token is wide. Their width is d_k or d_v; it has nothing to do "
        "with the number of tokens.",
        r"W^Q, W^K \in \mathbb{R}^{d_{\text{model}} \times d_k}, \; W^V \in \mathbb{R}^{d_{\text{model}} \times d_v}",
        "d_k, d_v = w_q.shape[-1], w_v.shape[-1]",
        _weights,
    ),
    Step(
        "Q K V",
        "Each token is turned into what it asks, what it offers, and what it hands over. These are matrix products, "
        "`@` in NumPy, not `*`.",
        r"Q = X W^Q + b^Q, \quad K = X W^K + b^K, \quad V = X W^V + b^V",
        "q = x @ w_q + b_q\nk = context @ w_k + b_k   # the context is x in self-attention\nv = context @ w_v + b_v",
        _projections,
    ),
    Step(
        "Scores",
        "Every query meets every key. Divided by √d_k, scores keep their size however wide the keys are; a mask then "
        "forbids with −∞.",
        r"S' = \frac{Q K^\top}{\sqrt{d_k}}",
        "scores = q @ k.T\nscaled = scores * scale   # 1 / np.sqrt(d_k)\nmasked = np.where(mask, scaled, -np.inf)",
        _scores,
    ),
    Step(
        "Softmax",
        "Each row becomes shares that sum to 1: how much each token attends to each other.",
        r"A_{ij} = \frac{e^{S'_{ij}}}{\sum_{j'} e^{S'_{ij'}}}",
        "powers = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
        "weights = powers / powers.sum(axis=-1, keepdims=True)",
        _softmax,
    ),
    Step(
        "Terms",
        "One token’s weights multiply the values, each its own row. The notebooks call these rows “Attention 1, 2, 3”; "
        "they are the terms of one output.",
        r"T_{j} = A_{ij} V_{j}",
        "terms = weights[token][:, None] * v",
        _terms,
    ),
    Step(
        "Sum",
        "Add the terms: that is what this token takes away.",
        r"Z_{i} = \sum_j A_{ij} V_{j}",
        "output_of_token = terms.sum(axis=0)",
        _sum,
    ),
    Step(
        "All tokens",
        "The same for every token at once. The notebooks stop after the first input and go on with random numbers.",
        r"Z = A V",
        "output = weights @ v",
        _every_token,
    ),
    Step(
        "Heads",
        "Several attentions side by side: each head takes its own block of columns of Q, K and V, and sees every "
        "token. Its scale is that of its own, narrower width. The notebooks draw noise here; these heads are computed.",
        r"\text{head}_h = \operatorname{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{d_k}}\right) V_h",
        HEADS_CODE,
        _heads,
    ),
    Step(
        "Mix",
        "The heads’ outputs stand side by side, and one more learned matrix, W^O, mixes them.",
        r"\operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h) \, W^O",
        "concat = heads.swapaxes(0, 1).reshape(n_q, -1)\nmulti_head_output = concat @ w_o",
        _mix,
    ),
)
