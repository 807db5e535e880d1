"""The database of the rooms: a PostgreSQL database that `secrets.toml` names, or otherwise an SQLite file."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import streamlit as st

from pages.shared.rooms.codes import RoomsUnavailableError
from pages.shared.rooms.schema import sql
from pages.shared.rooms.store import Store

FOLDER_SETTING = "ATTENTION_LAB_ROOMS"  # a folder, or `off`
OFF = "off"
NAME = "rooms"  # the name of the connection in `secrets.toml`, and of the SQLite file
PATIENCE = 10  # seconds for which a change of the SQLite file waits for the changes of other processes
INSTALL = (
    "Rooms need SQLAlchemy, which is not installed here. Whoever runs the app can install it: "
    "`pip install -r .hosting/requirements-rooms.txt`."
)
SWITCHED_OFF = "Rooms are switched off on this machine. Everything else works."
NO_FOLDER = (
    "Rooms are switched off here, because the folder in which they would be kept cannot be written to. Everything "
    f"else works. Whoever runs the app can name another folder in the setting `{FOLDER_SETTING}`."
)


def reason_rooms_are_off() -> str:
    """Return a sentence that says why this machine can open no room, or "" if it can."""
    if _setting() == OFF:
        return SWITCHED_OFF
    try:
        sql()
    except ImportError:
        return INSTALL
    return "" if _is_in_secrets() or _can_be_made(folder()) else NO_FOLDER


def folder() -> Path:
    """Return the folder for the SQLite file: the folder that the settings name, or a folder for the user's state."""
    state = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(_setting() or f"{state}/attention-lab").expanduser()


def has_rooms() -> bool:
    """Return whether there may be a room. The SQLite file does not exist before the first room is opened."""
    return not reason_rooms_are_off() and (_is_in_secrets() or _file().exists())


def store() -> Store:
    """Return the store of the rooms. The first call creates it.

    Raises: RoomsUnavailableError if rooms are switched off, or their database does not answer.
    """
    made, file = _store(str(folder()))
    if file != _file_number():  # somebody has deleted the file, and perhaps another process has made a new one
        made.engine.dispose()
        _store.clear()
        made, _ = _store(str(folder()))
    return made


@st.cache_resource(show_spinner=False)
def _store(folder_name: str) -> tuple[Store, int]:
    """Return the store, and the number of its file on the disk."""
    made = _make_store()
    made.delete_unused(time.time())
    return made, _file_number()


def _file_number() -> int:
    """Return the number by which the disk knows the SQLite file, or 0 if there is none."""
    try:
        return _file().stat().st_ino
    except OSError:
        return 0


def _make_store() -> Store:
    if reason := reason_rooms_are_off():
        raise RoomsUnavailableError(reason)
    if _is_in_secrets():
        return Store.on(st.connection(NAME, type="sql", pool_pre_ping=True, hide_parameters=True).engine)
    try:
        folder().mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise RoomsUnavailableError(NO_FOLDER) from error
    return Store.on(in_a_file(_file()))


def in_a_file(path: Path) -> Any:
    """Return the SQLAlchemy engine of an SQLite file with a write-ahead log: readers never wait for a writer."""
    url = sql().engine.URL.create("sqlite", database=str(path))
    engine = st.connection(
        NAME, type="sql", url=str(url), connect_args={"timeout": PATIENCE}, hide_parameters=True
    ).engine
    sql().event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: Any, _: Any) -> None:
    for pragma in ("journal_mode = WAL", "foreign_keys = ON", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _file() -> Path:
    return folder() / f"{NAME}.sqlite"


def _setting() -> str:
    return os.environ.get(FOLDER_SETTING, "")


def _is_in_secrets() -> bool:
    if not st.secrets.load_if_toml_exists():
        return False
    return NAME in st.secrets.get("connections", {})


def _can_be_made(path: Path) -> bool:
    existing = next((each for each in (path, *path.parents) if each.exists()), None)
    return existing is not None and existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
