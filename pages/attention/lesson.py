"""The ten steps: their names, formulas, explanations and equations, and what else can be shown of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from attention_core.examples import Example
from attention_core.experiments.training import scores_of_length, weights_around_next_word, weights_beside_filler
from attention_core.heads import MultiHeadTrace
from pages.shared import charts
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.notation.texts import texts_beside
from pages.shared.site.menu import offer_example

TEXTS = texts_beside(__file__)

MASKED = r"M_{ij} = \begin{cases} S'_{ij} & \text{if } i \text{ may attend to } j \\ -\infty & \text{else} \end{cases}"


@dataclass(frozen=True, slots=True)
class Case:
    """The parts of a computation that change how its formulas are written, such as a mask or a bias."""

    scaled: bool = True  # whether scores are divided by the root of d_k
    masked: bool = False
    biases: tuple[str, ...] = ()  # the projections with a bias: "q", "k", "v"
    context: bool = False  # whether keys and values come from a second input


Formula = Callable[[Case], str]  # in LaTeX, written for tokens as rows


def case_of(example: Example, mask: str, scale: float | None) -> Case:
    """Return the `Case` of an example with a kind of mask and a scale, where None means 1/√d_k."""
    biases = tuple(name for name in "qkv" if getattr(example, f"b_{name}") is not None)
    return Case(scale is None, mask != "none", biases, example.context is not None)


def always(latex: str) -> Formula:
    """Return a function that returns the formula `latex` for every `Case`."""
    return lambda case: latex


def projections(case: Case) -> str:
    """Return the formulas of queries, keys and values, such as Q = X W^Q + b^Q if there is a bias."""
    inputs = {"q": "X", "k": "C" if case.context else "X", "v": "C" if case.context else "X"}
    return r", \quad ".join(_projection_formula(name, x, name in case.biases) for name, x in inputs.items())


def _projection_formula(name: str, x: str, biased: bool) -> str:
    letter = name.upper()
    return f"{letter} = {x} W^{letter}" + f" + b^{letter}" * biased


def scores(case: Case) -> str:
    """Return the formulas that lead from the queries and keys to the input of the softmax."""
    scaled = r"S' = \frac{S}{\sqrt{d_k}}" if case.scaled else "S' = S"
    return r", \quad ".join(["S = Q K^\\top", scaled, *[MASKED] * case.masked])


def softmax(case: Case) -> str:
    """Return the formula of the weights."""
    taken = "M" if case.masked else "S'"
    return rf"A_{{ij}} = \frac{{e^{{{taken}_{{ij}}}}}}{{\sum_{{j'}} e^{{{taken}_{{ij'}}}}}}"


def heads(case: Case) -> str:
    """Return the formula of one head, for attention with several heads."""
    scores = r"\frac{Q_i K_i^\top}{\sqrt{d_k}}" if case.scaled else r"Q_i K_i^\top"
    if not case.masked:
        return rf"\text{{head}}_i = \operatorname{{softmax}}\!\left({scores}\right) \, V_i"
    return rf"\text{{head}}_i = \operatorname{{softmax}}(M_i) \, V_i, \quad M_i = \text{{mask}}\left({scores}\right)"


A_BOOK = 100_000  # tokens in a book


def ten_steps_text(parameters: Any, example: Example, weights: np.ndarray, i: int) -> str:
    """Return a text that says what the ten steps achieve, for the token with index `i`."""
    others = weights if example.context is not None else weights * (1 - np.eye(len(weights)))
    j = int(np.argmax(others[i]))
    asks, best = example.tokens[i], example.key_tokens[j]
    return parameters.say(TEXTS, "ten_steps", asks=asks, best=best, share=weights[i, j])


def why_causal(example: Example, weights: np.ndarray, decimals: int, columns: bool = False) -> str:
    """Return a text that says why a mask hides later tokens, with the greatest weight on a next word without a mask."""
    if example.context is not None:
        return TEXTS.fill("nothing_to_hide")
    parts = weights_around_next_word(weights)
    i = int(np.argmax(parts[:, 1]))
    this, following = example.tokens[i : i + 2]
    return TEXTS.fill(
        "why_causal", decimals, columns, this=this, following=following, on_the_next=parts[i, 1], so_far=parts[i, 0],
        n=len(parts),
    )  # fmt: skip


def why_padding(example: Example, weights: np.ndarray, decimals: int, columns: bool = False) -> str:
    """Return a text that says why a mask hides a filler, with the greatest weight on the filler without a mask."""
    given = weights[:-1, -1] if example.context is None else weights[:, -1]
    i = int(np.argmax(given))
    return TEXTS.fill(
        "why_padding" if example.context is None else "why_padding_in_another_text", decimals, columns,
        filler=example.key_tokens[-1], asks=example.tokens[i], given=given[i], total=weights[-1].sum(),
    )  # fmt: skip


def cost_of_length(example: Example) -> str:
    """Return a text that says how many scores there are, and how many a text of twice the length would need."""
    n_q, n_k = len(example.tokens), len(example.key_tokens)
    return TEXTS.fill(
        "cost_of_one_text" if example.context is None else "cost_of_two_texts", n_q=n_q, n_k=n_k,
        now=scores_of_length(n_q, n_k), twice=scores_of_length(n_q, n_k, times=2), d_k=example.w_q.shape[-1],
        book=A_BOOK, of_book=scores_of_length(A_BOOK, A_BOOK),
    )  # fmt: skip


def growth_of_scores(example: Example) -> tuple[list[int], list[int], list[str]]:
    """Return three lists for a chart: lengths of a text, the number of scores at each length, and labels or ""."""
    n_q, n_k = len(example.tokens), len(example.key_tokens)
    ratio, lengths = n_k / n_q, list(range(4 * n_q + 1))
    scores = [round(n * n * ratio) for n in lengths]
    named = {n: TEXTS.fill("point_of_growth", tokens=n, scores=scores[n]) for n in (n_q, 2 * n_q, 4 * n_q)}
    return lengths, scores, [named.get(n, "") for n in lengths]


Matrices = Mapping[str, Matrix]


@dataclass(frozen=True, slots=True)
class Walk:
    """The example whose ten steps are shown, the token that some steps are about, and the results of several heads."""

    example: Example
    token: int  # the index of the token that some steps are about
    case: Case
    heads: MultiHeadTrace
    parameters: Any

    def say(self, section: str, **names: Any) -> str:
        """Return a text of the page for the layout that it shows."""
        return self.parameters.say(TEXTS, section, **names)


def input_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return an equation with the input, and with the second input if there is one."""
    given = (m["x"],) if walk.example.context is None else (m["x"], m["context"])
    return [Line(given, walk.say("line_of_input"))]


