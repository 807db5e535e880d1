"""Test the page of a room, in which a class answers questions: codes, keys, waiting, and exports."""

import csv
import io
import json
import time
from types import SimpleNamespace

import numpy as np
import pytest

from attention_core.tasks.seeded import task
from pages.room import lecturer, student
from pages.room.lecturer import Entering
from pages.room.student import LONG, SELDOM, SOON, RoomSheet, Waiting
from pages.shared.class_questions import results
from pages.shared.class_questions.questions import outcome_of_matrix, question_of
from pages.shared.rooms import database
from pages.shared.rooms import own_room as own_rooms
from pages.shared.rooms.codes import RoomError, RoomsUnavailableError, new_key
from pages.shared.rooms.own_room import OwnRoom, own_room
from rooms import QUESTION, open_store
from simulating import go, link_of, open_page, page_text, visitor_of
from visiting import new_visitor, visiting

pytestmark = pytest.mark.lowest


@pytest.fixture
def rooms(tmp_path):
    """Give the test an empty store of rooms."""
    with open_store(tmp_path) as made:
        yield made


@pytest.fixture
def clock(monkeypatch):
    """Give the test the current time of the page, as a list with one number."""
    times = [time.time()]
    for module in (lecturer, student):
        monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: times[0], monotonic=lambda: times[0]))
    return times


def warnings(app):
    """Return the texts of all warnings on the page, as one text."""
    return " ".join(warning.value for warning in app.warning)


def open_with_key(code, key, own=("", "")):
    """Open a lecturer's own link in a browser that says it leads the room `own`, a pair of its code and its key."""
    app = open_page("room", code=code, key=key)
    with visiting(visitor_of(app)):
        own_rooms._take([new_key(), *own])
    return go(app, "room")


def test_the_page_without_a_code_asks_for_one():
    app = open_page("room")
    assert "# Which room do you want to join?" in page_text(app)
    assert [field.label for field in app.text_input] == ["Code of the room"]


def test_switched_off_rooms_are_a_sentence(monkeypatch):
    monkeypatch.setenv(database.FOLDER_SETTING, database.OFF)
    app = open_page("room", code="ABCDE")
    assert [info.value for info in app.info] == [database.reason_rooms_are_off()]
    assert not app.text_input


def test_a_student_sees_the_question_and_a_lecturer_the_code(rooms, clock):
    code, key = rooms.open_room(QUESTION, time.time())
    student = open_page("room", code=code)
    assert "# What is your answer?" in page_text(student)
    assert "Show the results" not in [button.label for button in student.button]
    leading = open_with_key(code, key)
    assert "Show the results" in [button.label for button in leading.button]
    assert set(leading.query_params) == {"code"}, "the key is in the address"
    assert "Only the lecturer's own link" in warnings(open_page("room", code=code, key=new_key()))


def test_a_link_does_not_replace_the_room_that_one_leads_without_asking(rooms):
    old, new = rooms.open_room(QUESTION, time.time()), rooms.open_room(QUESTION, time.time())
    app = open_with_key(*new, own=old)
    assert f"You lead the room {old[0]}" in page_text(app)
    with visiting(visitor_of(app)):
        assert own_room().code == old[0]
    app.button(key="room.lead").click().run()
    with visiting(visitor_of(app)):
        assert (own_room().code, own_room().key) == new
    kept = open_with_key(*new, own=old)
    kept.button(key="room.keep").click().run()
    with visiting(visitor_of(kept)):
        assert (own_room().code, own_room().key) == old
    assert link_of(kept) == {"code": old[0]}


def test_a_browser_that_tells_a_wrong_key_leads_nothing(rooms):
    code, key = rooms.open_room(QUESTION, time.time())
    with visiting(new_visitor()) as visitor:
        for told in (["", code, new_key()], ["", code, "x"], [code, key], None, [1, 2, 3], [{}, code, key]):
            own_rooms._take(told)
            assert (own_room().code, own_room().key) == ("", "")
            visitor.kept[OwnRoom].is_known = False
        own_rooms._take(["", "A\0BCD", key])
        assert not own_room().code
        visitor.kept[OwnRoom].is_known = False
        own_rooms._take(["", code, key])
        assert (own_room().code, own_room().key) == (code, key)
        own_rooms._take(["", "", ""])
        assert own_room().code == code, "what this visit leads is not taken from it"


def test_a_connection_has_one_id_and_so_one_vote(rooms):
    first, second = new_key(), new_key()
    with visiting(new_visitor()):
        own_rooms._take([first, "", ""])
        own_rooms._take([second, "", ""])
        assert own_rooms.browser().id == first


