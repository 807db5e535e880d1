"""The reason for several heads, with a picture: in one head, two keys share the weight; in two, each gets its own."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core.examples import Example
from attention_core.experiments.several_wants import TwoWants, two_wants
from pages.shared import charts
from pages.shared.notation.numbers import format_as_shown
from pages.shared.notation.prose import whom
from pages.shared.site.links import offer_example


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
