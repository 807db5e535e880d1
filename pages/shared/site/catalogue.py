"""The catalogue of all pages, in order. A new page needs only a new file in `pages/`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock

from pages.shared.site.page import Page

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
