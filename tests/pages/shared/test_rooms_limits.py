"""Test the limits of rooms that no visitor can choose: per connection and per address, whatever the browser sends."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.rooms import limits
from pages.shared.rooms.codes import HOUR, LONGEST_WAIT, RoomError, RoomsUnavailableError
from pages.shared.rooms.limits import JOINS, MOST_ADDRESSES, WRONG_CODES, Budget, Openings
from pages.shared.rooms.own_room import ask_the_class, read_reference
from rooms import QUESTION, open_store
from strategies import law
from visiting import new_visitor, visiting


def allowed(act, times, step=0.0):
    """Return how many of so many times `act(now)` is not refused, `step` seconds after each other."""
    done = 0
    for n in range(times):
        try:
            act(n * step)
        except RoomError:
            continue
        done += 1
    return done


def spending(budget, address="a"):
    """Return a function that spends once from this budget, if that is allowed."""

    def act(now):
        budget.spend(address, now)

    return act


@pytest.mark.parametrize("budget", [WRONG_CODES, JOINS])
def test_a_hall_of_300_at_one_address_does_not_wait(budget):
    assert allowed(spending(Budget(budget.at_once, budget.a_second)), 300) == 300


def test_one_address_cannot_fill_a_room_at_once():
    assert allowed(spending(Budget(JOINS.at_once, JOINS.a_second)), 1000, step=0.01) < 420


@law
@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.floats(0, 50)), max_size=200), st.integers(1, 5), st.floats(0.1, 2)
)
def test_no_order_of_tries_gives_an_address_more_than_its_budget(tries, at_once, a_second):
    budget, now, done = Budget(at_once, a_second), 0.0, {"a": [], "b": [], "c": []}
    for address, pause in tries:
        now += pause
        if allowed(lambda _, now=now, address=address: spending(budget, address)(now), 1):
            done[address].append(now)
    for times in done.values():
        for first in range(len(times)):
            for last in range(first, len(times)):
                assert last - first + 1 <= at_once + a_second * (times[last] - times[first]) + 1e-6


def check(openings, address, now):
    """Raise an error if the address must wait before it may open a room."""
    openings._pauses_of(address, now).check(now)


def seconds_until_allowed(openings, now):
    """Return after how many seconds the address "a" may open another room."""
    tries = 100
    return tries - allowed(lambda waited: check(openings, "a", now + waited), tries, step=1)


def test_a_room_costs_a_pause_that_grows_and_ends_after_an_hour():
    openings, now, waits = Openings(), 0.0, []
    for _ in range(14):
        began = now
        now += seconds_until_allowed(openings, now)
        waits.append(now - began)
        openings.note("a", now)
    assert waits[:5] == [0] * 5
    assert waits[6:] == sorted(waits[6:])
    assert waits[-1] == LONGEST_WAIT
    check(openings, "b", now)
    check(openings, "a", now + HOUR)


def test_the_number_of_free_rooms_is_a_setting(monkeypatch):
    monkeypatch.setenv(limits.FREE_SETTING, "30")
    openings = Openings()
    assert allowed(lambda now: openings.note("a", now), 40) == 31
    for wrong in ("", "many", "-1", "²"):
        monkeypatch.setenv(limits.FREE_SETTING, wrong)
        with pytest.raises(RoomsUnavailableError, match=f"`{limits.FREE_SETTING}` must be a whole number"):
            Openings().note("a", 0)


def test_the_memory_of_addresses_is_bounded():
    budget, openings = Budget(1, 1), Openings()
    for n in range(MOST_ADDRESSES + 5):
        budget.spend(str(n), 0)
        openings.note(str(n), 0)
    assert len(budget.spent) == len(openings.pauses) == MOST_ADDRESSES


@pytest.mark.parametrize("proxy", ["on", ""])
def test_what_a_visitor_writes_into_a_header_is_not_their_address(proxy, monkeypatch):
    monkeypatch.setenv(limits.PROXY_SETTING, proxy)
    found = set()
    for invented in ("", "1.2.3.4, ", "5.6.7.8, 9.9.9.9, "):
        context = SimpleNamespace(headers={"X-Forwarded-For": f"{invented}192.0.2.7"}, ip_address="192.0.2.1")
        monkeypatch.setattr(limits.st, "context", context)
        found.add(limits.address_of_visitor())
    assert len(found) == 1
    assert "192.0.2" not in str(found)


def test_many_rooms_from_new_visits_of_one_address_must_wait(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "OPENINGS", Openings())
    with open_store(tmp_path):

        def open_in_a_new_visit(_):
            with visiting(new_visitor()):
                ask_the_class(read_reference(QUESTION))

        assert allowed(open_in_a_new_visit, 30) == 6
        with visiting(new_visitor()), pytest.raises(RoomError, match="After several rooms, you must wait"):
            ask_the_class(read_reference(QUESTION))


def test_visitors_who_open_rooms_at_the_same_moment_get_no_more(monkeypatch):
    openings, together = Openings(), Barrier(20)
    monkeypatch.setattr(limits, "OPENINGS", openings)
    monkeypatch.setattr(limits, "address_of_visitor", lambda: "a")

    def open_one(_):
        together.wait()
        with limits.counted_opening():
            time.sleep(0.01)  # the others come before it is open
            return 1

    with ThreadPoolExecutor(20) as crowd:
        assert sum(crowd.map(lambda n: allowed(open_one, 1), range(20))) == 6


def test_a_room_that_cannot_be_opened_costs_nothing(monkeypatch):
    monkeypatch.setattr(limits, "OPENINGS", Openings())
    for _ in range(50):
        with visiting(new_visitor()), pytest.raises(RoomError, match="full"), limits.counted_opening():
            raise RoomError("full")
    assert allowed(lambda now: limits.OPENINGS.note(limits.address_of_visitor(), now), 10) == 6
