"""The engine: the scripts and the style of equations. A page brings it once, and each equation its numbers alone."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import streamlit.components.v2 as components

from pages.shared.equation import colours

# One module for the browser: each file one idea, joined in the order in which they need each other.
_SCRIPTS = (
    "numbers.js",
    "light.js",
    "matrix.js",
    "heatmap.js",
    "blank.js",
    "edit.js",
    "actions.js",
    "tools.js",
    "cover.js",
    "fit.js",
    "equation.js",
    "engine.js",
)
_HERE = Path(__file__).parent


def _read(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_style, _scripts = colours.style() + _read("equation.css"), "\n".join(map(_read, _SCRIPTS))
# A tab that stays open while a new version is served must not draw the new with the old.
_version = sha256((_style + _scripts).encode()).hexdigest()[:12]
_name = f'const ENGINE = Symbol.for("attention-lab.engine.{_version}")\n'

SCRIPT = f"{_name}const STYLE = {json.dumps(_style)}\n{_scripts}"
component = components.component(
    "attention_lab_equation",
    html='<div class="equation"></div>',
    js=_name + _read("stub.js"),
)
