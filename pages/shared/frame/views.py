"""Views: parts of a page of which only one is shown, so that an edit draws only that one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pages.shared.state import widgets
from pages.shared.state.places import place

Part = Callable[[Any, Any], None]


def look_at(views: Mapping[str, Part]) -> Part:
    """Return a part of the page that draws one of several views, chosen by the parameter `look`."""

    def chosen(parameters: Any, example: Any) -> None:
        widgets.draw(parameters, "look")
        with place("view"):
            views[parameters.look](parameters, example)

    return chosen
