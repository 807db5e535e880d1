"""Test the store of rooms: answers are kept, rooms never mix, and students cannot do what lecturers can."""

from __future__ import annotations

import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pages.shared.rooms import store
from pages.shared.rooms.codes import (
    DAY,
    HOUR,
    LETTERS,
    LONGEST_WAIT,
    MOST_BROWSERS,
    MOST_ROOMS,
    MOST_ROUNDS,
    Pauses,
    RoomError,
    hash_of,
    is_secret,
    new_code,
    new_key,
    read_code,
)
from pages.shared.rooms.own_room import Reference, read_reference
from pages.shared.rooms.schema import Versions
from rooms import NOW, QUESTION, browsers, open_store

pytestmark = pytest.mark.lowest


@pytest.fixture
def rooms(tmp_path):
    """Give the test an empty store of rooms."""
    with open_store(tmp_path) as made:
        yield made


def refuses(text: str) -> Any:
    """Return a context for a `with` block that must raise a `RoomError` with a message that matches `text`."""
    return pytest.raises(RoomError, match=text)


# --- what is written stays ---


def test_a_room_begins_with_its_question_open(rooms):
    code, key = rooms.open_room(QUESTION, NOW)
    room = rooms.room(code, NOW)
    assert (room.current.number, room.current.question, room.current.revealed) == (1, QUESTION, False)
    assert is_secret(key)
    assert len(key) * 4 == 128
    assert set(code) <= set(LETTERS)


def test_what_was_answered_is_there_for_another_process(rooms, tmp_path):
    code, _ = rooms.open_room(QUESTION, NOW)
    (browser,) = browsers(1)
    rooms.answer(code, 1, browser, "B", NOW)
    with sqlite3.connect(tmp_path / "rooms.sqlite") as other:
        assert other.execute("SELECT answer FROM answers").fetchall() == [("B",)]
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()


def test_an_answer_can_be_changed_until_it_is_revealed(rooms):
    code, key = rooms.open_room(QUESTION, NOW)
    (browser,) = browsers(1)
    rooms.answer(code, 1, browser, "A", NOW)
    rooms.answer(code, 1, browser, "B", NOW + 1)
    assert rooms.answer_of(code, 1, browser) == "B"
    assert rooms.counts(code, 1) == (1, 1)
    rooms.reveal(code, key, NOW + 2)
    with refuses("Only the open question"):
        rooms.answer(code, 1, browser, "C", NOW + 3)
    assert rooms.answers(code, key) == ((1, "B"),)


def test_a_second_round_keeps_the_first(rooms):
    code, key = rooms.open_room(QUESTION, NOW)
    (browser,) = browsers(1)
    rooms.answer(code, 1, browser, "A", NOW)
    rooms.reveal(code, key, NOW + 1)
    rooms.ask(code, key, QUESTION, NOW + 2)
    with refuses("Only the open question"):
        rooms.answer(code, 1, browser, "C", NOW + 3)
    rooms.answer(code, 2, browser, "B", NOW + 3)
    assert rooms.answers(code, key) == ((1, "A"), (2, "B"))
    assert [each.revealed for each in rooms.room(code, NOW).rounds] == [True, False]


def test_answers_that_come_at_once_are_all_kept(rooms):
    code, key = rooms.open_room(QUESTION, NOW)
    those = browsers(60)
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda browser: rooms.answer(code, 1, browser, browser[0], NOW), those))
    assert [answer for _, answer in rooms.answers(code, key)] == sorted(browser[0] for browser in those)
    assert rooms.counts(code, 1) == (60, 60)


# --- each his own ---


def test_two_rooms_never_mix(rooms):
    one, other = rooms.open_room(QUESTION, NOW), rooms.open_room("scene:home.1", NOW)
    (browser,) = browsers(1)
    rooms.answer(one[0], 1, browser, "A", NOW)
    rooms.answer(other[0], 1, browser, "B", NOW)
    rooms.reveal(*other, NOW)
    assert rooms.answers(*one) == ((1, "A"),)
    assert rooms.answers(*other) == ((1, "B"),)
    assert not rooms.room(one[0], NOW).current.revealed
    rooms.delete(*other, NOW)
    assert rooms.room(other[0], NOW) is None
    assert rooms.answers(*one) == ((1, "A"),)


