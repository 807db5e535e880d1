"""Test that a press of a button does not break off a callback, or the reading of a link, that is still running."""

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner import RerunData, RerunException, get_script_run_ctx
from streamlit.runtime.state import SafeSessionState, SessionState

from pages.shared.lecture import picker
from pages.shared.state import address
from simulating import X_5, edits, link_of, open_page, visit_of

pytestmark = pytest.mark.lowest


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


def test_a_scene_opens_although_the_next_press_arrives_meanwhile(monkeypatch):
    app = open_page("attention", scene="2")
    press_before(monkeypatch, picker, "open_stop")
    next(button for button in app.button if button.label == "Next").click()
    app.run()
    assert visit_of(app).lecture.scene == 3
    assert link_of(app) == {"scene": "3"}


def test_a_link_is_taken_in_whole_although_the_first_press_arrives_meanwhile(monkeypatch):
    press_before(monkeypatch, address, "_restore")
    app = open_page("attention", step="3", x=X_5)
    assert visit_of(app).parameters.step == "3"
    assert edits(app)["x"][0][0] == 5


def test_a_press_that_is_there_before_callbacks_waits_for_them():
    def press():
        raise RerunException(RerunData())

    state = SafeSessionState(SessionState(), press)
    state.on_script_will_rerun(WidgetStates())
    with pytest.raises(RerunException):
        state["any"]
