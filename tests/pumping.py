"""Check whether the work of a function grows with the length of a text or with its square.

The functions are the regular expressions of a module.
"""

from __future__ import annotations

import ast
import gc
import math
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
CLEARLY_LINEAR = 6  # times as long for 4 times the length; no further round is needed


class Use(NamedTuple):
    """A regular expression of a module, and the name of the method that the module calls, such as "search"."""

    pattern: re.Pattern[str]
    method: str

    def apply_to(self, text: str) -> None:
        """Call the method on the regular expression and `text`. For `finditer`, find all matches."""
        if self.method == "sub":
            self.pattern.sub("", text)
        elif self.method == "finditer":
            for _ in self.pattern.finditer(text):
                pass
        else:
            getattr(self.pattern, self.method)(text)


def uses_in(path: Path) -> set[Use]:
    """Return every regular expression of the Python file `path`, each with every method that the file calls on it.

    If the file passes a regular expression to a function, assume that the function searches a text with it.
    """
    found = vars(import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)))
    patterns = {name: value for name, value in found.items() if isinstance(value, re.Pattern)}
    tree = ast.parse(path.read_text("utf-8"))
    named = {Use(patterns[name], method) for name, method in _named_uses(tree) if name in patterns}
    return named | {Use(re.compile(pattern), method) for pattern, method in _uses_of_literals(tree)}


def _named_uses(tree: ast.AST) -> Iterator[tuple[str, str]]:
    called = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
            yield node.value.id, node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and id(node) not in called:
            yield node.id, "finditer"


def _uses_of_literals(tree: ast.AST) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            pattern = node.args[0] if node.args else None
            if node.func.value.id == "re" and node.func.attr in METHODS and isinstance(pattern, ast.Constant):
                yield str(pattern.value), node.func.attr


def grows_with_the_square(do: Callable[[str], object], text_of: Callable[[int], str], *, length: int = LENGTH) -> bool:
    """Return whether `do` takes much more than four times as long for a text that is four times as long.

    `text_of` makes a text of a given length. If `do` is very fast, return False.
    """
    short, long = _seconds(do, text_of(length)), math.inf
    if short < FLOOR:
        return False
    for _ in range(ROUNDS):  # the quickest of each: a machine may be busy for some rounds
        short = min(short, _seconds(do, text_of(length)))
        long = min(long, _seconds(do, text_of(LONGER * length)))
        if long / short < CLEARLY_LINEAR:
            return False
    return long / short > MOST_TIMES_LONGER


def _seconds(do: Callable[[str], object], text: str) -> float:
    """Return the seconds of computing that `do` takes for a text.

    Garbage collection is turned off meanwhile, because its time depends on how many objects the tests have made.
    """
    gc.disable()
    try:
        began = time.process_time()
        do(text)
        return time.process_time() - began
    finally:
        gc.enable()
