"""The formulas and the explanations of the ten steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attention_core.examples import Example
from attention_core.experiments.training import scores_of_length, weights_around_next_word
from pages.shared.notation.numbers import format_as_shown

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
    """Return the `Case` of an example with a mask and a scale: it decides how the formulas are written.

    `mask` is the kind of the mask, such as "none". If `scale` is None, the factor is 1/√d_k.
    """
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


def ten_steps_text(example: Example, weights: np.ndarray, i: int, decimals: int) -> str:
    """Return a text that says what the ten steps achieve, for the token with index `i`.

    The text names the other token that token `i` attends to most, and the weight.
    """
    others = weights if example.context is not None else weights * (1 - np.eye(len(weights)))
    j = int(np.argmax(others[i]))
    share = format_as_shown(float(weights[i, j]), decimals)
    return (
        "**Each row of $X$ describes one token alone.** In ten steps, each token takes information from the others. At "
        f"step 8, “{example.tokens[i]}” takes the value of “{example.key_tokens[j]}” times **{share}**."
    )


def why_causal(example: Example, weights: np.ndarray, decimals: int) -> str:
    """Return a text that says why a mask hides later tokens. `weights` are the attention weights without a mask.

    The text gives the greatest weight that a token would have on the next word, which the model has to predict.
    """
    if example.context is not None:
        return (
            "Here there is no reason to hide them: the tokens that answer are in another text, which is complete from "
            "the start."
        )
    on_the_next = weights_around_next_word(weights)[:, 1]
    i = int(np.argmax(on_the_next))
    this, following = example.tokens[i : i + 2]
    return (
        f"A model that writes has to guess each next word. After “{this}” comes “{following}”. Without a mask, "
        f"“{this}” "
        f"attends to this word with **{format_as_shown(float(on_the_next[i]), decimals)}**. In training it could copy "
        "the answer instead of guessing it. When the model writes, there is no answer to copy. With a mask, this "
        "weight "
        f"is 0, and one pass over the text trains all {len(on_the_next)} guesses at once ({len(on_the_next) + 1} with "
        "a "
        "token for the start). Writing needs one pass for each word, because the next word is not there yet.\n\n"
        "**The mask must come before softmax.** A score of −∞ has the power 0, and the weights of the other words add "
        "up "
        f"to 1. If you set weights to 0 after softmax, those of “{this}” add up to only "
        f"**{format_as_shown(float(weights_around_next_word(weights)[i, 0]), decimals)}**."
    )


def why_padding(example: Example, weights: np.ndarray, decimals: int) -> str:
    """Return a text that says why a mask hides a filler, a token without meaning that makes all texts equally long.

    `weights` are the weights without a mask. The text gives the greatest weight of a token on the filler.
    """
    filler, given = example.key_tokens[-1], weights[:-1, -1] if example.context is None else weights[:, -1]
    i = int(np.argmax(given))
    return (
        "Sentences that are computed together are filled up to the same length. Suppose "
        f"“{filler}” is such a filler. It means nothing, but without a mask “{example.tokens[i]}” attends to it with "
        f"**{format_as_shown(float(given[i]), decimals)}**. The mask writes −∞ into its column of scores, so its "
        "weight becomes 0. A score of 0 would not be enough, because $e^0 = 1$ makes a weight like any other.\n\n"
        f"The filler has a row of its own, {_filler_row_text(example, weights, decimals)}. This row does no harm: "
        "no other token attends to the filler, and its output does not count in the loss."
    )


def _filler_row_text(example: Example, weights: np.ndarray, decimals: int) -> str:
    """Return the end of the sentence “The filler has a row of its own, …”: what the weights in this row add up to.

    A filler makes texts equally long. In cross-attention it is only a key, so it has no row of weights. Then the end
    says in which text the filler has a row: “in the text that answers”.
    """
    if example.context is not None:
        return "in the text that answers"
    return f"and its weights add up to {format_as_shown(float(weights[-1].sum()), decimals)} as in every row"


def cost_of_length(example: Example) -> str:
    """Return a text that says how many scores there are, and how many a text of twice the length would need."""
    n_q, n_k = len(example.tokens), len(example.key_tokens)
    d_k = example.w_q.shape[-1]
    now, twice = scores_of_length(n_q, n_k), scores_of_length(n_q, n_k, times=2)
    each = f"{n_q} tokens, ${n_q}^2$ =" if example.context is None else f"{n_q} that ask times {n_k} that answer,"
    return (
        f"There is a score for every token that asks and every token that answers: {each} **{now:,}** scores. A text "
        f"that is twice as long needs **{twice:,}**, four times as many. A book of {A_BOOK:,} tokens needs "
        f"{scores_of_length(A_BOOK, A_BOOK):,} in each head. This square makes long texts expensive.\n\n"
        f"**Time** grows with $n^2 d_k$, where $n$ is the number of tokens: each of the {now:,} scores is a sum of "
        f"$d_k$ = {d_k} products, {now * d_k:,} in total. **Memory** grows with $n^2$ for the scores, {now:,} numbers, "
        "but only with $n$ for keys and values."
    )


def growth_of_scores(example: Example) -> tuple[list[int], list[int], list[str]]:
    """Return three lists for a chart: lengths of a text, the number of scores at each length, and labels.

    The lengths go from 0 to four times the number of tokens of the example. Most lengths have the label "".
    """
    n_q, n_k = len(example.tokens), len(example.key_tokens)
    ratio, lengths = n_k / n_q, list(range(4 * n_q + 1))
    scores = [round(n * n * ratio) for n in lengths]
    named = {n_q * times: f"{n_q * times} tokens: {scores[n_q * times]:,}" for times in (1, 2, 4)}
    return lengths, scores, [named.get(n, "") for n in lengths]
