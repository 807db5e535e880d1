"""The tables of the rooms, their versions, and the statements that read them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from types import ModuleType
from typing import Any

from attention_core.late_import import late_import
from pages.shared.rooms.codes import RoomsUnavailableError


@late_import
def sql() -> ModuleType:
    """Return the module SQLAlchemy. Raises: ImportError if it is not installed."""
    import sqlalchemy

    return sqlalchemy


# The statements of each step. A change of the schema is one more step: the steps before it stay as they are.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE rooms (code VARCHAR(5) PRIMARY KEY, key_hash VARCHAR(64) NOT NULL, version INTEGER NOT NULL, "
        "used DOUBLE PRECISION NOT NULL)",
        "CREATE TABLE rounds (code VARCHAR(5) NOT NULL REFERENCES rooms (code) ON DELETE CASCADE, "
        "number INTEGER NOT NULL, question VARCHAR(100) NOT NULL, revealed INTEGER NOT NULL, "
        "PRIMARY KEY (code, number))",
        "CREATE TABLE members (code VARCHAR(5) NOT NULL REFERENCES rooms (code) ON DELETE CASCADE, "
        "browser VARCHAR(64) NOT NULL, answered DOUBLE PRECISION NOT NULL, PRIMARY KEY (code, browser))",
        "CREATE TABLE answers (code VARCHAR(5) NOT NULL, number INTEGER NOT NULL, browser VARCHAR(64) NOT NULL, "
        "answer VARCHAR(4000) NOT NULL, PRIMARY KEY (code, number, browser), "
        "FOREIGN KEY (code, number) REFERENCES rounds (code, number) ON DELETE CASCADE)",
    ),
)
NEWER = (
    "This app knows the database of rooms up to version {most}, but the database has version {found}, which a newer "
    "app has made. Update this app, or give it another folder."
)


def bring_up_to_date(engine: Any) -> None:
    """Bring the tables of a database to the present version of the app. `engine` is the SQLAlchemy engine.

    `STEPS` has the statements that lead from each version to the next. Only the missing ones are run.

    Raises: RoomsUnavailableError if a newer version of the app has changed the database.
    """
    with engine.begin() as connection:
        _wait_for_others(connection)
        connection.execute(sql().text("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)"))
    with engine.begin() as connection:
        _wait_for_others(connection)
        found = connection.execute(sql().text("SELECT MAX(version) FROM schema_version")).scalar() or 0
        if found > len(STEPS):
            raise RoomsUnavailableError(NEWER.format(most=len(STEPS), found=found))
        if found == len(STEPS):
            return
        for statement in (each for step in STEPS[found:] for each in step):
            connection.execute(sql().text(statement))
        connection.execute(sql().text("DELETE FROM schema_version"))
        connection.execute(sql().text("INSERT INTO schema_version VALUES (:version)"), {"version": len(STEPS)})


def _wait_for_others(connection: Any) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(sql().text("SELECT pg_advisory_xact_lock(4517)"))  # the same number in all processes
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")


SECOND = 1.0
MOST_KEPT = 2000  # versions of rooms; after so many, all are forgotten


@dataclass(slots=True)
class Versions:
    """The last known version of each room, and the time at which the database was asked for it."""

    read: Callable[[str], int]  # asks the database for the version of the room with this code
    kept: dict[str, tuple[int, float]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def at(self, code: str, now: float) -> int:
        """Return the version of the room `code`, at most a second old, or 0 if there is no such room.

        `now` is a time in seconds that nobody can set back.
        """
        with self.lock:
            found = self.kept.get(code)
            if found and now - found[1] < SECOND:
                return found[0]
            if found:
                self.kept[code] = (found[0], now)  # other threads use the old version while this one asks
        version = self.read(code)
        with self.lock:
            if len(self.kept) >= MOST_KEPT:
                self.kept.clear()
            self.kept[code] = (version, now)
        return version

    def forget(self, code: str) -> None:
        """Forget the version of a room, so that the next request reads it from the database."""
        with self.lock:
            self.kept.pop(code, None)