def weights_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return an equation with the three learned matrices, and an equation with their biases if there are any."""
    biases = tuple(m[name] for name in ("b_q", "b_k", "b_v") if name in m)
    return [Line((m["w_q"], m["w_k"], m["w_v"])), *([Line(biases, walk.say("line_of_biases"))] if biases else [])]


def projections_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return three products, which give the queries, the keys and the values."""
    source = "x" if walk.example.context is None else "context"
    return [_projection(m, x, name) for x, name in (("x", "q"), (source, "k"), (source, "v"))]


def _projection(m: Matrices, x: str, name: str) -> Line:
    bias = ("+", m[f"b_{name}"]) if f"b_{name}" in m else ()
    return Line((m[x], "·", m[f"w_{name}"], *bias, "=", m[name]))


def scores_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return the product of queries and keys, and an equation in which the scores are scaled and perhaps masked."""
    mask = (Sign(walk.say("arrow_of_mask"), arrow=True), m["masked"]) if walk.case.masked else ()
    scale = "÷ √d_k" if walk.case.scaled else walk.say("arrow_of_no_scale")
    return [
        Line((m["q"], "·", m["k"].transpose("K^T"), "=", m["scores"])),
        Line((m["scores"], Sign(scale, arrow=True), m["scaled"], *mask)),
    ]


def softmax_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return the equation in which softmax turns the scores into weights."""
    scores = m["masked" if walk.case.masked else "scaled"]
    arrow = Sign(walk.say("arrow_of_softmax"), arrow=True)
    return [Line((scores, arrow, m["weights"].with_sums("rows")))]


