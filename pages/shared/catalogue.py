"""The catalogue of pages, read from the page files themselves: a new page is one new file."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
HOME = "app.py"


@dataclass(frozen=True, slots=True)
class Entry:
    """What the navigation needs to know of a page: the literal arguments of its call of `frame.page`."""

    path: str  # from the project's root
    concept: str
    question: str
    group: str
    icon: str  # the name of a Material symbol

    @property
    def name(self) -> str:
        """The page's name in the session and in the URL: its file name without the number; home's URL needs none."""
        return "home" if self.path == HOME else Path(self.path).stem.lstrip("0123456789_")

    @property
    def module(self) -> str:
        """The name by which the page's file is imported."""
        return self.path.removesuffix(".py").replace("/", ".")


@cache
def catalogue() -> tuple[Entry, ...]:
    """Return home and every page, in the order of their numbers."""
    pages = sorted((ROOT / "pages").glob("[0-9]*_*.py"), key=lambda path: int(path.name.split("_")[0]))
    return tuple(_entry(path) for path in [ROOT / HOME, *pages])


@cache
def entry_of(module: str) -> Entry:
    """Return the entry of a page by its module."""
    return next(entry for entry in catalogue() if entry.module == module)


def _entry(path: Path) -> Entry:
    relative = path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "frame.page":
            given = {k.arg: k.value for k in node.keywords}
            literals = {key: ast.literal_eval(given[key]) for key in ("concept", "question", "group", "icon")}
            return Entry(path=relative, **literals)
    raise ValueError(
        f"a page must call frame.page; got none in {relative}: add one with concept, question, group and icon."
    )
