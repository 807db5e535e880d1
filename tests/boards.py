"""The matrices that each page shows in its views, steps, tasks and mistakes, with their entries in the symbol table."""

import re
from functools import cache
from typing import NamedTuple
from urllib.parse import parse_qsl

from attention_core.examples import EXAMPLES
from attention_core.mistakes import WITH_SWITCH
from attention_core.museum import EXHIBITS
from pages.shared.controls import controls_of
from pages.shared.equation.model import Line, matrices_of
from pages.shared.notation.symbols import SAME, SYMBOLS
from pages.shared.scene_files.scene import scenes_of
from pagesutil import KINDS
from simulating import drawn_equations, open_page

KNOWN = {entry.symbol for entry in SYMBOLS.values()}
EXAMPLES_SHOWN = (next(iter(EXAMPLES)), "columns", "french")
ONE_MEANING = {**SAME, "after": "before"}  # both are a pair of waves at one position
MASKS = ("none", "causal", "padding")

# Settings of single pages that change the matrices, apart from views, steps, masks and tasks.
MORE = {
    "softmax_axes": [
        {"source": "array"},
        {"source": "undivided"},
        {"constant": "710", "subtract": "off"},
        {"axis": "whole", "base": "2", "temperature": "2", "look": "temperature"},
    ],
    "multi_head": [{"sharing": "all"}, {"rewire": "swap"}],
    "training_step": [
        *({"look": "back", "step": step} for step in ("values", "softmax", "size", "scores", "w_q", "w_k", "w_v")),
        {"taken": "3", "wrong": "keys_transposed"},
        {"times": "10", "mask": "causal", "wrong": "mask_forgotten", "token": "0"},
    ],
    "your_sentence": [{"text": "one fish two fish", "heads": heads} for heads in ("1", "2")],
    "spot_the_bug": [{"exhibit": f"{exhibit.name}.1"} for exhibit in EXHIBITS],
    "next_word": [{"attends": "off"}, {"more": "2"}, {"temperature": "2", "top_k": "2"}],
    "check_my_matrix": [
        {"asked": "weights", "answer": "1,0;0,1"},
        {"asked": "output", "answer": "1 2 0 0 0 0", "heads": "2"},
    ],
}


class Shown(NamedTuple):
    """What a page shows in one state: the lines of all its equations, and its Markdown texts joined to one text."""

    lines: tuple[Line, ...]
    text: str


@cache
def boards(page):
    """Return what a page shows in many states, as a dictionary from the link of each state to a `Shown`.

    The states are all views, steps, tasks, mistakes and scenes of the page, with examples of several kinds.
    """
    links = [{"example": name, **link} for name in EXAMPLES_SHOWN for link in links_of(page)]
    links += [{"scene": str(number + 1)} for number in range(len(scenes_of(page)))]
    return {tuple(link.items()): shown_by(open_page(page, **link)) for link in links}


def links_of(page: str) -> list[dict[str, str]]:
    """Return links to all views, steps, tasks and mistakes of a page, and to its states in `MORE`."""
    controls = controls_of(KINDS[page])
    own = [{}, {"layout": "columns"}, *MORE.get(page, [])]
    own += [{"look": look} for look in controls["look"].options] if "look" in controls else []
    steps, masks = (getattr(controls.get(name), "options", ()) for name in ("step", "mask"))
    own += [{"step": step, "mask": mask} for step in steps for mask in MASKS if mask in masks]
    own += [{"task": "17", "difficulty": str(level)} for level in (1, 2, 3) if "task" in controls]
    own += [{"mistake": wrong.name, **dict(parse_qsl(wrong.state))} for wrong in WITH_SWITCH if wrong.concept == page]
    return own


def shown_by(app):
    """Return the equations and the texts of a simulated page. Fail if the page shows an exception."""
    assert not app.exception
    lines = tuple(line for lines in drawn_equations(app).values() for line in lines)
    return Shown(lines, "\n".join(text.value for text in app.markdown))


def matrices_on(page):
    """Return all matrices that a page shows in any of its states."""
    return [matrix for shown in boards(page).values() for matrix in matrices_of(shown.lines)]


def bare_symbol(symbol):
    """Return a LaTeX symbol without the numbers of head, token or position, and without the sign of the transpose."""
    plain = re.sub(r"\\text|[{}]", "", re.sub(r"_\{\d,\d\}$", "", symbol))
    return re.sub(r"\^T$|_\d+|\(\d+\)", "", re.sub(r"PE\([\d+]+\)", "PE(pos)", plain))


def name_in_table(name: str | None) -> str:
    """Return the name under which the symbol table explains `name`, or "" if `name` is None.

    Most names have their own row in the table. A name that means the same as another name shares its row.
    """
    return ONE_MEANING.get(name or "", name or "")


def table_symbol(name):
    """Return the symbol of `name` in the symbol table, without numbers and without the sign of the transpose."""
    return bare_symbol(SYMBOLS[name_in_table(name)].symbol)
