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
    """The queue of visitors. The first visitor has the turn until they leave or have not asked for 3 seconds."""

    clock: Callable[[], float] = time.monotonic
    _heard: dict[Hashable, float] = field(
        default_factory=dict[Hashable, float]
    )  # when each visitor asked last, in the order of the queue
    _lock: Lock = field(default_factory=Lock)

    def before(self, who: Hashable) -> int:
        """Return how many visitors are before the visitor `who` in the queue.

        A new visitor is put at the end. A visitor who asks again keeps the same place.
        """
        with self._lock:
            self._heard[who] = now = self.clock()
            for silent in [each for each, heard in self._heard.items() if now - heard > SILENCE]:
                del self._heard[silent]
            return list(self._heard).index(who)

    def leave(self, who: Hashable) -> None:
        """Remove a visitor from the queue, so that the next visitor has the turn.

        Do nothing if they are not in the queue.
        """
        with self._lock:
            self._heard.pop(who, None)
