"""The store: rooms, their questions and their answers in a database. It stores nothing personal.

Each change first writes the row of its room. In SQLite and in PostgreSQL alike, changes of one room then wait for each
other. So everything that a change reads after that stays true until the change is done.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pages.shared.rooms.codes import (
    DAY,
    HOUR,
    LONGEST_ANSWER,
    MOST_BROWSERS,
    MOST_ROOMS,
    MOST_ROUNDS,
    SECONDS_BETWEEN_ANSWERS,
    RoomError,
    RoomsUnavailableError,
    hash_of,
    is_secret,
    new_code,
    new_key,
)
from pages.shared.rooms.schema import bring_up_to_date, sql

NO_ROOM = "No open room has the code {code}. Check the code, or ask the lecturer for a new one."
NOT_YOURS = (
    "Only the lecturer's own link can do this, but your link has another key. Open the link that the room began with."
)
NOT_OPEN = "Only the open question can be answered, but this one is closed. Answer the question that is shown now."
TOO_SOON = "You can send one answer a second, but your last two came faster. Wait a second, and send the answer again."
FULL = f"A room holds at most {MOST_BROWSERS:,} browsers, and this room is full. Ask the lecturer for a second room."
NO_ID = "Your browser must send its random id, but it sent something else. Reload the page."
TOO_LONG = f"An answer can have at most {LONGEST_ANSWER:,} characters, but yours has more. Shorten it."
TOO_MANY_ROOMS = (
    f"There can be at most {MOST_ROOMS} rooms at a time, and there are as many now. Delete a room, or wait for a day."
)
TOO_MANY_ROUNDS = f"A room can ask at most {MOST_ROUNDS} questions, and this room has asked as many. Open another room."
NO_ANSWER = "The database of the rooms does not answer, so nothing was changed. Try it again in a moment."


@dataclass(frozen=True, slots=True)
class Round:
    """A question that was asked in a room. A question that is asked twice has two rounds."""

    number: int  # counted from 1
    question: str  # its reference, such as "task:attention.17.2"
    revealed: bool


@dataclass(frozen=True, slots=True)
class Room:
    """A room, in which a class answers questions, as it is now."""

    code: str
    version: int  # a number that grows when a round begins, and when a round is revealed
    rounds: tuple[Round, ...]

    @property
    def current(self) -> Round:
        """The last round, which is open or whose answers are revealed."""
        return self.rounds[-1]


@dataclass(frozen=True, slots=True)
class Store:
    """The rooms in one database, with their questions and answers."""

    engine: Any  # of SQLAlchemy

    @classmethod
    def on(cls, engine: Any) -> Store:
        """Return the store of rooms in a database. `engine` is the SQLAlchemy engine of the database."""
        with _answering():
            bring_up_to_date(engine)
        return cls(engine)

    # --- what a lecturer does ---

    def open_room(self, question: str, now: float) -> tuple[str, str]:
        """Open a room with its first question. Return the room's code and the lecturer's key.

        `now` is the time in seconds. Raises: RoomError if there are too many rooms.
        """
        key = new_key()
        with self._changing() as run:
            run("UPDATE schema_version SET version = version")  # so that rooms are opened one after the other
            _delete_unused(run, now)
            if run("SELECT COUNT(*) FROM rooms").scalar() >= MOST_ROOMS:
                _delete_empty(run, now)
            taken = {code for (code,) in run("SELECT code FROM rooms")}
            if len(taken) >= MOST_ROOMS:
                raise RoomError(TOO_MANY_ROOMS)
            code = next(code for code in iter(new_code, "") if code not in taken)
            run("INSERT INTO rooms VALUES (:code, :hash, 1, :now)", code=code, hash=hash_of(code, key), now=now)
            run("INSERT INTO rounds VALUES (:code, 1, :question, 0)", code=code, question=question)
        self._forget_deleted()
        return code, key

    def ask(self, code: str, key: str, question: str, now: float) -> None:
        """Begin another round in a room. `question` is the reference of its question.

        Raises: RoomError if the key is not the lecturer's, or the room has too many rounds.
        """
        with self._leading(code, key, now) as run:
            number = run("SELECT MAX(number) FROM rounds WHERE code = :code", code=code).scalar()
            if number >= MOST_ROUNDS:
                raise RoomError(TOO_MANY_ROUNDS)
            run("INSERT INTO rounds VALUES (:code, :n, :question, 0)", code=code, n=number + 1, question=question)

    def reveal(self, code: str, key: str, now: float) -> None:
        """Reveal the answers of the open round. Raises: RoomError if the key is not the lecturer's."""
        with self._leading(code, key, now) as run:
            run(
                "UPDATE rounds SET revealed = 1 WHERE code = :code AND number = "
                "(SELECT MAX(number) FROM rounds WHERE code = :code)",
                code=code,
            )

    def delete(self, code: str, key: str, now: float) -> None:
        """Delete a room and all that belongs to it. Raises: RoomError if the key is not the lecturer's."""
        with self._leading(code, key, now) as run:
            run("DELETE FROM rooms WHERE code = :code", code=code)
        self._forget_deleted()

    def answers(self, code: str, key: str) -> tuple[tuple[int, str], ...]:
        """Return all answers of a room, each as a pair: the number of its round, and its text.

        The order of the answers does not show who has sent them. Raises: RoomError if the key is not the lecturer's.
        """
        if not self.is_lecturer(code, key):
            raise RoomError(NOT_YOURS)
        with self._reading() as run:
            found = run("SELECT number, answer FROM answers WHERE code = :code ORDER BY number, answer", code=code)
            return tuple((number, answer) for number, answer in found)

    def answers_since(self, code: str, key: str, number: int, since: float) -> tuple[str, ...]:
        """Return the answers to the round `number` by all browsers that answered at the time `since` or later.

        Each text is returned once. Raises: RoomError if the key is not the lecturer's.
        """
        if not self.is_lecturer(code, key):
            raise RoomError(NOT_YOURS)
        with self._reading() as run:
            found = run(
                "SELECT DISTINCT answers.answer FROM answers JOIN members ON members.code = answers.code "
                "AND members.browser = answers.browser "
                "WHERE answers.code = :code AND answers.number = :n AND members.answered >= :since",
                code=code,
                n=number,
                since=since,
            )
            return tuple(answer for (answer,) in found)

    def is_lecturer(self, code: str, key: str) -> bool:
        """Return whether `key` is the key of the lecturer who leads the room `code`."""
        with self._reading() as run:
            return _has_key(run, code, key)

    # --- what a student does ---

    def join(self, code: str, browser: str, now: float) -> None:
        """Count a browser as a member of the room, at most once. `browser` is its random id.

        Raises: RoomError if there is no such room, or the room is full.
        """
        with self._changing() as run:
            _use(run, code, now)
            _join(run, code, browser)

    def answer(self, code: str, number: int, browser: str, answer: str, now: float) -> None:
        """Store a browser's answer to the open round `number`, in place of an earlier answer of this browser.

        When this function returns, the answer is on disk.

        Raises: RoomError with a text that says why the answer was refused.
        """
        if len(answer) > LONGEST_ANSWER:
            raise RoomError(TOO_LONG)
        with self._changing() as run:
            _use(run, code, now)
            _join(run, code, browser)
            _check_that_it_may_answer(run, code, number, browser, now)
            here = {"code": code, "n": number, "browser": hash_of(code, browser)}
            run("DELETE FROM answers WHERE code = :code AND number = :n AND browser = :browser", **here)
            run("INSERT INTO answers VALUES (:code, :n, :browser, :answer)", **here, answer=answer)
            run(
                "UPDATE members SET answered = :now WHERE code = :code AND browser = :browser",
                now=now,
                code=code,
                browser=here["browser"],
            )

    def answer_of(self, code: str, number: int, browser: str) -> str | None:
        """Return a browser's answer to a round, or None if it has not answered."""
        with self._reading() as run:
            return run(
                "SELECT answer FROM answers WHERE code = :code AND number = :n AND browser = :browser",
                code=code,
                n=number,
                browser=hash_of(code, browser),
            ).scalar()

    # --- what both see ---

    def room(self, code: str, now: float) -> Room | None:
        """Return a room as it is now, or None if there is no such room."""
        with self._reading() as run:
            version = _version(run, code, now)
            rounds = run("SELECT number, question, revealed FROM rounds WHERE code = :code ORDER BY number", code=code)
            found = tuple(Round(number, question, bool(revealed)) for number, question, revealed in rounds)
        return Room(code, version, found) if version and found else None

    def version(self, code: str, now: float) -> int:
        """Return the version of a room, or 0 if there is no such room."""
        with self._reading() as run:
            return _version(run, code, now)

    def counts(self, code: str, number: int) -> tuple[int, int]:
        """Return how many browsers have joined a room, and how many have answered a round."""
        with self._reading() as run:
            joined = run("SELECT COUNT(*) FROM members WHERE code = :code", code=code).scalar()
            answered = run("SELECT COUNT(*) FROM answers WHERE code = :code AND number = :n", code=code, n=number)
            return joined, answered.scalar()

    def delete_unused(self, now: float) -> None:
        """Delete the rooms that nobody has used for a day."""
        with self._changing() as run:
            _delete_unused(run, now)
        self._forget_deleted()

    def _forget_deleted(self) -> None:
        """Empty SQLite's write-ahead log, in which deleted answers can otherwise still be read."""
        if self.engine.dialect.name == "sqlite":
            with self._reading() as run:
                run("PRAGMA wal_checkpoint(TRUNCATE)")

    # --- transactions ---

    @contextmanager
    def _reading(self) -> Iterator[Any]:
        with _answering(), self.engine.connect() as connection:
            yield _runner(connection)

    @contextmanager
    def _changing(self) -> Iterator[Any]:
        with _answering(), self.engine.begin() as connection:
            yield _runner(connection)

    @contextmanager
    def _leading(self, code: str, key: str, now: float) -> Iterator[Any]:
        """Run a block of statements that only the lecturer may run, and count the room's version up by 1."""
        with self._changing() as run:
            _use(run, code, now)
            if not _has_key(run, code, key):
                raise RoomError(NOT_YOURS)
            run("UPDATE rooms SET version = version + 1 WHERE code = :code", code=code)
            yield run


