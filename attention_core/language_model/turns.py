"""A queue of visitors who ask at the same time.

They are answered one after another, in the order in which they came.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

SILENCE = 3.0  # seconds: a visitor who has not asked for this time has left the queue


@dataclass(slots=True)
class Turns:
    """A queue of visitors. The first visitor may use the model.

    A visitor calls `before` again and again. After 3 seconds without a call, the visitor is removed from the queue.
    """

    clock: Callable[[], float] = time.monotonic
    _heard: dict[Hashable, float] = field(
        default_factory=dict[Hashable, float]
    )  # when each visitor last called `before`, in the order of the queue
    _lock: Lock = field(default_factory=Lock)

    def before(self, visitor: Hashable) -> int:
        """Return how many visitors are before the visitor `visitor` in the queue.

        A new visitor is put at the end of the queue. Every later call keeps the visitor's place.
        """
        with self._lock:
            self._heard[visitor] = now = self.clock()
            for silent in [each for each, heard in self._heard.items() if now - heard > SILENCE]:
                del self._heard[silent]
            return list(self._heard).index(visitor)

    def leave(self, visitor: Hashable) -> None:
        """Remove the visitor `visitor` from the queue. Do nothing if this visitor is not in the queue."""
        with self._lock:
            self._heard.pop(visitor, None)
