"""Keep the versions of rooms in memory, so that all waiting phones together need one database query a second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock

SECOND = 1.0
MOST_KEPT = 2000  # versions of rooms; after so many, all are forgotten


@dataclass(slots=True)
class Versions:
    """The last known version of each room, and the time at which the database was asked for it.

    A version is a number that grows whenever the lecturer changes the room. The database is asked at most once a second
    for each room.
    """

    read: Callable[[str, float], int]  # asks the database for the version: takes the code and the time
    kept: dict[str, tuple[int, float]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def at(self, code: str, now: float) -> int:
        """Return the version of the room `code`, at most a second old, or 0 if there is no such room."""
        with self.lock:
            found = self.kept.get(code)
            if found and now - found[1] < SECOND:
                return found[0]
            if found:
                self.kept[code] = (found[0], now)  # other threads use the old version while this one asks
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
