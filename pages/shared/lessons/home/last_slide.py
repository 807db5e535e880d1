"""The last slide of a lecture: a task for the audience, its link, and the QR code that opens it on a phone."""

from __future__ import annotations

from html import escape

import streamlit as st

from pages.shared.equation.drawn import note_picture
from pages.shared.lecture.phones import LOCAL
from pages.shared.share.qr import address_of_page, is_local, qr_image
from pages.shared.state.open_scene import focus

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
