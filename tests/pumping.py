"""Check whether work grows with the length of a text or with its square, for every pattern of a module."""

from __future__ import annotations

import ast
import gc
import re
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from serving import ROOT

METHODS = {"search", "match", "fullmatch", "finditer", "findall", "sub", "split"}
LENGTH, LONGER, ROUNDS = 6_000, 4, 4
FLOOR = 0.02  # seconds; if the work grows with the square, 6,000 characters take much more
MOST_TIMES_LONGER = 8  # for 4 times the length; the square would be 16


class Use(NamedTuple):
    """A pattern, and the method by which a module uses it."""

    pattern: re.Pattern[str]
    method: str

    def on(self, text: str) -> None:
        """Run it on a text, to the end."""
        if self.method == "sub":
            self.pattern.sub("", text)
        elif self.method == "finditer":
            for _ in self.pattern.finditer(text):
                pass
        else:
            getattr(self.pattern, self.method)(text)


def uses_in(path: Path) -> set[Use]:
    """Every pattern in a file with its methods that are called.

    If a pattern is passed on, assume that it searches a text.
    """
    found = vars(import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)))
    patterns = {name: value for name, value in found.items() if isinstance(value, re.Pattern)}
    tree = ast.parse(path.read_text("utf-8"))
    named = {Use(patterns[name], method) for name, method in _named(tree) if name in patterns}
    return named | {Use(re.compile(pattern), method) for pattern, method in _written_in_place(tree)}


def _named(tree: ast.AST) -> Iterator[tuple[str, str]]:
    called = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
            yield node.value.id, node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            yield node.id, "finditer"


def _written_in_place(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            pattern = node.args[0] if node.args else None
            if node.func.value.id == "re" and node.func.attr in METHODS and isinstance(pattern, ast.Constant):
                yield str(pattern.value), node.func.attr


def grows_with_the_square(do: Callable[[str], object], text_of: Callable[[int], str]) -> bool:
    """Say whether a text of four times the length takes much more than four times as long."""
    if _seconds(do, text_of(LENGTH)) < FLOOR:
        return False
    pairs = [(_seconds(do, text_of(LENGTH)), _seconds(do, text_of(LONGER * LENGTH))) for _ in range(ROUNDS)]
    short, long = map(min, zip(*pairs, strict=True))  # the quickest of each: a machine may be busy for some rounds
    return long / short > MOST_TIMES_LONGER


def _seconds(do: Callable[[str], object], text: str) -> float:
    """Measure without collecting garbage, which takes the longer the more a process of tests holds."""
    gc.disable()
    try:
        began = time.process_time()
        do(text)
        return time.process_time() - began
    finally:
        gc.enable()