def test_a_room_that_a_browser_returns_is_not_forgotten_while_the_database_is_away(rooms, monkeypatch):
    code, key = rooms.open_room(QUESTION, time.time())
    with visiting(new_visitor()) as visitor, monkeypatch.context() as away:
        away.setattr(type(rooms), "is_lecturer", lambda *_: (_ for _ in ()).throw(RoomsUnavailableError("away")))
        own_rooms._take(["", code, key])
        assert not visitor.kept[OwnRoom].is_known
        away.undo()
        own_rooms._take(["", code, key])
        assert own_room().code == code


def test_only_new_answers_are_diagnosed_ahead(rooms, monkeypatch):
    code, key = rooms.open_room(QUESTION, time.time())
    rooms.answer(code, 1, new_key(), "A", time.time() - 60)
    read = []
    since = type(rooms).answers_since
    noted = lambda self, *given: read.append(since(self, *given)) or read[-1]  # noqa: E731
    monkeypatch.setattr(type(rooms), "answers_since", noted)
    with visiting(new_visitor()):
        own_room().lead(code, key)
        results._diagnose_ahead(code, 1)
        rooms.answer(code, 1, new_key(), "B", time.time())
        results._diagnose_ahead(code, 1)
    assert read == [("A",), ("B",)]


def test_whoever_tries_many_codes_must_wait(rooms, clock):
    code, _ = rooms.open_room(QUESTION, time.time())
    app = open_page("room", code="ABCDE" if code != "ABCDE" else "ABCDF")
    for letter in "FGHJ":
        app.query_params["code"] = f"WXYZ{letter}"
        go(app, "room")
    app.query_params["code"] = code
    assert "must wait before the next one" in warnings(go(app, "room"))
    assert visitor_of(app).kept[Entering].right == "", "it was not looked up"
    clock[0] += 64
    assert not warnings(go(app, "room"))


def test_a_page_that_nobody_touches_asks_seldom(clock):
    with visiting(new_visitor()) as visitor:
        student.note_shown(1)
        assert student.seconds_between_questions() == SOON
        clock[0] += LONG
        assert student.seconds_between_questions() == SELDOM
        student.note_shown(2)
        assert student.seconds_between_questions() == SOON
        assert visitor.kept[Waiting].version == 2


def test_what_is_taken_home_holds_no_person(rooms, clock):
    code, key = rooms.open_room(QUESTION, time.time())
    student = new_key()
    rooms.answer(code, 1, student, "B", time.time())
    rooms.answer(code, 1, new_key(), "A", time.time())
    # Streamlit computes a download outside of a visit, as this call does
    written = lecturer.as_csv(rooms.room(code, time.time()), key)
    rows = list(csv.reader(io.StringIO(written)))
    assert rows[0] == ["round", "question", "answer", "outcome"]
    assert [row[2][0] for row in rows[1:]] == ["A", "B"]
    assert student not in written
    with pytest.raises(RoomError, match="Only the lecturer's own link"):
        lecturer.as_csv(rooms.room(code, time.time()), new_key())


def test_a_tally_of_many_wrong_answers_has_a_budget_and_counts_on(rooms, monkeypatch):
    code, key = rooms.open_room("task:softmax_axes.17.1", time.time())
    rng = np.random.default_rng(3)
    shape = task("softmax_axes", 17, 1).correct_answer.shape
    for _ in range(60):
        answer = json.dumps([[f"{number:.2f}" for number in row] for row in rng.normal(size=shape)])
        rooms.answer(code, 1, new_key(), answer, time.time())
    rooms.reveal(code, key, time.time())
    outcome_of_matrix.cache_clear()  # type: ignore[attr-defined]
    began = time.thread_time()
    with visiting(new_visitor()):
        own_room().lead(code, key)
        room = rooms.room(code, time.time())
        first, _ = results._tallies(room, question_of(room.current.question))
        assert time.thread_time() - began < 3 * results.COUNTING
        assert first.n_waiting
        assert first.n_waiting + first.n_answers == 60
        waiting = [first.n_waiting]
        while waiting[-1]:
            waiting.append(results._tallies(room, question_of(room.current.question))[0].n_waiting)
    assert waiting == sorted(waiting, reverse=True)
    outcome_of_matrix.cache_clear()  # type: ignore[attr-defined]
    leading = open_with_key(code, key)
    assert "Still counting: " in page_text(leading)
    monkeypatch.setattr(results, "COUNTING", 60)
    assert "Still counting: " not in page_text(go(leading, "room"))


def test_what_is_written_on_a_sheet_can_be_undone():
    sheet = RoomSheet()
    sheet.begin(("ABCDE", 1), (("", ""), ("", "")))
    assert sheet.fill("q_task", [[0, 1, "2"]]) is None
    assert sheet.entries == (("", "2"), ("", ""))
    assert "but you typed `two`" in (sheet.fill("q_task", [[0, 1, "two"]]) or "")
    sheet.undo_or_redo("undo")
    assert sheet.entries == (("", ""), ("", ""))
    sheet.undo_or_redo("redo")
    assert sheet.entries == (("", "2"), ("", ""))
