"""Send the style of pages and the JavaScript of their components, which the browser receives only once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
import streamlit.components.v2 as components

from pages.shared.controls.text_area import LONGEST
from pages.shared.equation import engine
from pages.shared.plane import PLANE
from pages.shared.site import menu
from pages.shared.state import session
from pages.shared.words import WORDS

_HERE = Path(__file__).parent

_STYLE = (_HERE / "frame.css").read_text(encoding="utf-8") + engine.CARD_STYLE + menu.style()
_LOAD = "\n".join(kind.load for kind in (engine.EQUATION, PLANE, WORDS))

# One message has the style and the JavaScript. Streamlit sends the message to each browser only once.
_equipment = components.component(
    "attention_lab_equipment",
    html='<span class="equipment"></span>',
    isolate_styles=False,
    js=f"{engine.SCRIPT}\nconst PAGE_STYLE = {json.dumps(_STYLE)}\nfunction load() {{\n{_LOAD}\n}}\n"
    + f"const LONGEST_TEXT = {LONGEST}\n{engine.script_of(_HERE, ['long_text.js'])}\n"
    + (_HERE / "equipment.js").read_text(encoding="utf-8"),
)


@dataclass(slots=True)
class Loaded:
    """Whether this visitor's browser has already received the style of the pages once."""

    style: bool = False


def load() -> None:
    """Send the CSS of the pages and the JavaScript that draws equations to the browser.

    On the first run for a visitor, the CSS is also sent separately, because it then arrives sooner.
    """
    if not session.visitor_object(Loaded).style:
        st.html(f"<style>{_STYLE}</style>")
        session.visitor_object(Loaded).style = True
    _equipment()  # this is an element of the page, which the style hides
