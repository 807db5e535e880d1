"""Rooms of a class for the tests: their store in a folder of its own, and a PostgreSQL server from Debian’s package."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pages.shared.rooms import database
from pages.shared.rooms.codes import new_key
from pages.shared.rooms.store import Store
from serving import free_port

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


USER = "postgres"  # Debian's package adds this user, because the server refuses to run as root


@dataclass(frozen=True)
class Postgres:
    """A PostgreSQL server, with the folder that it lies in and its port on this machine."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """The address of the server's database."""
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        log, options = self.folder / "log", f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1"
        _run("pg_ctl", "start", "--wait", "-D", str(self.folder / "data"), "-l", str(log), "-o", options)

    def stop_at_once(self) -> None:
        """Stop the server as if the machine had lost its power."""
        _run("pg_ctl", "stop", "--mode=immediate", "-D", str(self.folder / "data"))


def bin_folder() -> Path | None:
    """Return the folder with the programs of the newest PostgreSQL that Debian has installed, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Run a PostgreSQL server in a new folder until the `with` block ends."""
    with TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            shutil.chown(folder, USER)
        _run("initdb", "-D", f"{folder}/data", "-U", USER, "--auth=trust")
        made = Postgres(Path(folder), free_port())
        made.start()
        try:
            yield made
        finally:
            made.stop_at_once()


def _run(program: str, *options: str) -> None:
    as_user = ["runuser", "-u", USER, "--"] if os.geteuid() == 0 else []
    subprocess.run([*as_user, f"{bin_folder()}/{program}", *options], check=True, stdout=subprocess.DEVNULL, cwd="/")