def _runner(connection: Any) -> Any:
    return lambda statement, **values: connection.execute(sql().text(statement), values)


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except sql().exc.SQLAlchemyError as error:  # the base class: a file may be corrupt, a table gone, a server away
        raise RoomsUnavailableError(NO_ANSWER) from error


def _delete_unused(run: Any, now: float) -> None:
    run("DELETE FROM rooms WHERE used < :then", then=now - DAY)


def _delete_empty(run: Any, now: float) -> None:
    """Delete the rooms that nobody has joined and nobody has led for an hour."""
    run(
        "DELETE FROM rooms WHERE used < :then AND NOT EXISTS (SELECT 1 FROM members WHERE members.code = rooms.code)",
        then=now - HOUR,
    )


def _use(run: Any, code: str, now: float) -> None:
    then = now - DAY
    if not run(
        "UPDATE rooms SET used = :now WHERE code = :code AND used >= :then", now=now, code=code, then=then
    ).rowcount:
        raise RoomError(NO_ROOM.format(code=code))


def _join(run: Any, code: str, browser: str) -> None:
    if not is_secret(browser):
        raise RoomError(NO_ID)
    here = {"code": code, "browser": hash_of(code, browser)}
    if run("SELECT 1 FROM members WHERE code = :code AND browser = :browser", **here).scalar():
        return
    if run("SELECT COUNT(*) FROM members WHERE code = :code", code=code).scalar() >= MOST_BROWSERS:
        raise RoomError(FULL)
    run("INSERT INTO members VALUES (:code, :browser, 0)", **here)


def _check_that_it_may_answer(run: Any, code: str, number: int, browser: str, now: float) -> None:
    current = run("SELECT number, revealed FROM rounds WHERE code = :code ORDER BY number DESC LIMIT 1", code=code)
    if current.one() != (number, 0):
        raise RoomError(NOT_OPEN)
    before = run(
        "SELECT answered FROM members WHERE code = :code AND browser = :browser",
        code=code,
        browser=hash_of(code, browser),
    ).scalar()
    if abs(now - before) < SECONDS_BETWEEN_ANSWERS:
        raise RoomError(TOO_SOON)


def _has_key(run: Any, code: str, key: str) -> bool:
    kept = run("SELECT key_hash FROM rooms WHERE code = :code", code=code).scalar()
    return bool(kept) and is_secret(key) and secrets.compare_digest(kept, hash_of(code, key))


def _version(run: Any, code: str, now: float) -> int:
    return (
        run("SELECT version FROM rooms WHERE code = :code AND used >= :then", code=code, then=now - DAY).scalar() or 0
    )
