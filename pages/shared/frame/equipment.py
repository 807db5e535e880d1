"""Equipment: what a page brings to the browser once, not with each edit: its style, and the engine of equations."""

from __future__ import annotations

import json
from pathlib import Path

import streamlit as st
import streamlit.components.v2 as components

from pages.shared.equation import engine
from pages.shared.site import navigation
from pages.shared.state import session

_HERE = Path(__file__).parent

_STYLE = (_HERE / "frame.css").read_text(encoding="utf-8") + navigation.style()

# One message for all of it, which Streamlit does not send again to a browser that has it.
_equipment = components.component(
    "attention_lab_equipment",
    html='<span class="equipment"></span>',
    isolate_styles=False,
    js=f"{engine.SCRIPT}\nconst PAGE_STYLE = {json.dumps(_STYLE)}\n"
    + (_HERE / "equipment.js").read_text(encoding="utf-8"),
)


def bring() -> None:
    """Bring the equipment to the page, and to a visitor who has just come the style by itself: it is there sooner."""
    rooms = session.own().rooms
    if "equipment" not in rooms:
        st.html(f"<style>{_STYLE}</style>")
        rooms["equipment"] = True
    _equipment()  # its place on the page is hidden by the style that it brings
