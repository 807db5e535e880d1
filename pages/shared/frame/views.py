"""Views: parts of a page of which only one is shown at a time, so that an edit draws only this part."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pages.shared.state import widgets
from pages.shared.state.widgets import reserve_container

Part = Callable[[Any, Any], None]


def part_with_views(views: Mapping[str, Part]) -> Part:
    """Return a function that draws two things: a widget to choose one of several views, and the chosen view."""

    def draw_chosen_view(parameters: Any, example: Any) -> None:
        widgets.draw(parameters, "look")
        with reserve_container("view"):
            views[parameters.look](parameters, example)

    return draw_chosen_view
