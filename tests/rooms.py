"""Rooms of a class for the tests: a store of rooms in a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pages.shared.rooms import database
from pages.shared.rooms.codes import new_key
from pages.shared.rooms.store import Store

QUESTION = "scene:softmax_axes.3"
NOW = 1_700_000_000.0
INSTALL = "rooms need SQLAlchemy: pip install -r .hosting/requirements-rooms.txt"


def needs_sql() -> None:
    """Skip the test if the package for the database is not installed."""
    pytest.importorskip("sqlalchemy", reason=INSTALL)


@contextmanager
def rooms_in(folder: Path) -> Iterator[Path]:
    """Let the app store its rooms in this folder until the `with` block ends."""
    needs_sql()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(database.FOLDER_SETTING, str(folder))
        database._store.clear()
        yield folder
    database._store.clear()


@contextmanager
def open_store(folder: Path) -> Iterator[Store]:
    """Give the `with` block a store of rooms in a folder, and close its connections at the end."""
    with rooms_in(folder):
        made = database.store()
        yield made
        made.engine.dispose()


def browsers(n: int) -> list[str]:
    """Return random ids of `n` browsers."""
    return [new_key() for _ in range(n)]
