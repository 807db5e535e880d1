"""The class of a page: its question, its settings, its parts, and the code of what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pages.shared.controls import Parameters
from pages.shared.notation.texts import Texts

HOME = "home"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page:
    """One page of the app: its name, its question, and the functions that draw its parts. `frame` draws the page.

    After an edit, all `parts` are drawn again, and each element takes the server about a millisecond. Therefore a
    heading and the text below it are one `st.markdown`.
    """

    module: str  # the name of its module: `__name__`
    texts: Texts | None = None  # has the concept, the question and the sources, in sections of these names
    concept: str = ""
    question: str = ""
    group: str  # its group in the menu, or ""
    icon: str  # the name of a Material symbol
    parts: tuple[Callable[[Any, Any], None], ...]  # take the parameters and the example
    code: Callable[[Any, Any], Any] | None  # takes the same; called only if somebody opens or takes the code
    sources: tuple[str, ...] = ()  # in Markdown
    parameters: type[Parameters] = Parameters
    makes_example: Callable[[Any], Any] | None = None  # makes the page’s own example, or None, from its parameters
    asks: Callable[[Any, Any], str] | None = None  # the question, if it depends on parameters and example
    # Returns the state of “Check my matrix” that checks what this page computes, or None if it cannot check this.
    to_check: Callable[[Any, Any], Mapping[str, str] | None] | None = None
    onward: Callable[[Any, Any], None] | None = None  # draws the button to go on; then the page has no bar or map

    def __post_init__(self) -> None:
        if self.texts:
            said = {name: self.texts.fill(name) for name in ("concept", "question")}
            for name, text in {**said, "sources": self.texts.points("sources")}.items():
                object.__setattr__(self, name, text)

    def code_at(self, parameters: Any, example: Any) -> Any:
        """Return the code that computes the results on the page, for these parameters and this example.

        Raises: ValueError if the page has no code.
        """
        if self.code is None:
            raise ValueError(f"This asks for the code of a page; {self.name} has none: check its `code` first.")
        return self.code(parameters, example)

    @property
    def name(self) -> str:
        """The name of the page in the session and in its address: the name of its file without the number."""
        return self.module.rpartition(".")[2].lstrip("0123456789_")

    @property
    def in_menu(self) -> str:
        """The name of the page in the menu. For the first page, this is the name of the app."""
        return "Attention Lab" if self.name == HOME else self.concept
