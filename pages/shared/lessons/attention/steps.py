"""The ten steps of attention: what each does, its formula, its code, and the matrices that show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pages.shared.equation import Line
from pages.shared.lessons.attention import step_equations
from pages.shared.lessons.attention.step_equations import Matrices, Walk


@dataclass(frozen=True, slots=True)
class Step:
    """One of the ten steps."""

    name: str
    says: str
    formula: str
    code: str
    columns_code: str
    lines: Callable[[Matrices, Walk], list[Line]]


HEADS_CODE = """\
def split(m):
    return m.reshape(len(m), n_heads, -1).swapaxes(0, 1)

q_heads, k_heads, v_heads = split(q), split(k), split(v)
scaled = q_heads @ k_heads.swapaxes(-1, -2) * head_scale   # 1 / np.sqrt(d_k) of one head
masked = np.where(mask, scaled, -np.inf)
powers = np.exp(masked - masked.max(axis=-1, keepdims=True))
weights = powers / powers.sum(axis=-1, keepdims=True)
heads = weights @ v_heads"""

HEADS_COLUMNS_CODE = """\
def split(m):
    return m.reshape(n_heads, -1, m.shape[-1])

q_heads, k_heads, v_heads = split(q), split(k), split(v)
scaled = k_heads.swapaxes(-1, -2) @ q_heads * head_scale   # 1 / np.sqrt(d_k) of one head
masked = np.where(mask, scaled, -np.inf)
powers = np.exp(masked - masked.max(axis=-2, keepdims=True))
weights = powers / powers.sum(axis=-2, keepdims=True)
heads = v_heads @ weights"""

STEPS = (
    Step(
        "Input",
        "Every token is a vector: one row.",
        r"X \in \mathbb{R}^{n \times d_{\text{model}}}",
        "import numpy as np\n\nn_q, d_model = x.shape",
        "import numpy as np\n\nd_model, n_q = x.shape",
        step_equations.input_lines,
    ),
    Step(
        "Weights",
        "Three learned matrices, each as high as a token is wide. Their width is d_k or d_v; it has nothing to do "
        "with the number of tokens.",
        r"W^Q, W^K \in \mathbb{R}^{d_{\text{model}} \times d_k}, \; W^V \in \mathbb{R}^{d_{\text{model}} \times d_v}",
        "d_k, d_v = w_q.shape[-1], w_v.shape[-1]",
        "d_k, d_v = len(w_q), len(w_v)",
        step_equations.weights_lines,
    ),
    Step(
        "Q K V",
        "Each token is turned into what it asks, what it offers, and what it hands over. These are matrix products, "
        "`@` in NumPy, not `*`.",
        r"Q = X W^Q + b^Q, \quad K = X W^K + b^K, \quad V = X W^V + b^V",
        "q = x @ w_q + b_q\nk = context @ w_k + b_k   # the context is x in self-attention\nv = context @ w_v + b_v",
        "q = w_q @ x + b_q\nk = w_k @ context + b_k   # the context is x in self-attention\nv = w_v @ context + b_v",
        step_equations.projections_lines,
    ),
    Step(
        "Scores",
        "Every query meets every key. Divided by √d_k, scores keep their size however wide the keys are; a mask then "
        "forbids with −∞.",
        r"S' = \frac{Q K^\top}{\sqrt{d_k}}",
        "scores = q @ k.T\nscaled = scores * scale   # 1 / np.sqrt(d_k)\nmasked = np.where(mask, scaled, -np.inf)",
        "scores = k.T @ q\nscaled = scores * scale   # 1 / np.sqrt(d_k)\nmasked = np.where(mask, scaled, -np.inf)",
        step_equations.scores_lines,
    ),
    Step(
        "Softmax",
        "Each row becomes shares that sum to 1: how much each token attends to each other.",
        r"A_{ij} = \frac{e^{S'_{ij}}}{\sum_{j'} e^{S'_{ij'}}}",
        "powers = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
        "weights = powers / powers.sum(axis=-1, keepdims=True)",
        "powers = np.exp(masked - masked.max(axis=0, keepdims=True))\n"
        "weights = powers / powers.sum(axis=0, keepdims=True)",
        step_equations.softmax_lines,
    ),
    Step(
        "Terms",
        "One token’s weights multiply the values, each its own row. The notebooks call these rows “Attention 1, 2, 3”; "
        "they are the terms of one output.",
        r"T_{j} = A_{ij} V_{j}",
        "terms = weights[token][:, None] * v",
        "terms = v * weights[:, token]",
        step_equations.terms_lines,
    ),
    Step(
        "Sum",
        "Add the terms: that is what this token takes away.",
        r"Z_{i} = \sum_j A_{ij} V_{j}",
        "output_of_token = terms.sum(axis=0)",
        "output_of_token = terms.sum(axis=1)",
        step_equations.sum_lines,
    ),
    Step(
        "All tokens",
        "The same for every token at once. The notebooks stop after the first input and go on with random numbers.",
        r"Z = A V",
        "output = weights @ v",
        "output = v @ weights",
        step_equations.every_token_lines,
    ),
    Step(
        "Heads",
        "Several attentions side by side: each head takes its own block of columns of Q, K and V, and sees every "
        "token. Its scale is that of its own, narrower width. The notebooks draw noise here; these heads are computed.",
        r"\text{head}_h = \operatorname{softmax}\!\left(\frac{Q_h K_h^\top}{\sqrt{d_k}}\right) \, V_h",
        HEADS_CODE,
        HEADS_COLUMNS_CODE,
        step_equations.heads_lines,
    ),
    Step(
        "Mix",
        "The heads’ outputs stand side by side, and one more learned matrix, W^O, mixes them.",
        r"\operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h) \, W^O",
        "concat = heads.swapaxes(0, 1).reshape(n_q, -1)\noutput = concat @ w_o",
        "concat = heads.reshape(-1, n_q)\noutput = w_o @ concat",
        step_equations.mix_lines,
    ),
)
