"""Test undo and redo: a drag is one step, a typed cell is one step, and redo repeats what undo took back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.shared.state import history, session
from pages.shared.state.history import MOST_STEPS
from pages.shared.state.session import Workspace
from strategies import law
from visiting import edit, new_visitor, send, visiting, with_x


def test_a_drag_is_one_step(visitor_session):
    drag = [edit(0, 0, value, gesture="d1", done=value == 4) for value in (2, 3, 4)]
    send(*drag)
    assert visitor_session.visit.workspace == with_x((0, 0, 4.0))
    history.undo()
    assert visitor_session.visit.workspace == Workspace()
    history.redo()
    assert visitor_session.visit.workspace == with_x((0, 0, 4.0))


def test_two_drags_are_two_steps_and_typing_is_one_a_cell(visitor_session):
    send(edit(0, 0, 2, gesture="d1"), edit(0, 0, 3, gesture="d2"), edit(0, 1, 4), edit(0, 2, 5))
    assert len(history.history().past) == 4


def test_a_drag_that_was_undone_starts_anew(visitor_session):
    send(edit(0, 0, 2, gesture="d1"), {"kind": "undo"}, edit(0, 0, 3, gesture="d1"))
    assert history.history().past == [Workspace()]


def test_while_a_drag_lasts_the_session_knows(visitor_session):
    send(edit(0, 0, 2, gesture="d1", done=False))
    assert history.history().gesture == "d1"
    send(edit(0, 0, 3, gesture="d1", done=True), first=2)
    assert history.history().gesture is None
    assert history.history().past == [Workspace()]


@pytest.mark.parametrize(
    "last",
    [
        {"kind": "undo"},
        {"kind": "reset"},
        edit(0, 1, 4),
        edit(0, 0, 1e9, gesture="d1"),  # the last edit of this gesture is refused
    ],
    ids=str,
)
def test_a_drag_ends_with_whatever_else_comes(visitor_session, last):
    send(edit(0, 0, 2, gesture="d1", done=False), last)
    assert history.history().gesture is None


def test_undo_goes_back_a_hundred_steps(visitor_session):
    for value in range(1, MOST_STEPS + 11):
        send(edit(0, 1, value), first=value)
    for _ in range(MOST_STEPS + 5):
        history.undo()
    assert visitor_session.visit.workspace == with_x((0, 1, 10.0))
    assert history.usable_tools() == {"undo": False, "redo": True, "reset": True}


@law
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.integers(-9, 9)), min_size=1, max_size=12), st.data()
)
def test_undo_and_redo_walk_the_same_way(cells, data):
    with visiting(new_visitor()):
        seen = [session.visit().workspace]
        for i, cell in enumerate(cells):
            send(edit(*cell), first=i + 1)
            seen.append(session.visit().workspace)
        back = data.draw(st.integers(1, len(cells)))
        for expected in reversed(seen[-back - 1 : -1]):
            history.undo()
            assert session.visit().workspace == expected
        for expected in seen[-back:]:
            history.redo()
            assert session.visit().workspace == expected
        history.undo()
        send(edit(0, 0, 77), first=len(cells) + 1)
        assert history.usable_tools() == {"undo": True, "redo": False, "reset": True}
