"""Test the database of rooms: it keeps what is in it, and the app says in words if the database is not available."""

from __future__ import annotations

import time

import pytest

from pages.shared.rooms import database, schema, store
from pages.shared.rooms.codes import DAY, RoomsUnavailableError, new_key
from rooms import NOW, QUESTION, needs_sql, open_store, rooms_in


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
    with pytest.raises(ValueError, match=r"which a newer app has made\. Update"), open_store(tmp_path):
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
