"""Why several heads: in one head, two keys share the weight; in two heads, each gets its own. With a picture."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core.examples import Example
from attention_core.experiments.several_wants import TwoWants, two_wants
from pages.shared import charts
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import whom
from pages.shared.site.links import offer


def why_heads(example: Example, one: np.ndarray, heads: np.ndarray, decimals: int) -> None:
    """Show the token that gains most from two heads, from the weights of one head and of several."""
    wants = two_wants(one, heads)
    if wants is None:
        _nobody()
        return
    st.markdown(why_several_heads(example, wants, len(heads), decimals))
    _draw(example, wants, one, heads)


def why_several_heads(example: Example, wants: TwoWants, n_heads: int, decimals: int) -> str:
    """Say what two keys share in one head, and what they get in two heads."""
    found = (whom(example.tokens, example.key_tokens, wants.token, key) for key in wants.keys)
    alone, apart = ([format_as_shown(weight, decimals) for weight in weights] for weights in (wants.alone, wants.apart))
    (first, second), (a, b) = found, (head + 1 for head in wants.heads)
    return (
        f"“{example.tokens[wants.token]}” {_wants_text(example, wants, n_heads)}. **One head has one unit of attention "
        f"a token, to be shared by all it looks for**: {first} gets {alone[0]}, {second} {alone[1]}. Two heads have a "
        f"unit each: head {a} gives {first} **{apart[0]}**, head {b} gives {second} **{apart[1]}**."
    )


def _wants_text(example: Example, wants: TwoWants, n_heads: int) -> str:
    names = example.names.v
    if len(names) != n_heads:
        return "looks two ways at once"
    first, second = (names[head] for head in wants.heads)
    return f"asks *{first}* and *{second}* at once"


def _draw(example: Example, wants: TwoWants, one: np.ndarray, heads: np.ndarray) -> None:
    weights = np.stack([one[wants.token], *(heads[head, wants.token] for head in wants.heads)])
    names = ("one head", *(f"head {head + 1}" for head in wants.heads))
    charts.shares(weights, names, example.key_tokens, key="one_or_two")


def _nobody() -> None:
    st.markdown(
        "Several heads let a token look for several others at once. Nobody here needs that: no token finds more with "
        "two heads than one head gives it."
    )
    offer("story", "A token that needs two: **What does “it” refer to?**")
