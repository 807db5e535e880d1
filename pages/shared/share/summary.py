"""Describe in words what the link of a state holds."""

from __future__ import annotations

from collections.abc import Iterator

from attention_core.examples import example
from pages.shared.controls import Parameters, controls_of
from pages.shared.notation.prose import typeset
from pages.shared.notation.symbols import SYMBOLS, symbol_of_id
from pages.shared.state.workspace import Workspace, matrix_inputs


def state_texts(workspace: Workspace, parameters: Parameters) -> list[str]:
    """Return a list of short Markdown texts that describe a state: its example, its edits, and its changed settings."""
    contents = [f"the example “{typeset(example(workspace.example).title)}”"]
    inputs = matrix_inputs(workspace.example, type(parameters))
    edited = [f"${SYMBOLS[symbol_of_id(name) or name][0]}$" for name in workspace.edits if name in inputs]
    if edited:
        contents.append(f"your numbers in {', '.join(edited)}")
    if workspace.layout:
        contents.append(f"tokens as {workspace.layout}")
    return contents + list(_settings(parameters))


def _settings(parameters: Parameters) -> Iterator[str]:
    plain = type(parameters)()
    for name, control in controls_of(type(parameters), parameters.columns).items():
        value = getattr(parameters, name)
        if value != getattr(plain, name) and not control.belongs_to_workspace and control.in_link(value):
            yield control.in_words(value)
