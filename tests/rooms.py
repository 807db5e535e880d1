"""Rooms of a class for the tests: a store in a folder of its own, and hostile texts."""

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
    """Skip the tests that need the database if its package is missing."""
    pytest.importorskip("sqlalchemy", reason=INSTALL)


@contextmanager
def rooms_in(folder: Path) -> Iterator[Path]:
    """Let the app store its rooms in a folder, until the block ends."""
    needs_sql()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(database.FOLDER_SETTING, str(folder))
        database._store.clear()
        yield folder
    database._store.clear()


@contextmanager
def a_store(folder: Path) -> Iterator[Store]:
    """A store in a folder of its own. Its connections are closed at the end."""
    with rooms_in(folder):
        made = database.store()
        yield made
        made.engine.dispose()


def browsers(n: int) -> list[str]:
    """The random ids of some browsers."""
    return [new_key() for _ in range(n)]
