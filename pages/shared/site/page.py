"""A page as a value: its question, what can be set on it, its parts, and the code of what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pages.shared.controls import Parameters

HOME = "home"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page:
    """One page. The frame draws it with what every page has: menu, example, link, code, sources.

    An edit draws all parts again, and each element takes the server about a millisecond: a heading and the text below
    it are one `st.markdown`.
    """

    module: str  # the name of its module: `__name__`
    concept: str
    question: str
    group: str  # its group in the menu; "" is none
    icon: str  # the name of a Material symbol
    parts: tuple[Callable[[Any, Any], None], ...]  # of the parameters and the example, in the order of the page
    code: Callable[[Any, Any], Any] | None  # of the same; asked only where somebody looks at it or takes it home
    sources: tuple[str, ...]  # Markdown, one an entry
    parameters: type[Parameters] = Parameters
    makes_example: Callable[[Any], Any] | None = None  # of the page’s own, from its parameters; None if it has none yet
    asks: Callable[[Any, Any], str] | None = None  # the question, where it depends on parameters and example
    onward: Callable[[Any, Any], None] | None = None  # draws its own way on: the page then has no bar, map or code

    def code_at(self, parameters: Any, example: Any) -> Any:
        """Return the code of what is on the page.

        Raises: ValueError if the page has no code.
        """
        if self.code is None:
            raise ValueError(f"This asks for the code of a page; {self.name} has none: check its `code` first.")
        return self.code(parameters, example)

    @property
    def name(self) -> str:
        """The page's name in the session and in its address: its file's name without the number."""
        return self.module.rpartition(".")[2].lstrip("0123456789_")