def terms_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return the equation in which the weights of one token multiply the rows of the values."""
    one = m["weights"].row(walk.token, f"a_{walk.token + 1}")
    return [Line((one, walk.say("times_the_rows"), m["v"], "=", m["terms"]))]


def sum_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return two equations for the output of one token: as a sum of terms, and as one product."""
    weights = m["weights"].row(walk.token, f"a_{walk.token + 1}")
    output = m["output"].row(walk.token, f"z_{walk.token + 1}")
    return [
        Line((m["terms"].with_sums("columns"), Sign(walk.say("arrow_of_sum"), arrow=True), output)),
        Line((weights, "·", m["v"], "=", output), walk.say("line_of_one_product")),
    ]


def every_token_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return the product that gives the outputs of all tokens at once."""
    return [Line((m["weights"], "·", m["v"], "=", m["output"]))]


def heads_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return an equation with the queries, keys and values of all heads, and then one equation for each head."""
    label = walk.say("line_of_blocks", n_heads=walk.heads.n_heads)
    each = [
        Line((m[f"weights.{h}"], "·", f"V_{h + 1}", "=", m[f"heads.{h}"]), walk.say("label_of_head", number=h + 1))
        for h in range(walk.heads.n_heads)
    ]
    return [Line((m["q"], m["k"], m["v"]), label), *each]


def mix_lines(m: Matrices, walk: Walk) -> list[Line]:
    """Return an equation that puts the heads' outputs side by side, and an equation that multiplies them by W^O."""
    abreast = tuple(m[f"heads.{h}"] for h in range(walk.heads.n_heads))
    label = walk.say("line_of_mix")
    return [
        Line((*abreast, Sign(walk.say("arrow_of_heads"), arrow=True), m["concat"])),
        Line((m["concat"], "·", m["w_o"], "=", m["output"]), label),
    ]


