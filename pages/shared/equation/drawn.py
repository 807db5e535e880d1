"""The equations that stand on the page."""

from __future__ import annotations

from dataclasses import dataclass, field

from pages.shared.equation.model import Line
from pages.shared.state import session


@dataclass(slots=True)
class Drawn:
    """The equations of this run so far, by key."""

    equations: dict[str, tuple[Line, ...]] = field(default_factory=dict)


def drawn() -> dict[str, tuple[Line, ...]]:
    """Return the equations on the page by key, with tokens as rows: of this run, those that are drawn already."""
    return session.of(Drawn).equations
