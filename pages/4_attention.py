"""Attention step by step: the book's ten steps, from tokens to the output of all heads."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared import charts, code, controls, explain, frame, session, slips
from pages.shared.equation import Line, Sign, equation
from pages.shared.matrices import attention_matrices, head_matrices, term_matrices
from pages.shared.notation import typeset

NAMES = (
    "Input", "Weights", "Q K V", "Scores", "Softmax", "Terms", "Sum", "All tokens", "Heads", "Mix",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Attention(controls.Parameters):
    """What can be set on this page."""

    step: str = controls.choice("Step", {str(i + 1): f"{i + 1} {name}" for i, name in enumerate(NAMES)})
    token: int = controls.token("Follow")
    mask: str = controls.choice("Mask", {"none": "None", "causal": "Causal", "padding": "Padding"}, help="Causal: no token sees what comes after it. Padding: the last token is a filler that none may see.")
    scale: str = controls.choice(
        "Scale",
        {"source": "As the example", "root": r"$1/\sqrt{d_k}$", "none": "1, unscaled"},
        help=r"The book’s example divides by k_d = 1, all others by $\sqrt{d_k}$.",
    )
    slip: str = slips.slip_of("attention")


@dataclass(frozen=True)
class Step:
    """One of the ten steps: what it does, its formula, its code, and its numbers."""

    says: str
    formula: str
    code: str
    lines: Callable[..., list[Line]]


def body(parameters: Attention, example):
    scales = {"source": example.scale, "root": None, "none": 1.0}
    mask, scale = example.mask(parameters.mask), scales[parameters.scale]
    trace = example.attention(mask=mask, scale=scale)
    heads = example.multi_head(mask=mask, scale=scale)
    m = attention_matrices(example, trace) | term_matrices(example, trace, parameters.token)
    number = int(parameters.step)
    step = STEPS[number - 1]

    _walk(parameters, number)
    with st.container(horizontal=True, gap="medium"):
        if number >= 4:
            session.draw(parameters, "scale", "mask")
        if number in (6, 7):
            session.draw_token(parameters, "token", example.tokens)
    st.markdown(f"**Step {number}, {NAMES[number - 1].lower()}.** {typeset(step.says)}")
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.latex(step.formula, width="content")
        st.code(step.code, language="python", width="stretch")
    context = {"example": example, "masked": mask is not None, "token": parameters.token, "heads": heads}
    equation(step.lines(m | head_matrices(example, heads) if number >= 9 else m, **context), key=f"step{number}", digits=parameters.decimals)
    explain.show({"": trace} if number < 9 else {"": heads}, example.tokens, example.key_tokens, parameters.decimals)
    _beside_the_root(parameters, example, mask, scale, number)
    if number >= 5:
        _picture(example, trace, heads, number)
    slips.show(parameters, example, example.attention(mask=mask))
    code.show("\n".join(step.code for step in STEPS))


def _walk(parameters, number):
    """Ten steps to choose from, and one back or forward."""
    session.draw(parameters, "step")
    with st.container(horizontal=True, key="walk"):
        session.step_button("Back", "step", str(number - 1), icon=":material/arrow_back:", disabled=number == 1)
        session.step_button("Next step", "step", str(number + 1), icon=":material/arrow_forward:", disabled=number == len(STEPS), primary=True)


def _beside_the_root(parameters, example, mask, scale, number):
    """On the book's example: what √d_k would have given, beside k_d = 1."""
    if scale != 1.0 or number not in (4, 5, 7, 8):
        return
    right = attention_matrices(example, example.attention(mask=mask))
    st.markdown(
        f"**Nothing was scaled.** $d_k$ is {example.w_q.shape[-1]}, so the scores should be divided by its root; the notebooks set "
        "k_d = 1 and call it a simplification. With the root you would have:"
    )
    names = {4: ("scaled",), 5: ("scaled", "weights"), 7: ("weights", "output"), 8: ("weights", "output")}[number]
    equation([Line((right[name].renamed(f"{name}_root"),)) for name in names], key="root", digits=parameters.decimals, abreast=True)


def _picture(example, trace, heads, number):
    if number < 9:
        st.subheader("Who attends to whom", anchor=False)
        charts.shares(trace.weights, example.tokens, example.key_tokens, key="shares")
        return
    st.subheader("Who attends to whom, head by head", anchor=False)
    for h, column in enumerate(st.columns(min(heads.n_heads, 3))):
        with column:
            st.caption(f"Head {h + 1}")
            charts.shares(heads.heads.weights[h], example.tokens, example.key_tokens, key=f"shares{h}")


def _input(m, example, **_):
    given = (m["x"],) if example.context is None else (m["x"], m["context"])
    return [Line(given, "One row a token, one column a feature")]


def _weights(m, **_):
    biases = tuple(m[name] for name in ("b_q", "b_k", "b_v") if name in m)
    return [Line((m["w_q"], m["w_k"], m["w_v"])), *([Line(biases, "Biases")] if biases else [])]


def _projections(m, example, **_):
    source = "x" if example.context is None else "context"
    pairs = (("x", "q"), (source, "k"), (source, "v"))
    return [Line((m[x], "·", m[f"w_{name}"], *(("+", m[f"b_{name}"]) if f"b_{name}" in m else ()), "=", m[name])) for x, name in pairs]


