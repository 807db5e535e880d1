"""The scripts of the equation that a browser loads once, and what it has drawn so far."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit.components.v2 as components

from pages.shared.controls.kinds import BOUNDS
from pages.shared.equation import model
from pages.shared.equation.model import Line, Matrix, matrices_of
from pages.shared.notation.palette import HUES
from pages.shared.state import session
from pages.shared.state.session import LONGEST_EDITABLE_SIDE


@dataclass(slots=True)
class DrawnSoFar:
    """The equations that this run has drawn so far, by key, and the actions to run after the last equation."""

    equations: dict[str, tuple[Line, ...]] = field(default_factory=dict)
    waiting: list[Callable[[], None]] = field(default_factory=list)
    pictures: dict[str, str] = field(default_factory=dict)  # the names of pictures that a scene can show, by key


def note_picture(key: str, name: str) -> None:
    """Store that this run draws the picture `key`. A scene can then be about this picture."""
    session.visitor_object(DrawnSoFar).pictures[key] = name


def pictures() -> dict[str, str]:
    """Return the pictures that this run has drawn so far: their names for a lecturer, by key."""
    return session.visitor_object(DrawnSoFar).pictures


def equations_on_page() -> dict[str, tuple[Line, ...]]:
    """Return the lines of the equations that this run has drawn so far, by key, with tokens as rows."""
    return session.visitor_object(DrawnSoFar).equations


def start_drawing() -> None:
    """Forget the last run: its equations, its pictures, and the actions that were to run after its last equation."""
    session.visitor_object(DrawnSoFar).equations.clear()
    session.visitor_object(DrawnSoFar).pictures.clear()
    session.visitor_object(DrawnSoFar).waiting.clear()  # a run that was ended early may have left some


def when_all_are_drawn(action: Callable[[], None]) -> None:
    """Store an action that is to run after all equations of this run of the page are drawn."""
    session.visitor_object(DrawnSoFar).waiting.append(action)


def finish_drawing() -> None:
    """Run the stored actions, because the last equation of this run of the page is drawn."""
    waiting = session.visitor_object(DrawnSoFar).waiting
    while waiting:
        waiting.pop(0)()


def matrix_on_page_at(place: tuple[str, int, int]) -> Matrix | None:
    """Return the matrix on the page that shows a cell, or None. `place` is the cell as (matrix id, row, column)."""
    shown = (matrix for lines in equations_on_page().values() for matrix in matrices_of(lines))
    return next((matrix for matrix in shown if matrix.id == place[0] and matrix.shows(*place[1:])), None)


# The JavaScript modules, each after those that it imports. The browser gets them as one script without imports, so
# imports are only for the reader. A test checks that every name is imported from the module that exports it.
MODULES = (
    "numbers.js",
    "elements.js",
    "icons.js",
    "arrows.js",
    "unique_id.js",
    "events.js",
    "pace.js",
    "component.js",
    "layout.js",
    "formulas.js",
    "cell.js",
    "room.js",
    "beginnings.js",
    "heads.js",
    "run.js",
    "blank.js",
    "stage.js",
    "pointer.js",
    "heatmap.js",
    "matrix.js",
    "figures.js",
    "light.js",
    "older.js",
    "hues.js",
    "store.js",
    "hand.js",
    "hint.js",
    "places.js",
    "slides.js",
    "line.js",
    "surroundings.js",
    "beside.js",
    "tether.js",
    "card.js",
    "edit.js",
    "actions.js",
    "tools.js",
    "cover.js",
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
    """Return the JavaScript modules `names` as one script."""
    return join_modules([_read(name, folder if (folder / name).exists() else FOLDER) for name in names])


def _constants_module(**values: object) -> str:
    return "\n".join(f"export const {name} = {json.dumps(value)}" for name, value in values.items())


CONSTANTS = _constants_module(LONGEST_EDITABLE_SIDE=LONGEST_EDITABLE_SIDE, BOUNDS=BOUNDS, HUES=HUES)
SCRIPT = join_modules([CONSTANTS, *map(_read, MODULES)])  # for equations; other components use parts of it
CARD_STYLE = _read("card.css")  # for the whole page, because Streamlit draws the card outside of equations


@dataclass(frozen=True, slots=True)
class ComponentKind:
    """A kind of element that the app itself draws with JavaScript, such as the equation."""

    symbol: str  # the name of the code that draws it, in the browser
    load: str
    component: Callable[..., Any]


def component_kind(name: str, style: str, receive: str) -> ComponentKind:
    """Return a new kind of component. `style` is its CSS."""
    # A tab may stay open while the server gets a new version. It must not draw the new numbers with the old script.
    version = sha256((SCRIPT + style + receive).encode()).hexdigest()[:12]
    name_of_code = f"attention-lab.{name}.{version}"
    symbol = f"Symbol.for({json.dumps(name_of_code)})"
    component = components.component(
        f"attention_lab_{name}",
        html=f'<div class="{name}"></div>',
        js=join_modules([f"const KIND = {symbol}", _read("stub.js")]),
    )
    return ComponentKind(name_of_code, f"draws({symbol}, {json.dumps(style)}, {receive})", component)


def own_scope(script: str) -> str:
    r"""Return a JavaScript module as one expression, whose value is what the module exports.

    Other modules cannot see the names in the module.

    >>> own_scope("const one = 1\nexport default one")
    '(() => {\nconst one = 1\nconst exported = one\nreturn exported\n})()'
    """
    return f"(() => {{\n{_DEFAULT.sub('const exported = ', script)}\nreturn exported\n}})()"


EQUATION = component_kind("equation", model.style() + _read("equation.css"), "receive")
