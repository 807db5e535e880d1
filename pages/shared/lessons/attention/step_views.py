"""The views below the ten steps: which tokens attend to which, and reasons, each with a number and a picture."""

from __future__ import annotations

import numpy as np
import streamlit as st

from attention_core.examples import Example
from attention_core.experiments.next_word import weights_around_next_word, weights_beside_filler
from pages.shared import charts
from pages.shared.lessons.attention import reasons
from pages.shared.site.links import offer_example


def draw_future(example: Example, unmasked: np.ndarray, decimals: int) -> None:
    """Draw the view about later words: a text and a picture of the weights that tokens have without a mask.

    The picture splits the weights of each token: on words so far, on the next word, and on later words.
    """
    st.markdown(f"## Why hide later words?\n\n{reasons.why_causal(example, unmasked, decimals)}")
    if example.context is not None:
        offer_example("story", "See a sentence that is written word by word: **What does “it” refer to?**")
        return
    st.caption(
        "Without a mask: how much each word attends to itself and earlier words, to the next word, and to later words."
    )
    parts = weights_around_next_word(unmasked)
    charts.shares(parts, example.tokens[:-1], ("so far", "the next word", "later"), key="future")


def draw_padding(example: Example, unmasked: np.ndarray, decimals: int) -> None:
    """Draw the view about fillers, which make texts equally long: how much tokens attend to them without a mask."""
    st.markdown(f"## Why hide fillers?\n\n{reasons.why_padding(example, unmasked, decimals)}")
    st.caption("Without a mask: how much each token attends to the words, and to the filler.")
    charts.shares(weights_beside_filler(unmasked), example.tokens, ("words", "the filler"), key="padding")


def draw_cost(example: Example) -> None:
    """Draw the view about the length of a text: how the number of scores grows with the length."""
    st.markdown(f"## What does length cost?\n\n{reasons.cost_of_length(example)}")
    charts.growth(*reasons.growth_of_scores(example), key="cost")


def draw_heads_side_by_side(example: Example, weights_of_heads: np.ndarray) -> None:
    """Draw one picture for each head, which shows how much each token attends to each token."""
    st.markdown("## Which token attends to which, head by head")
    with st.container(horizontal=True):
        for h, weights in enumerate(weights_of_heads):
            with st.container(width=440):
                st.caption(f"Head {h + 1}")
                charts.shares(weights, example.tokens, example.key_tokens, key=f"shares{h}")
