"""Load the scripts and styles of the components that run in the browser.

A page loads them once; after that, components send only numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit.components.v2 as components

from pages.shared.controls.kinds import BOUNDS
from pages.shared.equation import colours
from pages.shared.state.workspace import LONGEST_EDITABLE_SIDE

# The JavaScript modules, each after those that it imports. The browser gets them as one script without imports, so
# imports are only for the reader. A test checks that every name is imported from the module that exports it.
MODULES = (
    "numbers.js",
    "elements.js",
    "icons.js",
    "arrows.js",
    "unique_id.js",
    "events.js",
    "component.js",
    "layout.js",
    "reads.js",
    "cell.js",
    "blank.js",
    "stage.js",
    "pointer.js",
    "heatmap.js",
    "matrix.js",
    "figures.js",
    "light.js",
    "places.js",
    "beside.js",
    "card.js",
    "edit.js",
    "actions.js",
    "tools.js",
    "cover.js",
    "line.js",
    "widths.js",
    "stage_fit.js",
    "fit.js",
    "equation.js",
    "engine.js",
)
FOLDER = Path(__file__).parent
_DEFAULT = re.compile(r"^export default ", re.MULTILINE)
_IMPORT_OR_EXPORT = re.compile(r"^import .*\n|^export (?!default)", re.MULTILINE)


def _read(name: str, folder: Path = FOLDER) -> str:
    return (folder / name).read_text(encoding="utf-8")


def join_modules(modules: list[str]) -> str:
    r"""Return modules joined into one script, without their imports and exports.

    >>> join_modules(["export const TWO = 2", 'import { TWO } from "./two.js"\nTWO + 1'])
    'const TWO = 2\nTWO + 1'
    """
    return "\n".join(_IMPORT_OR_EXPORT.sub("", module) for module in modules)


def script_of(folder: Path, names: Iterable[str]) -> str:
    """Return the JavaScript modules `names` as one script.

    Each module is read from `folder`. If it is not there, it is read from the folder `equation/`.
    """
    return join_modules([_read(name, folder if (folder / name).exists() else FOLDER) for name in names])


def _constants_module(**values: object) -> str:
    """Return the text of the module constants.js, which gives JavaScript the constants of Python.

    There is no such file on disk.
    """
    return "\n".join(f"export const {name} = {json.dumps(value)}" for name, value in values.items())


CONSTANTS = _constants_module(LONGEST_EDITABLE_SIDE=LONGEST_EDITABLE_SIDE, BOUNDS=BOUNDS)
SCRIPT = join_modules([CONSTANTS, *map(_read, MODULES)])  # for equations; other components use parts of it
CARD_STYLE = _read("card.css")  # for the whole page, because Streamlit draws the card outside of equations


@dataclass(frozen=True, slots=True)
class ComponentKind:
    """A kind of element that the app itself draws with JavaScript, such as the equation.

    `load` is the JavaScript that makes the browser able to draw this kind. The page runs it once, after `SCRIPT`.
    `component` is the Streamlit component that sends the numbers to the browser.
    """

    load: str
    component: Callable[..., Any]


def component_kind(name: str, style: str, receive: str) -> ComponentKind:
    """Return a new kind of component. `style` is its CSS.

    `receive` is the JavaScript expression for the function that draws a component of this kind.
    """
    # A tab may stay open while the server gets a new version. It must not draw the new numbers with the old script.
    version = sha256((SCRIPT + style + receive).encode()).hexdigest()[:12]
    symbol = f'Symbol.for("attention-lab.{name}.{version}")'
    component = components.component(
        f"attention_lab_{name}",
        html=f'<div class="{name}"></div>',
        js=join_modules([f"const KIND = {symbol}", _read("stub.js")]),
    )
    return ComponentKind(f"draws({symbol}, {json.dumps(style)}, {receive})", component)


def own_scope(script: str) -> str:
    r"""Return a JavaScript module as one expression, whose value is what the module exports.

    Other modules cannot see the names in the module.

    >>> own_scope("const one = 1\nexport default one")
    '(() => {\nconst one = 1\nconst exported = one\nreturn exported\n})()'
    """
    return f"(() => {{\n{_DEFAULT.sub('const exported = ', script)}\nreturn exported\n}})()"


EQUATION = component_kind("equation", colours.style() + _read("equation.css"), "receive")
