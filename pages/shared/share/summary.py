"""A state in words: what a link or a file of it holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from attention_core.examples import example
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import CellInput, Choice, MatrixInput, Switch, number_text
from pages.shared.controls.text_area import TextArea
from pages.shared.controls.text_input import TextInput
from pages.shared.notation.prose import literal, typeset
from pages.shared.notation.symbols import SYMBOLS
from pages.shared.state.link import Workspace, in_link, matrix_inputs, short


def in_words(workspace: Workspace, parameters: Parameters) -> list[str]:
    """Return what a state holds, as Markdown: the example, what was edited, and what is not as the page starts."""
    held = [f"the example “{typeset(example(workspace.example).title)}”"]
    inputs = matrix_inputs(workspace.example, type(parameters))
    edited = [f"${SYMBOLS[name][0]}$" for name in workspace.edits if name in inputs]
    if edited:
        held.append(f"your numbers in {', '.join(edited)}")
    if workspace.layout:
        held.append(f"tokens as {workspace.layout}")
    return held + list(_settings(parameters))


def _settings(parameters: Parameters) -> Iterator[str]:
    plain = type(parameters)()
    for name, control in controls_of(type(parameters)).items():
        value = getattr(parameters, name)
        if value != getattr(plain, name) and not isinstance(control, MatrixInput) and in_link(control, value):
            yield _setting(control, value, parameters)


def _setting(control: Any, value: Any, parameters: Parameters) -> str:
    if isinstance(control, CellInput):
        name, row, column = value
        return f"the selected cell of {_matrix(name)}, {parameters.says(f'row {row + 1}, column {column + 1}')}"
    return f"{typeset(control.label)}: {_value(control, value, parameters)}"


def _matrix(name: str) -> str:
    """Say which matrix an id means: “weights.1” are those of head 2, “scaled_root” those under one of the divisors.

    >>> _matrix("scaled_root"), _matrix("weights.1"), _matrix("tally")
    ("$S'$ (scaled scores)", '$A_{2}$ (attention weights)', '`tally`')
    """
    known = max((each for each in SYMBOLS if re.match(rf"{each}(?![a-z])", name)), key=len, default=None)
    if known is None:
        return literal(name)
    symbol, words = SYMBOLS[known]
    part = re.search(r"\.(\d+)", name)
    return f"${symbol}{f'_{{{int(part[1]) + 1}}}' if part else ''}$ ({words})"


def _value(control: Any, value: Any, parameters: Parameters) -> str:
    if isinstance(control, TextInput | TextArea):
        return f"“{literal(short(value))}”" if value else "none"
    if isinstance(control, Choice):
        return typeset(parameters.says(control.options[value])) if value else "none"
    if isinstance(control, Switch):
        return "on" if value else "off"
    return number_text(value) if isinstance(value, float) else control.encode(value)
