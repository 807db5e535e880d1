"""The formulas and the explanations of the ten steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from attention_core.examples import Example
from attention_core.experiments.training import scores_of_length, weights_around_next_word
from pages.shared.notation.texts import texts_beside

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
    return r", \quad ".join(_projection(name, x, name in case.biases) for name, x in inputs.items())


def _projection(name: str, x: str, biased: bool) -> str:
    letter = name.upper()
    return f"{letter} = {x} W^{letter}" + f" + b^{letter}" * biased


def scores(case: Case) -> str:
    """Return the formulas that lead from the queries and keys to the input of the softmax."""
    scaled = r"S' = \frac{S}{\sqrt{d_k}}" if case.scaled else "S' = S"
    return r", \quad ".join(["S = Q K^\\top", scaled, *[MASKED] * case.masked])


def softmax(case: Case) -> str:
    """Return the formula of the weights. It begins with the masked scores if there is a mask."""
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