@pytest.mark.parametrize("key", ["", "0" * 32, "x", "' OR 1=1 --", None])
def test_a_student_can_do_nothing_that_a_lecturer_can(key, rooms):
    code, own = rooms.open_room(QUESTION, NOW)
    _, of_another = rooms.open_room(QUESTION, NOW)
    for wrong in (key, of_another, code):
        for act in (
            lambda wrong=wrong: rooms.reveal(code, wrong, NOW),
            lambda wrong=wrong: rooms.ask(code, wrong, QUESTION, NOW),
            lambda wrong=wrong: rooms.delete(code, wrong, NOW),
            lambda wrong=wrong: rooms.answers(code, wrong),
        ):
            with refuses("Only the lecturer's own link"):
                act()
    assert rooms.room(code, NOW).version == 1
    assert rooms.is_lecturer(code, own)


def test_neither_keys_nor_ids_are_kept(rooms, tmp_path):
    code, key = rooms.open_room(QUESTION, NOW)
    (browser,) = browsers(1)
    rooms.answer(code, 1, browser, "B", NOW)
    rooms.engine.dispose()
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert hash_of(code, key).encode() in written
    assert key.encode() not in written
    assert browser.encode() not in written


# --- limits ---


def test_one_answer_a_second_from_one_browser(rooms):
    code, _ = rooms.open_room(QUESTION, NOW)
    (browser,) = browsers(1)
    rooms.answer(code, 1, browser, "A", NOW)
    with refuses("one answer a second"):
        rooms.answer(code, 1, browser, "B", NOW + 0.9)
    assert rooms.answer_of(code, 1, browser) == "A"


def test_a_room_holds_at_most_1000_browsers(rooms):
    code, _ = rooms.open_room(QUESTION, NOW)
    rows = [{"code": code, "browser": str(n)} for n in range(MOST_BROWSERS)]
    with rooms.engine.begin() as connection:
        connection.execute(store.sql().text("INSERT INTO members VALUES (:code, :browser, 0)"), rows)
    with refuses("at most 1,000 browsers"):
        rooms.join(code, new_key(), NOW)


def test_there_are_so_many_rooms_and_unused_ones_make_place(rooms):
    opened = [rooms.open_room(QUESTION, NOW) for _ in range(MOST_ROOMS)]
    for code, _ in opened:
        rooms.join(code, new_key(), NOW)
    code, key = opened[-1]
    with refuses("at most 500 rooms"):
        rooms.open_room(QUESTION, NOW + DAY)
    rooms.reveal(code, key, NOW + DAY)
    rooms.open_room(QUESTION, NOW + DAY + 1)
    with rooms.engine.connect() as connection:
        left = connection.execute(store.sql().text("SELECT COUNT(*) FROM rooms")).scalar()
    assert left == 2, "the used one and the new one"


def test_rooms_that_nobody_has_joined_make_place_after_an_hour(rooms):
    opened = [rooms.open_room(QUESTION, NOW) for _ in range(MOST_ROOMS)]
    rooms.join(opened[0][0], new_key(), NOW)
    with refuses("at most 500 rooms"):
        rooms.open_room(QUESTION, NOW + HOUR)
    new, _ = rooms.open_room(QUESTION, NOW + HOUR + 1)
    with rooms.engine.connect() as connection:
        left = {code for (code,) in connection.execute(store.sql().text("SELECT code FROM rooms"))}
    assert left == {opened[0][0], new}


def test_a_room_ends_after_a_day_without_use(rooms):
    code, key = rooms.open_room(QUESTION, NOW)
    rooms.join(code, new_key(), NOW + DAY)
    assert rooms.room(code, NOW + 2 * DAY)
    assert rooms.room(code, NOW + 2 * DAY + 1) is None
    assert rooms.version(code, NOW + 2 * DAY + 1) == 0
    with refuses(f"No open room has the code {code}"):
        rooms.ask(code, key, QUESTION, NOW + 2 * DAY + 1)
    rooms.delete_unused(NOW + 2 * DAY + 1)
    with rooms.engine.connect() as connection:
        for table in ("rooms", "rounds", "members", "answers"):
            assert connection.execute(store.sql().text(f"SELECT COUNT(*) FROM {table}")).scalar() == 0


def test_a_room_asks_so_many_questions(rooms):
    code, key = rooms.open_room(QUESTION, NOW)
    for _ in range(MOST_ROUNDS - 1):
        rooms.ask(code, key, QUESTION, NOW)
    with refuses("at most 100 questions"):
        rooms.ask(code, key, QUESTION, NOW)


