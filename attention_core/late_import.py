"""Import a module only when it is first needed, once, and in one thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import RLock
from typing import TypeVar

T = TypeVar("T")

_lock = RLock()


def late_import(function: Callable[[], T]) -> Callable[[], T]:
    """Return a function that calls `function` once, at its first call, and then always returns the same result.

    `function` imports an object and returns it. The modules of a large package import each other in circles. Two
    threads that begin to import at different places of a circle would wait for each other. Then Python gives one of
    them a module that is not complete. Therefore all these imports share one lock. After the import, no thread waits
    for the lock again.

    >>> @late_import
    ... def square_root():
    ...     from math import sqrt
    ...     return sqrt
    >>> square_root()(9.0)
    3.0
    """

    @cache
    @wraps(function)
    def imported() -> T:
        with _lock:
            return function()

    return imported
