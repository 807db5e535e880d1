"""The number of each screen of the path, and its name in a link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from pages.shared.controls.control import Control
from pages.shared.scene_files.screens import screens

END = "end"  # the name of the last page in a link
# Earlier links hold a number: the place of a screen among these. They must open the same question as before.
NUMBERED = (
    "refers", "table", "query", "score", "softmax", "width", "mix", "residual", "learned", "heads", "order", "next",
    "mask", "block", "loss", "mistake", "induction", "cause", END,
)  # fmt: skip


@cache
def names() -> Sequence[str]:
    """Return the names of all screens in order, and then the name of the last page."""
    return (*(screen.name for screen in screens()), END)


@cache
def screen_numbers() -> Mapping[str, int]:
    """Return the number of each screen by its name, counted from 1.

    >>> screen_numbers()["table"]
    2
    """
    return {name: number for number, name in enumerate(names(), start=1)}


@dataclass(frozen=True, slots=True)
class ScreenInput(Control):
    """The control for the number of a screen.

    A link holds the name of the screen and not its number, because the number changes if a screen is added before it.
    """

    label: str = "Screen"

    def encode(self, value: int) -> str:
        return names()[value - 1]

    def decode(self, text: str) -> int:
        name = NUMBERED[int(text) - 1] if text in map(str, range(1, len(NUMBERED) + 1)) else text
        if name not in screen_numbers():
            raise ValueError(f"the name of a screen, such as {names()[0]}, or {END}")
        return screen_numbers()[name]

    def in_link(self, value: int) -> bool:
        return 1 <= value <= len(names())
