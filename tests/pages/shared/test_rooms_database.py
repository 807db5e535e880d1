"""Test the database of rooms: it keeps what is in it, and the app says in words if the database is not available."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.rooms import database, schema, store
from pages.shared.rooms.codes import DAY, RoomError, RoomsUnavailableError, new_key
from pages.shared.rooms.store import Store
from rooms import NOW, QUESTION, needs_sql, open_store, rooms_in
from strategies import law


def test_a_change_of_the_schema_keeps_what_is_there(tmp_path, monkeypatch):
    with open_store(tmp_path) as before:
        code, key = before.open_room(QUESTION, time.time())
        before.answer(code, 1, new_key(), "A", time.time())
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, ("ALTER TABLE rooms ADD COLUMN title VARCHAR(9)",)))
    with open_store(tmp_path) as after:
        assert after.answers(code, key) == ((1, "A"),)
        with after.engine.connect() as connection:
            assert connection.execute(store.sql().text("SELECT version FROM schema_version")).all() == [(2,)]
            assert connection.execute(store.sql().text("SELECT title FROM rooms")).all() == [(None,)]


def test_a_start_deletes_the_rooms_that_nobody_has_used_for_a_day(tmp_path):
    with open_store(tmp_path) as before:
        old, _ = before.open_room(QUESTION, time.time() - DAY - 1)
        used, _ = before.open_room(QUESTION, time.time() - DAY + 60)
    with open_store(tmp_path) as after, after.engine.connect() as connection:
        assert connection.execute(store.sql().text("SELECT code FROM rooms")).all() == [(used,)]
        assert used != old


def test_a_database_of_a_newer_app_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(schema, "STEPS", (*schema.STEPS, ()))
    with open_store(tmp_path):
        pass
    monkeypatch.undo()
    with pytest.raises(RoomsUnavailableError, match=r"which a newer app has made\. Update"), open_store(tmp_path):
        pass


def test_the_folder_is_made_with_the_first_room(tmp_path):
    with rooms_in(tmp_path / "deep" / "folder") as folder:
        assert not database.reason_rooms_are_off()
        assert not database.has_rooms()
        assert not folder.exists()
        database.store().open_room(QUESTION, NOW)
        assert database.has_rooms()
        database.store().engine.dispose()


def test_a_folder_that_cannot_be_written_to_switches_rooms_off(tmp_path):
    (tmp_path / "file").write_text("")
    with rooms_in(tmp_path / "file" / "folder"):
        assert database.reason_rooms_are_off() == database.NO_FOLDER
        assert not database.has_rooms()
        with pytest.raises(RoomsUnavailableError, match="cannot be written to"):
            database.store()


def test_rooms_can_be_switched_off(monkeypatch):
    needs_sql()
    monkeypatch.setenv(database.FOLDER_SETTING, database.OFF)
    assert database.reason_rooms_are_off() == database.SWITCHED_OFF


def test_without_the_package_rooms_say_what_to_install(tmp_path, monkeypatch):
    def missing():
        raise ImportError("no module")

    monkeypatch.setenv(database.FOLDER_SETTING, str(tmp_path))
    monkeypatch.setattr(database, "sql", missing)
    assert "pip install -r .hosting/requirements-rooms.txt" in database.reason_rooms_are_off()


def test_a_database_that_does_not_answer_says_so(tmp_path):
    with open_store(tmp_path) as rooms:
        code, _ = rooms.open_room(QUESTION, NOW)
        rooms.engine.dispose()
        for path in tmp_path.iterdir():
            path.unlink()
        tmp_path.rmdir()
        with pytest.raises(RoomsUnavailableError, match=r"so nothing was changed\. Try it again"):
            rooms.answer(code, 1, new_key(), "A", NOW)
        tmp_path.mkdir()


def spoil_tables(path):
    """Remove the tables of the rooms."""
    with closing(sqlite3.connect(path)) as file:
        file.executescript("PRAGMA foreign_keys = OFF; DROP TABLE answers; DROP TABLE members; DROP TABLE rooms")


SPOILED = {
    "no SQLite file": lambda path: path.write_bytes(b"no database" * 400),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[:5000]),
    "tables gone": spoil_tables,
    "bytes changed": lambda path: path.write_bytes(path.read_bytes()[:120] + b"\xff" * 8000),
}


@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
def test_each_error_of_a_database_is_the_one_sentence(spoil, tmp_path):
    with open_store(tmp_path) as rooms:
        code, key = rooms.open_room(QUESTION, NOW)
        rooms.engine.dispose()
        for log in tmp_path.glob("rooms.sqlite-*"):
            log.unlink()
        spoil(tmp_path / "rooms.sqlite")
        for act in (
            lambda: rooms.answer(code, 1, new_key(), "A", NOW),
            lambda: rooms.room(code, NOW),
            lambda: rooms.is_lecturer(code, key),
            lambda: rooms.open_room(QUESTION, NOW),
        ):
            with pytest.raises(RoomsUnavailableError, match=r"does not answer, so nothing was changed\. Try"):
                act()


@law
@given(st.lists(st.tuples(st.integers(0, 40_000), st.binary(min_size=1, max_size=200)), min_size=1, max_size=4))
def test_a_damaged_file_is_read_or_its_error_is_the_one_sentence(damages):
    with TemporaryDirectory() as folder, open_store(Path(folder)) as rooms:
        code, key = rooms.open_room(QUESTION, NOW)
        rooms.answer(code, 1, browser := new_key(), "A", NOW)
        rooms.engine.dispose()
        content = bytearray((path := Path(folder) / "rooms.sqlite").read_bytes())
        for place, damage in damages:
            content[place % len(content) : place % len(content) + len(damage)] = damage
        path.write_bytes(content)
        for act in (
            lambda: rooms.room(code, NOW),
            lambda: rooms.answers(code, key),
            lambda: rooms.answer(code, 1, browser, "B", NOW + 2),
            lambda: rooms.ask(code, key, QUESTION, NOW),
            lambda: rooms.open_room(QUESTION, NOW),
            lambda: Store.on(rooms.engine),
        ):
            with suppress(RoomError, RoomsUnavailableError):
                act()


def test_no_error_of_the_database_names_what_was_sent(tmp_path):
    with open_store(tmp_path) as rooms:
        code, _ = rooms.open_room(QUESTION, NOW)
        spoil_tables(tmp_path / "rooms.sqlite")
        with pytest.raises(RoomsUnavailableError) as error:
            rooms.answer(code, 1, new_key(), "a secret answer", NOW)
    cause = str(error.value.__cause__)
    assert "no such table" in cause
    assert code not in cause


@pytest.mark.parametrize("is_made_again", [False, True])
def test_a_file_that_was_deleted_is_not_written_to_any_more(is_made_again, tmp_path):
    with open_store(tmp_path) as before:
        before.open_room(QUESTION, NOW)
        for path in tmp_path.iterdir():
            path.rename(path.with_name(f"{path.name}.gone"))  # its number on the disk stays in use
        if is_made_again:
            with closing(sqlite3.connect(tmp_path / "rooms.sqlite")) as other:
                other.execute("CREATE TABLE other (x)")
        code, _ = database.store().open_room(QUESTION, time.time())
        database.store().engine.dispose()
        with closing(sqlite3.connect(tmp_path / "rooms.sqlite")) as file:
            assert file.execute("SELECT code FROM rooms").fetchall() == [(code,)]


def test_nothing_of_a_deleted_room_stays_on_the_disk(tmp_path):
    with open_store(tmp_path) as rooms:
        code, key = rooms.open_room(QUESTION, NOW)
        rooms.answer(code, 1, new_key(), "a secret answer", NOW)
        rooms.delete(code, key, NOW)
        assert not [path.name for path in tmp_path.iterdir() if b"a secret answer" in path.read_bytes()]
