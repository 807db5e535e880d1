"""A state as the text of a link, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from attention_core.examples import EXAMPLES, MATRICES, Example, example
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import Choice
from pages.shared.notation.prose import one_of, several_values_notice, short
from pages.shared.state.session import Workspace, matrix_inputs, original, with_workspace

P = TypeVar("P", bound=Parameters)


def fit_to_example(parameters: P, example: Example) -> tuple[P, list[str]]:
    """Return the parameters with values that fit the example, and a notice for each value that was replaced."""
    controls = controls_of(type(parameters))
    wanted = {name: getattr(parameters, name) for name in controls}
    fitting = {name: control.fit(wanted[name], example) for name, control in controls.items()}
    notices = [
        f"This example does not have what `{name}={control.encode(wanted[name])}` asks for, so {control.instead}."
        for name, control in controls.items()
        if not control.fits(wanted[name], example)
    ]
    return replace(parameters, **fitting), notices


LAYOUT = Choice("Tokens are", {"rows": "Rows", "columns": "Columns"}, "The same numbers, written the other way round.")


_NO_PARAMETERS = Parameters()

# Names in old links, and their present names.
_OLD_NAME = {"slip": "mistake"}
_OLD_CELL = ("_slip", "_mistake")


def encode(workspace: Workspace, parameters: Parameters) -> dict[str, str]:
    """Return the parameters of a link that opens a page in this state. Default values are left out."""
    query = {} if workspace.example == parameters.opens_with else {"example": workspace.example}
    if workspace.layout:
        query["layout"] = workspace.layout
    inputs = matrix_inputs(workspace.example, type(parameters))
    query |= {name: inputs[name].encode(rows) for name, rows in workspace.edits.items() if name in inputs}
    plain = type(parameters)()
    for name, control in controls_of(type(parameters)).items():
        value = getattr(parameters, name)
        if value != getattr(plain, name) and name not in inputs and control.in_link(value):
            query[name] = control.encode(value)
    if _sets_the_page(query, type(parameters)):
        controls = controls_of(type(parameters))
        query |= {name: controls[name].encode(getattr(parameters, name)) for name in parameters.meant_by_old_links}
    return query


def _sets_the_page(query: Mapping[str, Any], kind: type[Parameters]) -> bool:
    return any(name in query for name in controls_of(kind) if name != "digits")


def query_to(state: Mapping[str, str], workspace: Workspace, parameters: Parameters = _NO_PARAMETERS) -> dict[str, str]:
    """Return the URL parameters of a link that opens a page with the values in `state`."""
    name = state.get("example", workspace.example)
    opened = workspace if name == workspace.example else Workspace(name).with_layout(workspace.layout)
    return encode(opened, parameters) | dict(state)


def texts_no_link_can_hold(parameters: Parameters) -> dict[str, Any]:
    """Return the texts that are too long for a link or have unusual characters, by the name of the parameter."""
    values = {name: getattr(parameters, name) for name in controls_of(type(parameters))}
    return {n: value for n, value in values.items() if not controls_of(type(parameters))[n].in_link(value)}


def with_texts_no_link_can_hold(parameters: P, before: Parameters, query: Mapping[str, Any]) -> P:
    """Return `parameters`, with the long texts of `before` that no link can hold, such as a long pasted matrix."""
    kept = {name: value for name, value in texts_no_link_can_hold(before).items() if name not in query}
    return replace(parameters, **kept)


def decode(query: Mapping[str, Sequence[str]], kind: type[P]) -> tuple[Workspace, P, list[str]]:
    """Return the workspace and the parameters that a link describes, and a notice for each wrong value."""
    query = query_of_today(query)
    reader = _Reader(query)
    name = reader.read("example", _one_of_the_examples, kind.opens_with)
    inputs, controls = matrix_inputs(name, kind), controls_of(kind)
    edits = {m: reader.read(m, inputs[m].decode, None) for m in inputs if m in query}
    plain = replace(kind(), **(kind.meant_by_old_links if _sets_the_page(query, kind) else {}))
    values: dict[str, Any] = {
        n: reader.read(n, control.decode, getattr(plain, n)) for n, control in controls.items() if n not in inputs
    }
    layout = reader.read("layout", LAYOUT.decode, example(name).layout)
    reader.note_unknown({"example", "layout", *inputs, *values})
    changed = {m: rows for m, rows in edits.items() if rows is not None and rows != original(m, name, kind)}
    workspace = Workspace(name, changed).with_layout(layout)
    return workspace, with_workspace(kind(**values), workspace), reader.notices


def query_of_today(query: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """Return the parameters of a link with their present names: `slip=not_scaled` becomes `mistake=not_scaled`.

    If a link has both the old and the present name, the value of the present name counts.
    """
    today = {_OLD_NAME[name]: texts for name, texts in query.items() if name in _OLD_NAME}
    today |= {name: texts for name, texts in query.items() if name not in _OLD_NAME}
    if "cell" in today:
        today["cell"] = [text.replace(*_OLD_CELL) for text in today["cell"]]
    return today


def _one_of_the_examples(text: str) -> str:
    if text not in EXAMPLES:
        raise ValueError(one_of(EXAMPLES))
    return text


class _Reader:
    """An object that reads the values of a link one after the other, and collects a notice for each wrong value."""

    def __init__(self, query: Mapping[str, Sequence[str]]) -> None:
        self.query, self.notices = query, list[str]()

    def read(self, name, decode_value, default):
        """Return the value of the parameter `name` in the link. `decode_value` makes the value from the link's text."""
        texts = self.query.get(name, ())
        if not texts:
            return default
        self.notices += several_values_notice(name, texts)
        try:
            return decode_value(texts[-1])
        except ValueError as error:
            self.notices.append(
                f"The link’s `{name}` must be {error}, but it is {short(texts[-1])}, so it was ignored."
            )
            return default

    def note_unknown(self, names_of_page: set[str]) -> None:
        """Add a notice for each parameter of the link that is not in `names_of_page`, the parameters of the page."""
        unknown = [name for name in self.query if name not in names_of_page]
        elsewhere = [name for name in unknown if name in MATRICES]
        for name in unknown:
            where = (
                "this example does not have, or does not let you edit"
                if name in elsewhere
                else "this page does not have"
            )
            self.notices.append(f"The link sets {short(name)}, which {where}, so it was ignored.")
