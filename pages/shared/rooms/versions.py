"""The versions of rooms in memory, so that any number of waiting phones needs one database query a second per room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

SECOND = 1.0
MOST_KEPT = 2000  # rooms, before all are forgotten


@dataclass(slots=True)
class Versions:
    """The version of each room, and when the database was asked for it."""

    read: Callable[[str, float], int]  # asks the database: the code and the time
    kept: dict[str, tuple[int, float]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def at(self, code: str, now: float) -> int:
        """Return the version of a room as it was within the last second, or 0 where there is none."""
        with self.lock:
            found = self.kept.get(code)
            if found and now - found[1] < SECOND:
                return found[0]
            if found:
                self.kept[code] = (found[0], now)  # the others go on with the old one while this thread asks
        version = self.read(code, now)
        with self.lock:
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            self.kept[code] = (version, now)
        return version

    def forget(self, code: str) -> None:
        """Forget the version of a room, so that the next request reads it from the database."""
        with self.lock:
            self.kept.pop(code, None)
