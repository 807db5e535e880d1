"""What the home page says about its numbers, where to begin, and the last slide of a lecture."""

from __future__ import annotations

from html import escape

import numpy as np
import streamlit as st

from attention_core.examples import Example
from pages.shared.equation.engine import note_picture
from pages.shared.lecture.class_room import LOCAL
from pages.shared.notation.texts import texts_beside
from pages.shared.scene_files.screens import screens
from pages.shared.share.link_dialog import address_of_page, is_local, qr_image
from pages.shared.state.opening import focus

TEXTS = texts_beside(__file__)


def why_attention(example: Example, weights: np.ndarray, i: int) -> str:
    """Return a text that compares attention with reading word by word, for the token with index `i`."""
    asks = example.tokens[i]
    if example.context is not None:
        return TEXTS.fill("why_two_texts", asks=asks, n_words=len(example.key_tokens))
    others = np.where(np.arange(len(weights)) == i, -1.0, weights[i])
    first, last = sorted((i, int(others.argmax())))
    section = "why_one_step" if last - first == 1 else "why_many_steps"
    between = {"first": example.tokens[first], "last": example.tokens[last], "steps": last - first}
    return TEXTS.fill(section, asks=asks, **between)


MINUTES_A_SCREEN = 2.2  # for a reader who guesses first


def minutes_of_path() -> int:
    """Return how long the path takes, rounded to five minutes."""
    return 5 * round(MINUTES_A_SCREEN * len(screens()) / 5)


def introduction_text() -> str:
    """Return what the app teaches and what a reader needs, and how long its path of questions takes."""
    return TEXTS.fill("introduction", questions=len(screens()), minutes=minutes_of_path())


KEY = "home.last_slide"
TASK = {"task": "17", "difficulty": "1"}
STYLE = """<style>
.last-slide { display: flex; gap: 2rem; align-items: center; }
.last-slide img { height: var(--room, 16rem); max-height: 62vh; width: auto; }
.last-slide a { overflow-wrap: anywhere; }
</style>"""


def last_slide() -> None:
    """Draw the last slide if a lecture shows it now."""
    if focus() != KEY:
        return
    note_picture(KEY, TEXTS.fill("name_of_last_slide"))
    says, link = TEXTS.fill("task_of_last_slide"), address_of_page("attention", TASK)
    with st.container(key=KEY):
        st.html(
            f'{STYLE}<div class="last-slide">{qr_image(link)}<div><p>{says}</p>'
            f'<p><a href="{escape(link)}">{escape(link)}</a></p><p>{LOCAL * is_local(link)}</p></div></div>'
        )
