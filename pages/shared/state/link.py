"""The link: everything a viewer can set, written into the URL and read back. Pure: text in, values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from attention_core.examples import EXAMPLES, MATRICES, Example, example
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import Choice, MatrixInput, Rows
from pages.shared.controls.text_area import TextArea

MOST_CELLS = 16  # a side of the largest matrix that can be edited, and so of the largest in a link


LAYOUT = Choice("Tokens are", {"rows": "Rows", "columns": "Columns"}, "The same numbers, written the other way round.")


@dataclass(frozen=True)
class Workspace:
    """What follows the visitor from page to page: the example in use, the matrices that were edited, the layout."""

    example: str = "hand"
    edits: Mapping[str, Rows] = field(default_factory=dict)
    layout: str = ""  # "rows" or "columns", where it is not the example’s own

    @property
    def tokens_are(self) -> str:
        """What tokens are shown as: "rows" or "columns"."""
        return self.layout or example(self.example).layout

    def laid_out(self, layout: str) -> Workspace:
        """Return the same with tokens as rows or columns, or with "" as in the example’s source."""
        return replace(self, layout="" if layout == example(self.example).layout else layout)

    @cached_property
    def edited_example(self) -> Example:
        """The example as the visitor left it: the same one each time."""
        plain = example(self.example)
        shapes = {name: matrix.shape for name, matrix in plain.matrices().items()}
        own: dict[str, Any] = {name: rows for name, rows in self.edits.items() if name in shapes}
        return plain.with_matrices({name: rows if len(shapes[name]) == 2 else rows[0] for name, rows in own.items()})


P = TypeVar("P", bound=Parameters)


def encode(workspace: Workspace, parameters: Parameters) -> dict[str, str]:
    """Write what differs from its default: nothing for a page as it starts."""
    query = {} if workspace.example == "hand" else {"example": workspace.example}
    if workspace.layout:
        query["layout"] = workspace.layout
    inputs = matrix_inputs(workspace.example, type(parameters))
    query |= {name: inputs[name].encode(rows) for name, rows in workspace.edits.items() if name in inputs}
    plain = type(parameters)()
    for name, control in controls_of(type(parameters)).items():
        value = getattr(parameters, name)
        if value != getattr(plain, name) and name not in inputs and in_link(control, value):
            query[name] = control.encode(value)
    return query


def in_link(control: Any, value: Any) -> bool:
    """Say whether a link can hold a value: all but texts that are too long."""
    return not isinstance(control, TextArea) or control.in_link(value)


def with_unlinked(parameters: P, before: Parameters, query: Mapping[str, Any]) -> P:
    """Keep what no link can hold and the query does not replace, so that nothing pasted is lost on the way back."""
    kept = {
        name: getattr(before, name)
        for name, control in controls_of(type(before)).items()
        if name not in query and not in_link(control, getattr(before, name))
    }
    return replace(parameters, **kept)


def decode(query: Mapping[str, Sequence[str]], kind: type[P]) -> tuple[Workspace, P, list[str]]:
    """Read a link; whatever is wrong falls back to its default and leaves a notice, the rest is kept."""
    reader = _Reader(query)
    name = reader.read("example", _one_of_the_examples, "hand")
    inputs, controls = matrix_inputs(name, kind), controls_of(kind)
    edits = {m: reader.read(m, inputs[m].decode, None) for m in inputs if m in query}
    plain = kind()
    values: dict[str, Any] = {
        n: reader.read(n, control.decode, getattr(plain, n)) for n, control in controls.items() if n not in inputs
    }
    layout = reader.read("layout", LAYOUT.decode, example(name).layout)
    reader.note_unknown({"example", "layout", *inputs, *values})
    changed = {m: rows for m, rows in edits.items() if rows is not None and rows != original(m, name, kind)}
    workspace = Workspace(name, changed).laid_out(layout)
    return workspace, with_workspace(kind(**values), workspace), reader.notices


def with_workspace(parameters: P, workspace: Workspace) -> P:
    """Put the layout and the page's own edited matrices into its parameters."""
    own: dict[str, Any] = {
        n: workspace.edits.get(n, original(n, workspace.example, type(parameters)))
        for n in own_matrices(type(parameters))
    }
    return replace(parameters, columns=workspace.tokens_are == "columns", **own)


def own_matrices(kind: type[Parameters]) -> dict[str, MatrixInput]:
    """Return the matrices that belong to the page rather than to the example."""
    return {name: control for name, control in controls_of(kind).items() if isinstance(control, MatrixInput)}


def matrix_inputs(example_name: str, kind: type[Parameters]) -> dict[str, MatrixInput]:
    """Return every matrix that can be edited on a page: the example's, unless too large, and its own."""
    shapes = {name: matrix.shape for name, matrix in example(example_name).matrices().items()}
    small = {name: shape for name, shape in shapes.items() if max(shape) <= MOST_CELLS}
    return {
        name: MatrixInput(shape[0] if len(shape) == 2 else 1, shape[-1]) for name, shape in small.items()
    } | own_matrices(kind)


def original(name: str, example_name: str, kind: type[Parameters]) -> Rows:
    """Return a matrix as it is before any edit."""
    if name in own_matrices(kind):
        return getattr(kind(), name)
    matrix = example(example_name).matrices()[name]
    return tuple(tuple(row) for row in matrix.reshape(-1, matrix.shape[-1]).tolist())


def _one_of_the_examples(text: str) -> str:
    if text not in EXAMPLES:
        raise ValueError(f"one of {', '.join(EXAMPLES)}")
    return text


class _Reader:
    """Reads values one by one and keeps a notice of each that was no good."""

    def __init__(self, query: Mapping[str, Sequence[str]]) -> None:
        self.query, self.notices = query, list[str]()

    def read(self, name, decode_value, default):
        """Return what the link says, or the default where it says nothing or nothing good."""
        texts = self.query.get(name, ())
        if not texts:
            return default
        try:
            if len(texts) > 1:
                raise ValueError("given once")
            return decode_value(texts[0])
        except ValueError as error:
            self.notices.append(f"The link’s `{name}` must be {error}; got `{short(texts[-1])}`, so it was left out.")
            return default

    def note_unknown(self, known: set[str]) -> None:
        """Keep a notice of names that this page does not have."""
        unknown = [name for name in self.query if name not in known]
        elsewhere = [name for name in unknown if name in MATRICES]
        for name in unknown:
            where = (
                "this example does not have, or not so that it can be edited"
                if name in elsewhere
                else "this page does not have"
            )
            self.notices.append(f"The link sets `{short(name)}`, which {where}; it was left out.")


def short(text: str) -> str:
    """Return what came, as a notice can show it between backticks."""
    clean = "".join(c for c in text if c.isprintable() and c != "`")
    return clean if len(clean) <= 24 else clean[:24] + "…"