# --- what is hostile ---

TRIES = 10_000
PARTS = [
    "'",
    '"',
    ";",
    "--",
    "\0",
    "%s",
    ":code",
    "{",
    "猫",
    "\u202e",
    "OR 1=1",
    "A" * 50,
    "B",
    "1",
    " ",
    "\n",
    "<script>",
]


def hostile_text(chance: random.Random):
    return "".join(chance.choices(PARTS, k=chance.randrange(0, 8)))


@pytest.mark.long
def test_hostile_codes_keys_answers_and_ids_are_refused_with_a_message(rooms):
    """Check that thousands of random hostile texts are refused with an error message, and change nothing."""
    chance = random.Random(7)
    code, key = rooms.open_room(QUESTION, NOW)
    (browser,) = browsers(1)
    rooms.answer(code, 1, browser, "A", NOW)
    before = rooms.room(code, NOW), rooms.answers(code, key), rooms.counts(code, 1)
    for _ in range(TRIES // 5):
        text = hostile_text(chance)
        for act in (
            lambda text=text: read_code(text + "I"),
            lambda text=text: rooms.reveal(code, text, NOW),
            lambda text=text: rooms.join(code, text, NOW),
            lambda text=text: rooms.answer(code, 1, text, "A", NOW),
            lambda text=text: rooms.answer(code, 2, browser, text, NOW + 5),
        ):
            with pytest.raises(ValueError, match=r", but .*\. [A-Z]"):
                act()
    assert (rooms.room(code, NOW), rooms.answers(code, key), rooms.counts(code, 1)) == before


def test_an_answer_is_kept_as_it_is_whatever_it_says(rooms):
    chance = random.Random(8)
    code, key = rooms.open_room(QUESTION, NOW)
    written = [hostile_text(chance).replace("\0", "") for _ in range(50)]
    for text in written:
        rooms.answer(code, 1, new_key(), text, NOW)
    assert sorted(answer for _, answer in rooms.answers(code, key)) == sorted(written)
    with refuses("at most 4,000 characters"):
        rooms.answer(code, 1, new_key(), "A" * 4001, NOW)


@given(st.text(max_size=20))
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_a_reference_is_read_or_refused(text):
    try:
        read = str(read_reference(text))
    except ValueError:
        return
    assert read == text


def test_references_are_read_as_they_were_written():
    for each in (
        Reference("task", "attention", 9999, 3),
        Reference("scene", "real_heads", 1),
        Reference("number", "a", 1, 1),
    ):
        assert read_reference(str(each)) == each


# --- codes ---


def test_codes_have_no_similar_letters_and_may_be_typed_in_small_letters():
    assert not set("ILOQUV015") & set(LETTERS)
    for _ in range(100):
        code = new_code()
        assert read_code(f" {code.lower()} ") == code


def test_guessing_codes_is_slowed():
    wrong, now = Pauses(), 0.0
    tried = 0
    while now < 600:
        try:
            wrong.check(now)
        except RoomError:
            now += 1
            continue
        wrong.note(now)
        tried += 1
    assert tried < 20, "in ten minutes"
    wrong.reset()
    wrong.check(0)
    assert LONGEST_WAIT <= 64


# --- versions, kept in memory ---


def test_the_database_is_asked_for_a_version_once_a_second():
    asked = []

    def read(code):
        asked.append(code)
        return len(asked)

    versions = Versions(read)
    seen = [versions.at("ABCDE", NOW + n / 300) for n in range(600)]
    assert asked == ["ABCDE"] * 2
    assert set(seen) == {1, 2}
    versions.forget("ABCDE")
    assert versions.at("ABCDE", NOW + 1.999) == 3


def test_the_version_grows_with_each_round_and_each_reveal(rooms):
    code, key = rooms.open_room(QUESTION, NOW)
    seen = [rooms.version(code, NOW)]
    for act in (lambda: rooms.reveal(code, key, NOW), lambda: rooms.ask(code, key, QUESTION, NOW)):
        act()
        seen.append(rooms.version(code, NOW))
    rooms.answer(code, 2, new_key(), "A", NOW)
    assert [*seen, rooms.version(code, NOW)] == [1, 2, 3, 3]
    rooms.delete(code, key, NOW)
    assert rooms.version(code, NOW) == 0
