"""The class of a page, and the catalogue of all pages."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from pages.shared.controls import Parameters
from pages.shared.notation.texts import Texts

HOME = "home"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Page:
    """One page of the app: its name, its question, and the functions that draw its parts. `frame` draws the page."""

    module: str  # the name of its module: `__name__`
    texts: Texts  # has the concept, the question and the sources, in sections of these names
    parts: tuple[Callable[[Any, Any], None], ...]  # take the parameters and the example
    # More parts, below the code’s numbers: what they show depends on these only while a mistake is looked at.
    below: tuple[Callable[[Any, Any], None], ...] = ()
    code: Callable[[Any, Any], Any] | None  # takes the same; called only if somebody opens or takes the code
    parameters: type[Parameters] = Parameters
    makes_example: Callable[[Any], Any] | None = None  # makes the page’s own example, or None, from its parameters
    asks: Callable[[Any, Any], str] | None = None  # the question, if it depends on parameters and example
    # Returns the state of “Check my matrix” that checks what this page computes, or None if it cannot check this.
    to_check: Callable[[Any, Any], Mapping[str, str] | None] | None = None
    has_map: bool = True  # False if the page has steps of its own that go the way of the map
    onward: Callable[[Any, Any], None] | None = None  # draws the button to go on; then the page has no bar or map

    def code_at(self, parameters: Any, example: Any) -> Any:
        """Return the code that computes the results on the page, for these parameters and this example.

        Raises: ValueError if the page has no code.
        """
        if self.code is None:
            raise ValueError(f"This asks for the code of a page; {self.name} has none: check its `code` first.")
        return self.code(parameters, example)

    @property
    def concept(self) -> str:
        """What the page is about, in a few words."""
        return self.texts.fill("concept")

    @property
    def question(self) -> str:
        """The question that the page answers."""
        return self.texts.fill("question")

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources, in Markdown."""
        return self.texts.points("sources")

    @property
    def name(self) -> str:
        """The name of the page in the session and in its address: the name of its folder."""
        return self.module.split(".")[-2]

    @property
    def group(self) -> str:
        """The title of its group in the menu, or ""."""
        return menu()[self.name].group

    @property
    def icon(self) -> str:
        """The name of its icon, a Material symbol."""
        return menu()[self.name].icon

    @property
    def in_menu(self) -> str:
        """The name of the page in the menu. For the first page, this is the name of the app."""
        return "Attention Lab" if self.name == HOME else self.concept


FOLDER = Path(__file__).parents[2]
MENU = FOLDER / "menu.toml"

_ALONE = Lock()  # two visitors must not import the pages at the same time


class Row(NamedTuple):
    """The row of a page in `menu.toml`."""

    group: str
    icon: str


@cache
def menu() -> Mapping[str, Row]:
    """Return the rows of `menu.toml` by the names of the pages, in the order of the menu."""
    groups = tomllib.loads(MENU.read_text(encoding="utf-8"))["group"]
    return {name: Row(group["title"], icon) for group in groups for name, icon in group["pages"].items()}


def catalogue() -> tuple[Page, ...]:
    """Return all pages, in the order of the menu.

    Raises: ValueError if a page has no folder or no row in the menu, or if its `page.py` has no `PAGE`.
    """
    with _ALONE:
        return _pages()


def page_named(name: str) -> Page:
    """Return the page with this name."""
    return next(page for page in catalogue() if page.name == name)


@cache
def _pages() -> tuple[Page, ...]:
    check_menu(menu(), [path.parent.name for path in FOLDER.glob("*/page.py")])
    return tuple(_page(f"pages.{name}.page") for name in menu())


def check_menu(rows: Collection[str], folders: Collection[str]) -> None:
    """Raise a ValueError that names each page with a row in the menu but no folder, or with a folder but no row."""
    for name in sorted({*rows} ^ {*folders}):
        missing = "a row in menu.toml" if name in folders else f"pages/{name}/page.py"
        raise ValueError(f"A page has a folder and a row in menu.toml; {name} lacks {missing}: add it, or remove both.")


def _page(module: str) -> Page:
    found = getattr(import_module(module), "PAGE", None)
    if not isinstance(found, Page):
        raise ValueError(f"a page's file must end in PAGE = Page(…); got {found!r} in {module}: add it.")
    return found
