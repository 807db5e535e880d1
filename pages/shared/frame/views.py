"""Views: what a page shows below its equation, one at a time, so that an edit draws anew only what is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pages.shared.state import widgets

Part = Callable[[Any, Any], None]


def look_at(views: Mapping[str, Part]) -> Part:
    """Return a part of a page that is one of several, chosen by the parameter `look`, whose options they are."""

    def chosen(parameters: Any, example: Any) -> None:
        widgets.draw(parameters, "look")
        views[parameters.look](parameters, example)

    return chosen