@dataclass(frozen=True, slots=True)
class Step:
    """One of the ten steps: its formula, its code in both layouts, its equations, and the sections of its texts."""

    name: str
    says: str
    formula: Formula
    code: str
    columns_code: str
    lines: Callable[[Matrices, Walk], list[Line]]
    masked: str = ""  # the section that explains the step with a mask, if it is another

    def explanation(self, parameters: Any, *, masked: bool) -> str:
        """Return the text that explains the step, with a mask or without."""
        return parameters.say(TEXTS, self.masked if masked and self.masked else self.says)


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
        "name_of_input",
        "input_step",
        always(r"X \in \mathbb{R}^{n \times d_{\text{model}}}"),
        "import numpy as np\n\nn_q, d_model = x.shape",
        "import numpy as np\n\nd_model, n_q = x.shape",
        input_lines,
    ),
    Step(
        "name_of_weights",
        "weights_step",
        always(
            r"W^Q, W^K \in \mathbb{R}^{d_{\text{model}} \times d_k}, \; "
            r"W^V \in \mathbb{R}^{d_{\text{model}} \times d_v}"
        ),
        "d_k, d_v = w_q.shape[-1], w_v.shape[-1]",
        "d_k, d_v = len(w_q), len(w_v)",
        weights_lines,
    ),
    Step(
        "name_of_projections",
        "projections_step",
        projections,
        "q = x @ w_q + b_q\nk = context @ w_k + b_k   # the context is x in self-attention\nv = context @ w_v + b_v",
        "q = w_q @ x + b_q\nk = w_k @ context + b_k   # the context is x in self-attention\nv = w_v @ context + b_v",
        projections_lines,
    ),
    Step(
        "name_of_scores",
        "scores_step",
        scores,
        "scores = q @ k.T\nscaled = scores * scale   # 1 / np.sqrt(d_k)\nmasked = np.where(mask, scaled, -np.inf)",
        "scores = k.T @ q\nscaled = scores * scale   # 1 / np.sqrt(d_k)\nmasked = np.where(mask, scaled, -np.inf)",
        scores_lines,
        "masked_scores_step",
    ),
    Step(
        "name_of_softmax",
        "softmax_step",
        softmax,
        "powers = np.exp(masked - masked.max(axis=-1, keepdims=True))\n"
        "weights = powers / powers.sum(axis=-1, keepdims=True)",
        "powers = np.exp(masked - masked.max(axis=0, keepdims=True))\n"
        "weights = powers / powers.sum(axis=0, keepdims=True)",
        softmax_lines,
        "masked_softmax_step",
    ),
    Step(
        "name_of_terms",
        "terms_step",
        always(r"(\text{Terms}_{i})_{j} = A_{ij} V_{j}"),
        "terms = weights[token][:, None] * v",
        "terms = v * weights[:, token]",
        terms_lines,
    ),
    Step(
        "name_of_sum",
        "sum_step",
        always(r"z_{i} = \sum_j A_{ij} V_{j}"),
        "output_of_token = terms.sum(axis=0)",
        "output_of_token = terms.sum(axis=1)",
        sum_lines,
    ),
    Step(
        "name_of_all_tokens",
        "all_tokens_step",
        always(r"Z = A V"),
        "output = weights @ v",
        "output = v @ weights",
        every_token_lines,
    ),
    Step(
        "name_of_heads",
        "heads_step",
        heads,
        HEADS_CODE,
        HEADS_COLUMNS_CODE,
        heads_lines,
    ),
    Step(
        "name_of_mix",
        "mix_step",
        always(r"Y = \operatorname{Concat}(\text{head}_1, \ldots, \text{head}_h) \, W^O"),
        "concat = heads.swapaxes(0, 1).reshape(n_q, -1)\noutput = concat @ w_o",
        "concat = heads.reshape(-1, n_q)\noutput = w_o @ concat",
        mix_lines,
    ),
)


def draw_future(example: Example, unmasked: np.ndarray, decimals: int) -> None:
    """Draw the view about later words: a text, and a picture of how tokens divide their weights without a mask."""
    why = TEXTS.fill("view_of_future", why=why_causal(example, unmasked, decimals))
    if example.context is not None:
        st.markdown(why)
        offer_example("story", TEXTS.fill("see_the_story"))
        return
    st.markdown(f"{why}\n\n{TEXTS.fill('caption_of_future')}")
    parts = weights_around_next_word(unmasked)
    names = [TEXTS.fill(section) for section in ("so_far", "the_next_word", "later")]
    charts.shares(parts, example.tokens[:-1], names, key="future")


def draw_padding(example: Example, unmasked: np.ndarray, decimals: int) -> None:
    """Draw the view about fillers, which make texts equally long: how much tokens attend to them without a mask."""
    why = TEXTS.fill("view_of_padding", why=why_padding(example, unmasked, decimals))
    st.markdown(f"{why}\n\n{TEXTS.fill('caption_of_padding')}")
    names = [TEXTS.fill(section) for section in ("the_words", "the_filler")]
    charts.shares(weights_beside_filler(unmasked), example.tokens, names, key="padding")


def draw_cost(example: Example) -> None:
    """Draw the view about the length of a text: how the number of scores grows with the length."""
    st.markdown(cost_of_length(example))
    charts.growth(*growth_of_scores(example), key="cost")


def draw_heads_side_by_side(example: Example, weights_of_heads: np.ndarray) -> None:
    """Draw one picture for each head, which shows how much each token attends to each token."""
    st.markdown(TEXTS.fill("view_of_heads"))
    with st.container(horizontal=True):
        for h, weights in enumerate(weights_of_heads):
            with st.container(width=440):
                st.caption(TEXTS.fill("label_of_head", number=h + 1))
                charts.shares(weights, example.tokens, example.key_tokens, key=f"shares{h}")
