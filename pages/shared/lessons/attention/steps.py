"""The ten steps of attention: what each step does, its formula, its code, and the equations that show its matrices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pages.shared.equation import Line
from pages.shared.lessons.attention import formulas, step_equations
from pages.shared.lessons.attention.formulas import always
from pages.shared.lessons.attention.step_equations import Matrices, Walk


@dataclass(frozen=True, slots=True)
class Step:
    """One of the ten steps: its name, its explanation, its formula, its code in both layouts, and its equations."""

    name: str
    says: str
    formula: formulas.Formula
    code: str
    columns_code: str
    lines: Callable[[Matrices, Walk], list[Line]]
    masked: str = ""  # a further sentence if there is a mask

    def explanation(self, *, masked: bool) -> str:
        """Return the text that explains the step. With a mask, the text has a further sentence."""
        return f"{self.says} {self.masked}" if masked and self.masked else self.says


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
        "Every token is a row of numbers. Each column is one feature.",
        always(r"X \in \mathbb{R}^{n \times d_{\text{model}}}"),
        "import numpy as np\n\nn_q, d_model = x.shape",
        "import numpy as np\n\nd_model, n_q = x.shape",
        step_equations.input_lines,
    ),
    Step(
        "Weights",
        "Three learned matrices say what each feature adds to a query, a key and a value. Each has one row for each "
        "feature of a token. The number of tokens does not matter, so they serve a sentence of any length.",
        always(
            r"W^Q, W^K \in \mathbb{R}^{d_{\text{model}} \times d_k}, \; "
            r"W^V \in \mathbb{R}^{d_{\text{model}} \times d_v}"
        ),
        "d_k, d_v = w_q.shape[-1], w_v.shape[-1]",
        "d_k, d_v = len(w_q), len(w_v)",
        step_equations.weights_lines,
    ),
    Step(
        "Q K V",
        "Each token gets three rows: a query, which says what it looks for; a key, by which it can be found; and a "
        "value, which others take from it. These are matrix products, `@` in NumPy, not `*`.",
        formulas.projections,
        "q = x @ w_q + b_q\nk = context @ w_k + b_k   # the context is x in self-attention\nv = context @ w_v + b_v",
        "q = w_q @ x + b_q\nk = w_k @ context + b_k   # the context is x in self-attention\nv = w_v @ context + b_v",
        step_equations.projections_lines,
    ),
    Step(
        "Scores",
        "Each score is the dot product of a query and a key. The better they fit, the greater the score. A score is a "
        "sum of d_k products. Divided by √d_k, scores have the same size for keys of any width.",
        formulas.scores,
        "scores = q @ k.T\nscaled = scores * scale   # 1 / np.sqrt(d_k)\nmasked = np.where(mask, scaled, -np.inf)",
        "scores = k.T @ q\nscaled = scores * scale   # 1 / np.sqrt(d_k)\nmasked = np.where(mask, scaled, -np.inf)",
        step_equations.scores_lines,
        "The mask writes −∞ where a token must not attend.",
    ),
    Step(
        "Softmax",
        "Each row of scores becomes a row of weights, which are positive and add up to 1. They say how much a token "
        "attends to each token.",
        formulas.softmax,
        "powers = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
        "weights = powers / powers.sum(axis=-1, keepdims=True)",
        "powers = np.exp(masked - masked.max(axis=0, keepdims=True))\n"
        "weights = powers / powers.sum(axis=0, keepdims=True)",
        step_equations.softmax_lines,
        "$e^{-\\infty} = 0$, so a hidden token has weight 0, and the others still add up to 1.",
    ),
    Step(
        "Terms",
        "Follow one token: each value, times the weight that this token has for it. These rows are the terms of its "
        "output.",
        always(r"(\text{Terms}_{i})_{j} = A_{ij} V_{j}"),
        "terms = weights[token][:, None] * v",
        "terms = v * weights[:, token]",
        step_equations.terms_lines,
    ),
    Step(
        "Sum",
        "Add the terms. The sum is the output of this token: all values, each times its weight.",
        always(r"z_{i} = \sum_j A_{ij} V_{j}"),
        "output_of_token = terms.sum(axis=0)",
        "output_of_token = terms.sum(axis=1)",
        step_equations.sum_lines,
    ),
    Step(
        "All tokens",
        "One matrix product does the same for all tokens at once. Each row of Z is the output of one token. In "
        "self-attention, one number of X changes a query and a key, so it can change a row and a column of the scores. "
        "Through softmax it can then change every row of Z.",
        always(r"Z = A V"),
        "output = weights @ v",
        "output = v @ weights",
        step_equations.every_token_lines,
    ),
    Step(
        "Heads",
        "One row of weights cannot serve two needs at once. So several heads work side by side. Each has its own block "
        "of columns of Q, K and V, and its own weights for all tokens. Here d_k is the width of that block.",
        formulas.heads,
        HEADS_CODE,
        HEADS_COLUMNS_CODE,
        step_equations.heads_lines,
    ),
    Step(
        "Mix",
        "The outputs of the heads are put side by side. One more learned matrix, W^O, mixes them and brings them back "
        "to the width of a token, so that the next layer can continue.",
        always(r"Y = \operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h) \, W^O"),
        "concat = heads.swapaxes(0, 1).reshape(n_q, -1)\noutput = concat @ w_o",
        "concat = heads.reshape(-1, n_q)\noutput = w_o @ concat",
        step_equations.mix_lines,
    ),
)
