"""The workspace: the settings that stay the same from page to page (the example, its edits, the layout). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from attention_core.examples import Example, example
from pages.shared.controls import Parameters, controls_of
from pages.shared.controls.kinds import MatrixInput, Rows

LONGEST_EDITABLE_SIDE = 16  # a matrix with more rows or columns cannot be edited or written into a link
DEFAULT_EXAMPLE = Parameters.opens_with  # the example of each page that does not choose another

P = TypeVar("P", bound=Parameters)


@dataclass(frozen=True)
class Workspace:
    """The example of the page, the visitor's edits of its matrices, and the layout (tokens as rows or as columns)."""

    example: str = DEFAULT_EXAMPLE
    edits: Mapping[str, Rows] = field(default_factory=dict)
    layout: str = ""  # "rows" or "columns", or "" for the example’s own

    @property
    def tokens_are(self) -> str:
        """How tokens are shown: "rows" or "columns"."""
        return self.layout or example(self.example).layout

    def with_layout(self, layout: str) -> Workspace:
        """Return the workspace with the layout `layout`: tokens as "rows" or as "columns".

        With "", tokens are as in the book or paper that the example is from.
        """
        return replace(self, layout="" if layout == example(self.example).layout else layout)

    @cached_property
    def edited_example(self) -> Example:
        """The example with the visitor's edits. The same workspace always returns the same object."""
        plain = example(self.example)
        shapes = {name: matrix.shape for name, matrix in plain.matrices().items()}
        own: dict[str, Any] = {name: rows for name, rows in self.edits.items() if name in shapes}
        return plain.with_matrices({name: rows if len(shapes[name]) == 2 else rows[0] for name, rows in own.items()})


def workspace_for_page(workspace: Workspace, old_page: type[Parameters], new_page: type[Parameters]) -> Workspace:
    """Return the workspace (example, edits, layout) with which the next page opens.

    `old_page` and `new_page` are the classes of the parameters of the old and the new page. If the visitor chose or
    edited the old page's example, the new page shows the same example. Otherwise the new page shows its default
    example.
    """
    edited = workspace.edits.keys() & example(workspace.example).matrices().keys()
    if edited or workspace.example != old_page.opens_with:
        return workspace
    return replace(workspace, example=new_page.opens_with).with_layout(workspace.layout)


def with_workspace(parameters: P, workspace: Workspace) -> P:
    """Return the parameters with the layout of the workspace, and with the visitor's edits of the page's matrices.

    A matrix of the page that was not edited gets its original numbers.
    """
    own: dict[str, Any] = {
        n: workspace.edits.get(n, original(n, workspace.example, type(parameters)))
        for n in page_matrices(type(parameters))
    }
    return replace(parameters, columns=workspace.tokens_are == "columns", **own)


def page_matrices(kind: type[Parameters]) -> dict[str, MatrixInput]:
    """Return the controls of the matrices that belong to the page, by name. Matrices of the example are left out."""
    return {name: control for name, control in controls_of(kind).items() if control.belongs_to_workspace}


def matrix_inputs(example_name: str, kind: type[Parameters]) -> dict[str, MatrixInput]:
    """Return the controls of all matrices that can be edited on a page, by name.

    These are the small matrices of the example `example_name` and the page's own matrices. `kind` is the class of the
    page's parameters.
    """
    shapes = {name: matrix.shape for name, matrix in example(example_name).matrices().items()}
    small = {name: shape for name, shape in shapes.items() if max(shape) <= LONGEST_EDITABLE_SIDE}
    return {
        name: MatrixInput(shape[0] if len(shape) == 2 else 1, shape[-1]) for name, shape in small.items()
    } | page_matrices(kind)


def original(name: str, example_name: str, kind: type[Parameters]) -> Rows:
    """Return the rows of the matrix `name` without edits.

    The matrix belongs to the example `example_name`, or to a page. `kind` is the class of the page's parameters.
    """
    if name in page_matrices(kind):
        return getattr(kind(), name)
    matrix = example(example_name).matrices()[name]
    return tuple(tuple(row) for row in matrix.reshape(-1, matrix.shape[-1]).tolist())
