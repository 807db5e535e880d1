"""What each page loads once: the style of all pages, and the script that draws equations and other components.

The first bytes of a page link to both as files. Where another host sends the first bytes, the browser says that the
files are missing, and the server sends them as a component.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import streamlit.components.v2 as components

from pages.shared.bars import BARS
from pages.shared.controls.example_kinds import LONGEST
from pages.shared.equation import engine
from pages.shared.frame import pipeline_map
from pages.shared.panel import PANEL
from pages.shared.plane import PLANE
from pages.shared.site import menu
from pages.shared.site.page import Page
from pages.shared.state import session
from pages.shared.words import WORDS

_HERE = Path(__file__).parent
_KINDS = (engine.EQUATION, PLANE, WORDS, BARS, PANEL, pipeline_map.MAP)
_MODULES = ("long_text.js", "whole.js", "first_parts.js", "first_screen.js", "next_page.js", "equipment.js")

STYLE = (_HERE / "frame.css").read_text(encoding="utf-8") + engine.CARD_STYLE + menu.style()


def _script() -> tuple[str, str]:
    drawing = "\n".join([engine.SCRIPT, *(kind.load for kind in _KINDS)])
    own = f"const LONGEST_TEXT = {LONGEST}\n{engine.script_of(_HERE, _MODULES)}"
    lab = f";(() => {{\n{own}\n}})()"  # its names are its own
    version = sha256((STYLE + drawing + lab).encode()).hexdigest()[:16]
    return f"(() => {{\nconst VERSION = {json.dumps(version)}\n{drawing}\n{lab}\n}})()\n", version


SCRIPT, VERSION = _script()
NAMES = {"style": f"attention-lab.{VERSION}.css", "script": f"attention-lab.{VERSION}.js"}

_LOADED = components.component(
    "attention_lab_equipment",
    html='<span class="equipment"></span>',
    isolate_styles=False,
    js="""
export default function ({ data: [data], setTriggerValue }) {
  const lab = globalThis[Symbol.for("attention-lab")]
  if (lab?.version === data.version) lab.arrive(data)
  else setTriggerValue("missing", data.version)
}
""",
)
_WHOLE = components.component(
    "attention_lab_whole_equipment",
    html='<span class="equipment"></span>',
    isolate_styles=False,
    js=f"{SCRIPT}\nconst STYLE = {json.dumps(STYLE)}\n"
    + """
export default function ({ data: [data] }) {
  const style = document.createElement("style")
  style.textContent = STYLE
  style.id = "attention-lab"
  document.getElementById("attention-lab")?.remove()
  document.body.prepend(style)
  globalThis[Symbol.for("attention-lab")].arrive(data)
}
""",
)


@dataclass(slots=True)
class Missing:
    """Whether this visitor's browser lacks the files that the first bytes link to."""

    files: bool = False


def load(page: Page) -> None:
    """Tell the browser which page is drawn, and send it the style and the script if it lacks them."""
    data = [{"version": VERSION, "entry": menu.entry_of(page)}]
    if session.visitor_object(Missing).files:
        _WHOLE(key="whole_equipment", data=data)
    else:
        _LOADED(key="equipment", data=data, on_missing_change=_send_files)


def _send_files() -> None:
    session.visitor_object(Missing).files = True
