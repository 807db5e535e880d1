"""Long computations take turns: visitors who ask for one wait for each other, and nobody else waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import wraps
from heapq import heapify, heappop, heappush
from itertools import count
from threading import Condition, get_ident
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class _Queue:
    """The long computations of the whole process. One runs, and the others wait.

    Next comes the one whose time of arrival plus its patience is least. So a short one passes long ones, but no long
    one waits for ever.
    """

    def __init__(self) -> None:
        self._changed, self._arrivals = Condition(), count()
        self._waiting = list[tuple[float, int]]()
        self._runs, self._depth = 0, 0  # the thread that computes, and how often it has taken the turn

    @contextmanager
    def turn(self, patience: float) -> Generator[None, None, None]:
        self._take(patience)
        try:
            yield
        finally:
            self._leave()

    def _take(self, patience: float) -> None:
        with self._changed:
            if self._runs == get_ident():  # a part of the computation that has the turn
                self._depth += 1
                return
            ticket = (time.monotonic() + patience, next(self._arrivals))
            heappush(self._waiting, ticket)
            try:
                while self._depth or self._waiting[0] != ticket:
                    self._changed.wait()
                heappop(self._waiting)
            except BaseException:  # whoever no longer waits must not keep the others waiting
                self._waiting.remove(ticket)
                heapify(self._waiting)
                self._changed.notify_all()
                raise
            self._runs, self._depth = get_ident(), 1

    def _leave(self) -> None:
        with self._changed:
            self._depth -= 1
            if not self._depth:
                self._runs = 0
                self._changed.notify_all()


_QUEUE = _Queue()


def _no_patience(*_: Any, **__: Any) -> float:
    return 0.0


def in_turn(function: Callable[P, T], patience: Callable[P, float] = _no_patience) -> Callable[P, T]:
    """Let a function that computes for long run for one visitor after the other. Whoever waits computes nothing.

    It is for work that takes longer than ten times what Streamlit needs to draw a page with one slider. `patience`
    returns for how many seconds a computation lets others pass that come after it. It should grow with its length.

    >>> in_turn(sum)([1, 2])
    3
    """

    @wraps(function)
    def compute(*args: P.args, **kwargs: P.kwargs) -> T:
        with _QUEUE.turn(patience(*args, **kwargs)):
            return function(*args, **kwargs)

    return compute
