"""The matrices of several heads, why there are several, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from pages.shared.notation.prose import whom
from pages.shared.notation.texts import texts_beside
from pages.shared.site.menu import offer_example

TEXTS = texts_beside(__file__)

FEW = 4  # up to so many heads are drawn with all steps; if there are more, only the first two are
MOST_HEADS = 8  # the greatest number of heads that are drawn one by one

Matrices = Mapping[str, Matrix]


def board(parameters: Any, m: Matrices, trace: MultiHeadTrace) -> list[Line]:
    """Return one equation for each of the first heads, and one equation with the outputs of the other heads."""
    n, in_full = min(trace.n_heads, MOST_HEADS), heads_in_full(trace.n_heads)
    others = tuple(m[f"heads.{h}"] for h in range(in_full, n))
    between = [Line(others, parameters.say(TEXTS, "line_of_other_heads"))] if others else []
    return [*(_head(parameters, m, trace, h) for h in range(in_full)), *between]


def output_equation(parameters: Any, m: Matrices) -> Line:
    """Return the product of all heads with W^O."""
    label = parameters.say(TEXTS, "line_of_mixed_heads")
    return Line((m["concat"], "·", m["w_o"], "=", m["output"]), label)


def heads_in_full(n_heads: int) -> int:
    """Return how many heads are drawn with all steps: all if there are few, otherwise the first 2."""
    return n_heads if n_heads <= FEW else 2


def _head(parameters: Any, m: Matrices, trace: MultiHeadTrace, h: int) -> Line:
    key_head = h // (trace.n_heads // trace.n_kv_heads) + 1
    meet = (f"Q_{h + 1}", "·", f"K_{key_head}^T", "=", m[f"scores.{h}"])
    mix = (m[f"weights.{h}"], "·", f"V_{key_head}", "=", m[f"heads.{h}"])
    label = parameters.say(TEXTS, "line_of_head", number=h + 1)
    return Line((*meet, Sign("softmax", arrow=True), *mix), label)


def sum_equation(parameters: Any, m: Matrices, trace: MultiHeadTrace) -> Line:
    """Return the output as a sum with one summand for each head: the head times its own rows of W^O."""
    n = min(trace.n_heads, MOST_HEADS)
    summands = [part for h in range(n) for part in ("+", m[f"shares.{h}"])][1:]
    more = Sign(parameters.say(TEXTS, "and_more_heads", number=trace.n_heads - n))
    equals = more if trace.n_heads > n else "="
    return Line((*summands, equals, m["output"]), parameters.say(TEXTS, "line_of_shares"))


def draw_why_heads(example: Example, one: np.ndarray, heads: np.ndarray, decimals: int) -> None:
    """Draw a text and a picture of the token that gains most from two heads."""
    wants = two_wants(one, heads)
    if wants is None:
        st.markdown(TEXTS.fill("no_gain"))
        offer_example("story", TEXTS.fill("see_a_gain"))
        return
    st.markdown(why_several_heads(example, wants, len(heads), decimals))
    _draw_shares(example, wants, one, heads)


def why_several_heads(example: Example, wants: TwoWants, n_heads: int, decimals: int) -> str:
    """Return a text that says how two keys share the weight of one head, and how much each gets with two heads."""
    has_names = len(example.names.v) == n_heads
    return TEXTS.fill(
        "two_features" if has_names else "two_wants",
        decimals,
        token=example.tokens[wants.token],
        features=[example.names.v[head] for head in wants.heads] if has_names else (),
        found=[whom(example.tokens, example.key_tokens, wants.token, key) for key in wants.keys],
        alone=wants.alone,
        apart=wants.apart,
        heads=wants.heads,
    )


def _draw_shares(example: Example, wants: TwoWants, one: np.ndarray, heads: np.ndarray) -> None:
    weights = np.stack([one[wants.token], *(heads[head, wants.token] for head in wants.heads)])
    heads_by_name = (TEXTS.fill("name_of_head", number=head + 1) for head in wants.heads)
    names = (TEXTS.fill("name_of_one_head"), *heads_by_name)
    charts.shares(weights, names, example.key_tokens, key="one_or_two")


@cache_recent
def add_and_norm_of_heads(example: Example, heads: MultiHeadTrace) -> AddAndNormTrace:
    """Return the computation that adds the output of all heads to the input, and normalises the sum."""
    return add_and_norm(example.x, heads.output)


def reasons_text(example: Example, trace: AddAndNormTrace, decimals: int) -> str:
    """Return a text that says why the output is added and the sum normalised, for the token that changes most."""
    gains = np.abs(trace.found)
    token, gained = map(int, np.unravel_index(int(gains.argmax()), gains.shape))
    own = int(np.abs(trace.x[token]).argmax())
    kept = TEXTS.fill(
        "kept_of_features" if example.names.x else "kept_in_columns",
        decimals,
        token=example.tokens[token],
        features=example.names.x,
        own=trace.x[token, own],
        own_column=own,
        gained=trace.found[token, gained],
        gained_column=gained,
    )
    return TEXTS.fill("around_the_heads", decimals, kept=kept, spreads=trace.norm.spread)


def lines(parameters: Any, m: Matrices, trace: AddAndNormTrace) -> list[Line]:
    """Return two lines: the input plus the output of the heads, and the normalised sum."""
    worked = Computation(add_and_norm_rules(trace), rename=lambda name: "output" if name == "mixed" else name)
    rows, features = {"row_labels": m["x"].row_labels}, {"column_labels": m["x"].column_labels}

    def matrix(name: str, values: np.ndarray, **more) -> Matrix:
        return Matrix.named(name, values, **rows, **more).with_computation(worked)

    x, summed = m["x"], matrix("summed", trace.summed, **features)
    means, spreads = matrix("means", trace.norm.mean), matrix("spreads", trace.norm.spread)
    normed = matrix("normed", trace.output, **features)
    norm = (means, spreads, Sign("(U − μ) ÷ σ", arrow=True), normed)
    return [
        Line((x, "+", m["output"], "=", summed), parameters.say(TEXTS, "line_of_sum")),
        Line(norm, parameters.say(TEXTS, "line_of_norm")),
    ]


def price_text(one: Cost, several: Cost, n_heads: int) -> str:
    """Return a text with a table that compares the cost of `n_heads` heads with that of one wide head."""
    wide, chosen = ((c.parameters, c.flops, c.exponentials, c.kv_cache) for c in (one, several))
    return TEXTS.fill("what_heads_cost", one=wide, several=chosen, n_heads=n_heads)
