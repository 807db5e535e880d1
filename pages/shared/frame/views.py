"""Views: parts of a page of which only one is shown at a time, so that an edit draws only this part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pages.shared import panel
from pages.shared.panel import LINE, Item

Part = Callable[[Any, Any], None]
Settings = Callable[[Any, Any], Sequence[str | Item]]


def part_with_views(views: Mapping[str, Part], settings: Settings = lambda parameters, example: ()) -> Part:
    """Return a function that draws settings with the choice of one of several views, and then the chosen view.

    A view has its own number of elements, so this part is the last one of the lesson.
    """

    def draw_chosen_view(parameters: Any, example: Any) -> None:
        own = settings(parameters, example)
        panel.draw(parameters, "views", *own, *[LINE] * bool(own), "look")
        views[parameters.look](parameters, example)

    return draw_chosen_view
