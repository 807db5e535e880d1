"""Views: parts of a page of which only one is shown at a time, so that an edit draws only this part."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from pages.shared import panel
from pages.shared.panel import LINE, Item
from pages.shared.state.widgets import reserve_container

Part = Callable[[Any, Any], None]
Settings = Callable[[Any, Any], Sequence[str | Item]]


def _nothing(parameters: Any, example: Any) -> Sequence[str | Item]:
    return ()


def part_with_views(
    views: Mapping[str, Part],
    settings: Settings = _nothing,
    of_views: Mapping[str, Settings] | None = None,
    *,
    last: bool = True,
) -> Part:
    """Return a function that draws settings with the choice of one of several views, and then the chosen view.

    `of_views` has further settings, which stand between the choice and some views. A view has its own number of
    elements, so it needs a container of its own if it is not the `last` part of the lesson.
    """

    def draw_chosen_view(parameters: Any, example: Any) -> None:
        before = settings(parameters, example)
        after = (of_views or {}).get(parameters.look, _nothing)(parameters, example)
        panel.draw(parameters, "views", *before, *[LINE] * bool(before), "look", *[LINE] * bool(after), *after)
        with nullcontext() if last else reserve_container("view"):
            views[parameters.look](parameters, example)

    return draw_chosen_view
