"""The engine: the scripts and the style of equations. A page loads it once, and equations send their numbers alone."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import streamlit.components.v2 as components

from pages.shared.controls.kinds import BOUNDS
from pages.shared.equation import colours
from pages.shared.state.workspace import MOST_CELLS

# The modules in the order in which they need each other. The browser gets them as one script: an import names where
# something comes from, and is taken out. A test holds that every name is imported from the module that exports it.
MODULES = (
    "numbers.js",
    "elements.js",
    "icons.js",
    "arrows.js",
    "identity.js",
    "events.js",
    "component.js",
    "layout.js",
    "light.js",
    "cell.js",
    "blank.js",
    "heatmap.js",
    "matrix.js",
    "figures.js",
    "lit_cells.js",
    "places.js",
    "beside.js",
    "card.js",
    "edit.js",
    "actions.js",
    "tools.js",
    "cover.js",
    "line.js",
    "align.js",
    "widths.js",
    "fit.js",
    "equation.js",
    "engine.js",
)
FOLDER = Path(__file__).parent
_IMPORT_OR_EXPORT = re.compile(r"^import .*\n|^export (?!default)", re.MULTILINE)


def _read(name: str, folder: Path = FOLDER) -> str:
    return (folder / name).read_text(encoding="utf-8")


def joined(modules: list[str]) -> str:
    """Return modules as one script, in which every name is known everywhere.

    >>> joined(["export const TWO = 2", 'import { TWO } from "./two.js"\\nTWO + 1'])
    'const TWO = 2\\nTWO + 1'
    """
    return "\n".join(_IMPORT_OR_EXPORT.sub("", module) for module in modules)


def script_of(folder: Path, names: Iterable[str]) -> str:
    """Return modules of a folder as one script. Those that the folder does not have are modules of equations."""
    return joined([_read(name, folder if (folder / name).exists() else FOLDER) for name in names])


def _written(**values: object) -> str:
    """Write the module constants.js: what JavaScript takes over from Python."""
    return "\n".join(f"export const {name} = {json.dumps(value)}" for name, value in values.items())


_constants = _written(STYLE=colours.style() + _read("equation.css"), MOST_CELLS=MOST_CELLS, BOUNDS=BOUNDS)
_scripts = joined([_constants, *map(_read, MODULES)])
# A tab that stays open while a new version is served must not draw the new with the old.
_version = sha256(_scripts.encode()).hexdigest()[:12]
_ENGINE = f'export const ENGINE = Symbol.for("attention-lab.engine.{_version}")'

CARD_STYLE = _read("card.css")  # of the page: the card is drawn by Streamlit, outside of equations
CONSTANTS = f"{_ENGINE}\n{_constants}"
SCRIPT = joined([_ENGINE, _scripts])
component = components.component(
    "attention_lab_equation",
    html='<div class="equation"></div>',
    js=joined([_ENGINE, _read("stub.js")]),
)
