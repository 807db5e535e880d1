"""Test that long computations take turns, whatever they do, and that nothing else waits for them."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event, Lock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attention_core.turns import _Queue, in_turn
from strategies import law

PATIENCE = 10  # seconds


@law
@given(st.lists(st.sampled_from(["short", "fails", "nested"]), min_size=2, max_size=6))
def test_never_two_long_computations_at_once(kinds):
    alone, done = Lock(), []

    @in_turn
    def part(kind):
        done.append(kind)

    @in_turn
    def compute(kind):
        assert alone.acquire(blocking=False), "another computation is running"
        try:
            part(kind)
            if kind == "fails":
                raise ValueError(kind)
        finally:
            alone.release()

    with ThreadPoolExecutor(len(kinds)) as threads:
        running = [threads.submit(compute, kind) for kind in kinds]
    for kind, each in zip(kinds, running, strict=True):
        assert isinstance(each.exception(), ValueError) == (kind == "fails")
    assert sorted(done) == sorted(kinds)


def test_what_is_short_does_not_wait_for_a_long_computation():
    begun, may_end, ended = Event(), Event(), []

    @in_turn
    def compute(name):
        begun.set()
        assert may_end.wait(PATIENCE)
        ended.append(name)

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(compute, "first")
        assert begun.wait(PATIENCE)
        second = threads.submit(compute, "second")
        with pytest.raises(TimeoutError):
            second.result(timeout=0.05)
        assert ended == []  # this thread has not waited
        may_end.set()
    assert (first.exception(), second.exception()) == (None, None)
    assert ended == ["first", "second"]


def test_a_short_computation_passes_long_ones_that_came_before():
    begun, may_end, ended = Event(), Event(), []

    def compute(name, patience):
        begun.set()
        assert may_end.wait(PATIENCE)
        ended.append(name)

    takes_turn = in_turn(compute, patience=lambda name, patience: patience)
    with ThreadPoolExecutor(4) as threads:
        running = [threads.submit(takes_turn, "first", 0)]
        assert begun.wait(PATIENCE)
        for name, patience in (("long", 60), ("longer", 90), ("short", 0)):
            running.append(threads.submit(takes_turn, name, patience))
            time.sleep(0.02)  # the next one comes later
        may_end.set()
    assert [each.exception() for each in running] == [None] * 4
    assert ended == ["first", "short", "long", "longer"]


def test_whoever_stops_waiting_does_not_keep_the_others_waiting(monkeypatch):
    queue = _Queue()
    monkeypatch.setattr(queue._changed, "wait", fails)
    with queue.turn(0), ThreadPoolExecutor(1) as threads:
        assert isinstance(threads.submit(queue._take, 0).exception(), InterruptedError)
    monkeypatch.undo()
    with ThreadPoolExecutor(1) as threads:
        threads.submit(queue._take, 0).result(PATIENCE)


def fails():
    raise InterruptedError
