"""Long computations take turns: visitors who ask for one wait for each other, and nobody else waits for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from threading import RLock
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_TURN = RLock()  # one for the whole process, which a long computation may take again for a part of its work


def in_turn(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function that computes for long run for one visitor after the other. Whoever waits computes nothing.

    It is for work that takes longer than ten times what Streamlit needs to draw a page with one slider.

    >>> in_turn(sum)([1, 2])
    3
    """

    @wraps(function)
    def compute(*args: P.args, **kwargs: P.kwargs) -> T:
        with _TURN:
            return function(*args, **kwargs)

    return compute
