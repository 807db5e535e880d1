"""Test undo and redo: a drag is one step, a typed cell is one step, and redo repeats what undo took back.

Also callbacks that no press interrupts.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.state import SafeSessionState, SessionState

from pages.shared.lecture import picker
from pages.shared.state import address, history, session
from pages.shared.state.history import MOST_STEPS
from pages.shared.state.session import Workspace
from simulating import X_5, edits, link_of, open_page, visit_of
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


def press_before(monkeypatch, module, name):
    """Replace the function `name` of `module`: on its next call, act first as if the visitor pressed a button."""
    act = getattr(module, name)

    def pressed(*arguments, **more):
        """Ask for a rerun as the press of a widget does, and then call the replaced function."""
        monkeypatch.setattr(module, name, act)
        context = get_script_run_ctx()
        assert context
        assert context.script_requests
        context.script_requests.request_rerun(
            RerunData(page_script_hash=context.page_script_hash, query_string=context.query_string)
        )
        address.note_press()  # a widget above the lesson does the same in its callback
        return act(*arguments, **more)

    monkeypatch.setattr(module, name, pressed)


@pytest.mark.lowest
def test_a_scene_opens_although_the_next_press_arrives_meanwhile(monkeypatch):
    app = open_page("attention", scene="2")
    press_before(monkeypatch, picker, "open_stop")
    next(button for button in app.button if button.label == "Next").click()
    app.run()
    assert visit_of(app).lecture.scene == 3
    assert link_of(app) == {"scene": "3"}


@pytest.mark.lowest
def test_a_link_is_taken_in_whole_although_the_first_press_arrives_meanwhile(monkeypatch):
    press_before(monkeypatch, address, "_restore")
    app = open_page("attention", step="3", x=X_5)
    assert visit_of(app).parameters.step == "3"
    assert edits(app)["x"][0][0] == 5


@pytest.mark.lowest
def test_a_press_that_is_there_before_callbacks_waits_for_them():
    def press():
        raise RerunException(RerunData())

    state = SafeSessionState(SessionState(), press)
    state.on_script_will_rerun(WidgetStates())
    with pytest.raises(RerunException):
        state["any"]
