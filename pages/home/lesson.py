"""What the home page says about its numbers, where to begin, and the last slide of a lecture."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from attention_core.examples import Example
from pages.shared.equation.engine import note_picture
from pages.shared.lecture.class_room import LOCAL
from pages.shared.scene_files.screens import screens
from pages.shared.share.link_dialog import address_of_page, is_local, qr_image
from pages.shared.state.opening import focus


def why_attention(example: Example, weights: np.ndarray, i: int) -> str:
    """Return a text that compares attention with reading word by word, for the token with index `i`.

    The text says how many steps away the most attended token is. With two texts, it says that a network without
    attention would pack the whole other text into one vector.
    """
    asks = f"“{example.tokens[i]}”"
    return f"{_far_text(example, asks, weights, i) if example.context is None else _two_texts(example, asks)} {AT_ONCE}"


AT_ONCE = (
    "And no word has to wait for the word before it: a computer computes all words at the same time, as products of "
    "matrices."
)


def _far_text(example: Example, asks: str, weights: np.ndarray, i: int) -> str:
    others = np.where(np.arange(len(weights)) == i, -1.0, weights[i])
    j = int(others.argmax())
    steps = abs(i - j)
    between = "one step" if steps == 1 else f"**{steps} steps**"
    first, last = example.tokens[min(i, j)], example.tokens[max(i, j)]
    return (
        "**Why not read word by word?** An older kind of network, a *recurrent* one, does so. It keeps everything in "
        f"one vector, and changes this vector at every word. So information gets from “{first}” to “{last}” in "
        f"{between}, and is mixed with other words on the way. With attention, {asks} attends to every word directly: "
        "**one step, even between words that are far apart**."
    )


def _two_texts(example: Example, asks: str) -> str:
    return (
        "**Why not sum up the other text first?** An older kind of network, a *recurrent* one, reads it word by word "
        f"into one vector of fixed length, and passes on only this vector. With attention, {asks} attends to each of "
        f"the **{len(example.key_tokens)}** words directly: **one step, however long the text**."
    )


MINUTES_A_SCREEN = 2.2  # for a reader who guesses first


def minutes_of_path() -> int:
    """Return how long the path takes, rounded to five minutes."""
    return 5 * round(MINUTES_A_SCREEN * len(screens()) / 5)


def introduction_text() -> str:
    """Return two sentences: what the app teaches and what a reader needs, and how long its path of questions takes."""
    return (
        "Learn **attention**, the heart of language models, on numbers that you can change. You need to add and "
        "multiply numbers in tables, and the path shows how: "
        f"{len(screens())} questions, about {minutes_of_path()} minutes."
    )


KEY = "home.last_slide"
TASK = {"task": "17", "difficulty": "1"}
SAYS = (
    "Compute one row of attention by hand. The page checks your result, and names the mistake if there is one. "
    "After that, begin the path: it has the steps of this lecture, with a question on each screen."
)
STYLE = """<style>
.last-slide { display: flex; gap: 2rem; align-items: center; }
.last-slide img { height: var(--room, 16rem); max-height: 62vh; width: auto; }
.last-slide a { overflow-wrap: anywhere; }
</style>"""


def last_slide() -> None:
    """Draw the last slide if a lecture shows it now. On the home page outside of a lecture, draw nothing."""
    if focus() != KEY:
        return
    note_picture(KEY, "the last slide")
    link = address_of_page("attention", TASK)
    with st.container(key=KEY):
        st.html(
            f'{STYLE}<div class="last-slide">{qr_image(link)}<div><p>{SAYS}</p>'
            f'<p><a href="{escape(link)}">{escape(link)}</a></p><p>{LOCAL * is_local(link)}</p></div></div>'
        )
