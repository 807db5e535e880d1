"""Imports that wait until they are needed: once, and by one thread at a time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from threading import RLock
from typing import TypeVar

T = TypeVar("T")

_lock = RLock()


def late_import(function: Callable[[], T]) -> Callable[[], T]:
    """Let a function that imports something, and returns it, do so at its first call.

    The modules of a large package import each other in circles. Two threads that enter such a circle at different
    places would wait for each other, and Python then gives one of them a module that is only half there. So all such
    imports have one lock. Once something is imported, nobody waits for the lock again.

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
