"""Turns: many ask, one at a time is answered, first come, first served."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from threading import Lock

SILENCE = 3.0  # seconds; who is not heard of for so long has left


@dataclass(slots=True)
class Turns:
    """Those who wait, in the order in which they came. The first has his turn until he leaves or falls silent."""

    clock: Callable[[], float] = time.monotonic
    _heard: dict[Hashable, float] = field(
        default_factory=dict[Hashable, float]
    )  # when each was last heard of, in their order
    _alone: Lock = field(default_factory=Lock)

    def before(self, who: Hashable) -> int:
        """Say how many come before someone, who is thereby heard of. Who is new, or was given up, stands last."""
        with self._alone:
            self._heard[who] = now = self.clock()
            for silent in [each for each, heard in self._heard.items() if now - heard > SILENCE]:
                del self._heard[silent]
            return list(self._heard).index(who)

    def leave(self, who: Hashable) -> None:
        """Let the next one have his turn. Who does not wait may leave as well."""
        with self._alone:
            self._heard.pop(who, None)
