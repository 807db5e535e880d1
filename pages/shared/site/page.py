"""The class of a page, and the catalogue of all pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
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


FOLDER = Path(__file__).parents[2]

_ALONE = Lock()  # two visitors must not import the pages at the same time


def catalogue() -> tuple[Page, ...]:
    """Return all pages, group by group, in the order of the numbers of their files.

    Raises: ValueError if a page's file does not end in a `Page`.
    """
    with _ALONE:
        return _pages()


def page_named(name: str) -> Page:
    """Return the page with this name."""
    return next(page for page in catalogue() if page.name == name)


@cache
def _pages() -> tuple[Page, ...]:
    files = sorted(FOLDER.glob("[0-9]*_*.py"), key=lambda file: int(file.name.split("_")[0]))
    return by_group([_page(f"pages.{file.stem}") for file in files])


def by_group(pages: Sequence[Page]) -> tuple[Page, ...]:
    """Return the pages sorted by group. The groups are in the order of their first pages in `pages`."""
    groups = [page.group for page in pages]
    return tuple(sorted(pages, key=lambda page: groups.index(page.group)))


def _page(module: str) -> Page:
    found = getattr(import_module(module), "PAGE", None)
    if not isinstance(found, Page):
        raise ValueError(f"a page's file must end in PAGE = Page(…); got {found!r} in {module}: add it.")
    return found