def _scores(m, masked, **_):
    last = (Sign("mask", arrow=True), m["masked"]) if masked else ()
    return [Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"])), Line((m["scores"], Sign("scale", arrow=True), m["scaled"], *last))]


def _softmax(m, masked, **_):
    return [Line((m["masked" if masked else "scaled"], Sign("softmax of each row", arrow=True), m["weights"].with_sums("rows")))]


def _weighted(m, token, **_):
    return [Line((m["weights"].row(token, f"A_{token + 1}"), "times the rows of", m["v"], "=", m["terms"]))]


def _sum(m, token, **_):
    return [
        Line((m["terms"].with_sums("columns"), Sign("add down", arrow=True), m["output"].row(token, f"Z_{token + 1}"))),
        Line((m["weights"].row(token, f"A_{token + 1}"), "·", m["v"], "=", m["output"].row(token, f"Z_{token + 1}")), "The same as one product"),
    ]


def _every_token(m, **_):
    return [Line((m["weights"], "·", m["v"], "=", m["output"]))]


def _heads(m, heads, **_):
    blocks = Line((m["q"], m["k"], m["v"]), f"{heads.n_heads} heads: each owns one block of columns, told apart by the line below")
    each = [Line((m[f"weights.{h}"], "·", f"V_{h + 1}", "=", m[f"heads.{h}"]), f"Head {h + 1}") for h, _ in enumerate(heads.heads.output)]
    return [blocks, *each]


def _concatenate(m, heads, **_):
    side_by_side = tuple(m[f"heads.{h}"] for h, _ in enumerate(heads.heads.output))
    return [
        Line((*side_by_side, Sign("side by side", arrow=True), m["concat"])),
        Line((m["concat"], "·", m["w_o"], "=", m["output"]), "W^O mixes what the heads found and brings it back to the width of the input"),
    ]


STEPS = (
    Step("Every token is a vector: one row.", r"X \in \mathbb{R}^{n \times d_{\text{model}}}", "import numpy as np\n\nn_q, d_model = x.shape", _input),
    Step(
        "Three learned matrices, each as high as a token is wide. Their width is d_k or d_v; it has nothing to do with the number of tokens.",
        r"W^Q, W^K \in \mathbb{R}^{d_{\text{model}} \times d_k}, \quad W^V \in \mathbb{R}^{d_{\text{model}} \times d_v}",
        "d_k, d_v = w_q.shape[-1], w_v.shape[-1]",
        _weights,
    ),
    Step(
        "Each token is turned into what it asks, what it offers, and what it hands over. These are matrix products, `@`, not `*`.",
        r"Q = X W^Q + b^Q, \quad K = X W^K + b^K, \quad V = X W^V + b^V",
        "q = x @ w_q + b_q\nk = context @ w_k + b_k   # the context is x itself in self-attention\nv = context @ w_v + b_v",
        _projections,
    ),
    Step(
        "Every query meets every key. Divided by √d_k, scores keep their size however wide the keys are; a mask then forbids with −∞.",
        r"S' = \frac{Q K^\top}{\sqrt{d_k}}",
        "scores = q @ k.T\nscaled = scores * scale   # scale is 1 / np.sqrt(d_k)\nmasked = np.where(mask, scaled, -np.inf)",
        _scores,
    ),
    Step(
        "Each row becomes shares that sum to 1: how much each token attends to each other.",
        r"A_{ij} = \frac{e^{M_{ij}}}{\sum_{j'} e^{M_{ij'}}}",
        "powers = np.exp(masked - masked.max(axis=-1, keepdims=True))\nweights = powers / powers.sum(axis=-1, keepdims=True)",
        _softmax,
    ),
    Step(
        "One token’s weights multiply the values, each its own row. The notebooks call these rows “Attention 1, 2, 3”; they are the terms "
        "of one output.",
        r"T_{j} = A_{ij} V_{j}",
        "terms = weights[token][:, None] * v",
        _weighted,
    ),
    Step("Add the terms: that is what this token takes away.", r"Z_{i} = \sum_j A_{ij} V_{j}", "output_of_token = terms.sum(axis=0)", _sum),
    Step(
        "The same for every token at once. The notebooks stop after the first input and go on with random numbers.",
        r"Z = A V",
        "output = weights @ v",
        _every_token,
    ),
    Step(
        "Several attentions side by side: each head takes its own block of columns of Q, K and V, and sees every token. Its scale is that of its own, "
        "narrower width. The notebooks draw noise here; these heads are computed.",
        r"\text{head}_h = \operatorname{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{d_k}}\right) V_h",
        "def split(m):\n    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)\n\n"
        "def attend(q, k, v):\n    scores = q @ k.swapaxes(-1, -2) * (head_scale or q.shape[-1] ** -0.5)\n"
        "    masked = np.where(mask, scores, -np.inf)\n    powers = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
        "    return powers / powers.sum(axis=-1, keepdims=True) @ v\n\nheads = attend(split(q), split(k), split(v))",
        _heads,
    ),
    Step(
        "The heads’ outputs stand side by side, and one more learned matrix mixes them.",
        r"\operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h) \, W^O",
        "concat = heads.swapaxes(0, 1).reshape(n_q, -1)\nmulti_head_output = concat @ w_o",
        _concatenate,
    ),
)


frame.page(
    __file__,
    body,
    parameters=Attention,
    concept="Attention, step by step",
    question="How does a token take in what the others say?",
    group="Put together",
    icon="stairs_2",
    sources=[
        "[Vaswani et al. 2017, eq. 1 and section 3.2.2](https://arxiv.org/abs/1706.03762)",
        "[Prince 2023, Understanding Deep Learning, chapter 12](https://udlbook.github.io/udlbook/)",
        "Course notebooks 000 and 001, whose ten steps these are; after Rothman, Transformers for Natural Language Processing, chapter 2",
    ],
)
