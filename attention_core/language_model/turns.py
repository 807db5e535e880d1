"""Turns: many visitors ask, and one at a time is answered: first come, first served."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

SILENCE = 3.0  # seconds; somebody who has not asked for so long has left


@dataclass(slots=True)
class Turns:
    """Those who wait, in the order in which they came. The first has the turn until they leave or fall silent."""

    clock: Callable[[], float] = time.monotonic
    _heard: dict[Hashable, float] = field(
        default_factory=dict[Hashable, float]
    )  # when each has asked last, in the order of the queue
    _lock: Lock = field(default_factory=Lock)

    def before(self, who: Hashable) -> int:
        """Say how many come before somebody. Asking also says that one is still there; a newcomer stands last."""
        with self._lock:
            self._heard[who] = now = self.clock()
            for silent in [each for each, heard in self._heard.items() if now - heard > SILENCE]:
                del self._heard[silent]
            return list(self._heard).index(who)

    def leave(self, who: Hashable) -> None:
        """Leave the queue, so that the next one has the turn. Somebody who does not wait may leave as well."""
        with self._lock:
            self._heard.pop(who, None)
