"""A visit: the state of one visitor's page, as one frozen value from which the page is drawn. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from attention_core.examples import Example
from pages.shared.controls import Parameters
from pages.shared.scene_files.lecture import Lecture
from pages.shared.state.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Visit:
    """The state that the present page of one visitor is drawn from. It is frozen, so each change makes a new object."""

    page: str = ""  # the name of the page
    workspace: Workspace = field(default_factory=Workspace)
    parameters: Parameters = field(default_factory=Parameters)
    lecture: Lecture = field(default_factory=Lecture)
    notices: tuple[str, ...] = ()  # sentences that say what was wrong with the link, or with an edit: session.notify

    @property
    def example(self) -> Example:
        """The example in use, with the visitor's edits."""
        return self.workspace.edited_example

    @property
    def cell(self) -> tuple[str, int, int] | None:
        """The selected cell, whose arithmetic the page shows, as (matrix id, row, column), or None."""
        return self.parameters.cell

    def with_parameters(self, **values: Any) -> Visit:
        """Return a visit in which some parameters of the page have other values."""
        return replace(self, parameters=replace(self.parameters, **values))
