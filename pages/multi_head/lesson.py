"""The matrices of several heads, why there are several, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from attention_core.arithmetic.training_rules import add_and_norm_rules
from attention_core.caching import cache_recent
from attention_core.examples import Example
from attention_core.experiments.heads import Cost
from attention_core.experiments.saturation import TwoWants, two_wants
from attention_core.heads import MultiHeadTrace
from attention_core.normalization import AddAndNormTrace, add_and_norm
from pages.shared import charts
from pages.shared.equation import Line, Matrix, Sign
from pages.shared.equation.computation import Computation
from pages.shared.notation.glossary import define
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import whom
from pages.shared.site.menu import offer_example

FEW = 4  # up to so many heads are drawn with all steps; if there are more, only the first two are
MOST_HEADS = 8  # the greatest number of heads that are drawn one by one

Matrices = Mapping[str, Matrix]


def board(m: Matrices, trace: MultiHeadTrace) -> list[Line]:
    """Return one equation for each of the first heads, and one equation with the outputs of the other heads.

    `m` holds the matrices of the page by name.
    """
    n, in_full = min(trace.n_heads, MOST_HEADS), heads_in_full(trace.n_heads)
    others = tuple(m[f"heads.{h}"] for h in range(in_full, n))
    between = [Line(others, "The outputs of the other heads, computed in the same way")] if others else []
    return [*(_head(m, trace, h) for h in range(in_full)), *between]


def output_equation(m: Matrices) -> Line:
    """Return the product of all heads with W^O. `m` holds the matrices of the page by name."""
    return Line((m["concat"], "·", m["w_o"], "=", m["output"]), "The outputs of all heads side by side, times W^O")


def heads_in_full(n_heads: int) -> int:
    """Return how many heads are drawn with all steps from their scores to their output.

    These are all heads if there are at most 4. Otherwise only the first 2 are drawn in this way.
    """
    return n_heads if n_heads <= FEW else 2


def _head(m: Matrices, trace: MultiHeadTrace, h: int) -> Line:
    key_head = h // (trace.n_heads // trace.n_kv_heads) + 1
    meet = (f"Q_{h + 1}", "·", f"K_{key_head}^T", "=", m[f"scores.{h}"])
    mix = (m[f"weights.{h}"], "·", f"V_{key_head}", "=", m[f"heads.{h}"])
    return Line(
        (*meet, Sign("softmax", arrow=True), *mix), f"Head {h + 1}: its scores are divided by √d_k before softmax"
    )


def sum_equation(m: Matrices, trace: MultiHeadTrace) -> Line:
    """Return the output as a sum with one summand for each head: the head times its own rows of W^O."""
    n = min(trace.n_heads, MOST_HEADS)
    summands = [part for h in range(n) for part in ("+", m[f"shares.{h}"])][1:]
    equals = Sign(f"+ {trace.n_heads - n} more =") if trace.n_heads > n else "="
    return Line((*summands, equals, m["output"]), "Each head times its own rows of W^O")


def draw_why_heads(example: Example, one: np.ndarray, heads: np.ndarray, decimals: int) -> None:
    """Draw a text and a picture of the token that gains most from two heads. If no token gains, say so.

    `one` holds the weights of one head (n_q, n_k), and `heads` the weights of several heads (n_heads, n_q, n_k).
    """
    wants = two_wants(one, heads)
    if wants is None:
        _draw_no_gain()
        return
    st.markdown(why_several_heads(example, wants, len(heads), decimals))
    _draw_shares(example, wants, one, heads)


def why_several_heads(example: Example, wants: TwoWants, n_heads: int, decimals: int) -> str:
    """Return a text that says how two keys share the weight of one head, and how much each gets with two heads.

    `wants` has a token, two keys, and their weights with one head and with two heads.
    """
    found = (whom(example.tokens, example.key_tokens, wants.token, key) for key in wants.keys)
    alone, apart = ([format_as_shown(weight, decimals) for weight in weights] for weights in (wants.alone, wants.apart))
    (first, second), (a, b) = found, (head + 1 for head in wants.heads)
    return (
        f"“{example.tokens[wants.token]}” {_wants_text(example, wants, n_heads)}. **With one head, a token has 1 unit "
        "of attention, which it must divide**: "
        f"{alone[0]} for {first} and {alone[1]} for {second}. With two heads it has 1 unit in each: in head "
        f"{a} it attends to {first} with **{apart[0]}**, in head {b} to {second} with "
        f"**{apart[1]}**."
    )


def _wants_text(example: Example, wants: TwoWants, n_heads: int) -> str:
    names = example.names.v
    if len(names) != n_heads:
        return "looks for two things at once"
    first, second = (names[head] for head in wants.heads)
    return f"needs two features at once, *{first}* and *{second}*"


def _draw_shares(example: Example, wants: TwoWants, one: np.ndarray, heads: np.ndarray) -> None:
    weights = np.stack([one[wants.token], *(heads[head, wants.token] for head in wants.heads)])
    names = ("one head", *(f"head {head + 1}" for head in wants.heads))
    charts.shares(weights, names, example.key_tokens, key="one_or_two")


def _draw_no_gain() -> None:
    st.markdown(
        "With several heads, a token can look for several others at once. In this example no token needs that: none "
        "attends more to a token with two heads than with one."
    )
    offer_example("story", "A token that needs two: **What does “it” refer to?**")


@cache_recent
def add_and_norm_of_heads(example: Example, heads: MultiHeadTrace) -> AddAndNormTrace:
    """Return the computation that adds the output of all heads to the input, and normalises the sum."""
    return add_and_norm(example.x, heads.output)


def reasons_text(example: Example, trace: AddAndNormTrace, decimals: int) -> str:
    """Return a text that says why the output is added to the input, and why the sum is normalised.

    The numbers are those of the token that the heads change most.
    """
    gains = np.abs(trace.found)
    token, gained = map(int, np.unravel_index(int(gains.argmax()), gains.shape))
    own = int(np.abs(trace.x[token]).argmax())
    feature = partial(_feature, example.names.x)

    def say(value: float) -> str:
        return format_as_shown(float(value), decimals)

    return (
        "## Around the heads: add, then normalise\n\n"
        f"**Why add?** The output of the heads is added to the input, so no token loses its own row: "
        f"“{example.tokens[token]}” keeps its **{say(trace.x[token, own])}** {feature(own)}, and "
        f"**{say(trace.found[token, gained])}** {feature(gained)} is added. The heads need to compute only what is "
        f"missing. In training, the {define('gradient')} of a sum reaches both summands unchanged, however many layers "
        "there are.\n\n"
        "**Why normalise?** Each layer adds something, so the numbers would grow from layer to layer. The features of "
        f"each token are therefore brought to mean 0 and spread 1. Before this, the spreads here are from "
        f"{say(trace.norm.spread.min())} to {say(trace.norm.spread.max())}. After it, a small network works on each "
        "token by itself. Most models today normalise before the heads, and leave the sum as it is."
    )


def _feature(names: tuple[str, ...], column: int) -> str:
    return f"of *{names[column]}*" if names else f"in column {column + 1}"


def lines(m: Mapping[str, Matrix], trace: AddAndNormTrace) -> list[Line]:
    """Return two lines: the input plus the output of the heads, and the normalised sum.

    `m` holds the matrices of the page by name.
    """
    worked = Computation(add_and_norm_rules(trace), rename=lambda name: "output" if name == "mixed" else name)
    rows, features = {"row_labels": m["x"].row_labels}, {"column_labels": m["x"].column_labels}

    def matrix(name: str, values: np.ndarray, **more) -> Matrix:
        return Matrix.named(name, values, **rows, **more).with_computation(worked)

    x, summed = m["x"], matrix("summed", trace.summed, **features)
    means, spreads = matrix("means", trace.norm.mean, limit=1.0), matrix("spreads", trace.norm.spread, limit=1.0)
    normed = matrix("normed", trace.output, **features)
    return [
        Line((x, "+", m["output"], "=", summed), "The input and the output of the heads, added"),
        Line(
            (means, spreads, Sign("(U − μ) ÷ σ", arrow=True), normed), "Each row minus its mean, divided by its spread"
        ),
    ]


def price_text(one: Cost, several: Cost, n_heads: int) -> str:
    """Return a text with a table that compares the cost of `n_heads` heads with that of one wide head.

    `one` is the cost of the wide head, and `several` is the cost of the heads that the visitor has chosen.
    """
    rows = (
        ("learned numbers", one.parameters, several.parameters),
        ("additions and multiplications", one.flops, several.flops),
        ("powers of e in softmax", one.exponentials, several.exponentials),
        ("numbers to keep for each token", one.kv_cache, several.kv_cache),
    )
    table = "\n".join(f"| {name} | {wide:,} | {now:,} |" for name, wide, now in rows)
    return (
        "## What heads cost\n\n"
        "Several narrow heads cost as much as one wide head. Only softmax costs more, because each head has its own. "
        "In "
        "return, a token can attend in several ways at once. A model that writes word by word keeps the keys and "
        "values "
        "of all words so far, the *KV cache*, so that it need not compute them again. If heads share keys and values, "
        "there is less to keep. Sharing does **not** save scores: every head still compares its own queries with all "
        f"keys, which takes {several.exponentials:,} powers of $e$ here.\n\n"
        f"| what | one wide head | {n_heads} heads, as chosen |\n|---|--:|--:|\n{table}"
    )
