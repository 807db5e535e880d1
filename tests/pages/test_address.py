"""Test the address in the browser: the page writes its link there when the state has changed.

The browser's Back button keeps working.
"""

import pytest
from streamlit.runtime.state import QueryParamsProxy

from simulating import X_5, edits, go, link_of, open_page, undo, visit_of, with_edit
from visiting import edit, with_x

pytestmark = pytest.mark.lowest


@pytest.fixture
def written_links(monkeypatch):
    """Give the test a list that collects every link that the app writes into the address."""
    written, write = [], QueryParamsProxy.from_dict

    def watched(self, params):
        written.append(dict(params))
        write(self, params)

    monkeypatch.setattr(QueryParamsProxy, "from_dict", watched)
    return written


def test_the_link_is_written_only_where_it_differs(written_links):
    app = open_page("attention", step="3")
    app.run()
    assert written_links == []
    with_edit(app, edit(0, 0, 5)).run()
    assert written_links == [{"step": "3", "x": X_5}]


def test_a_drag_writes_one_link_when_it_ends(written_links):
    app = open_page("attention")
    for value in (2, 3, 4):
        app = with_edit(app, edit(0, 0, value, gesture="d1", done=False))
    assert written_links == []
    with_edit(app, edit(0, 0, 5, gesture="d1", done=True))
    assert written_links == [{"x": X_5}]


def test_a_drag_that_the_menu_breaks_off_keeps_no_later_link_from_being_written():
    app = with_edit(open_page("attention"), edit(0, 0, 5, gesture="d1", done=False))
    app.query_params.clear()
    app = go(app, "softmax_axes")
    app.session_state["softmax_axes.axis"] = "columns"
    assert link_of(app.run()) == {"x": X_5, "axis": "columns"}


def test_a_drag_whose_end_never_came_keeps_no_later_link_from_being_written():
    app = with_edit(open_page("softmax_axes"), edit(0, 0, 5, "scores", gesture="d1", done=False))
    assert link_of(app) == {}
    app.session_state["softmax_axes.axis"] = "columns"
    assert link_of(app.run())["axis"] == "columns"


def test_the_browser_s_back_restores_the_state_before():
    app = with_edit(open_page("attention", step="3"), edit(0, 0, 5))
    app.query_params.clear()
    app.query_params["step"] = "3"
    app = app.run()
    assert edits(app) == {}
    assert link_of(app) == {"step": "3"}


def test_a_drag_ends_with_its_page():
    app = with_edit(open_page("attention"), edit(0, 0, 5, gesture="d1", done=False))
    assert link_of(app) == {}  # during a drag, no step is written for the browser's Back
    assert link_of(go(app, "queries_keys_values")) == {"x": X_5}


def test_a_bare_address_restores_the_state_on_arrival():
    app = go(with_edit(open_page("attention"), edit(0, 0, 5)), "queries_keys_values")
    app = with_edit(app, edit(0, 1, 6))
    app.query_params.clear()
    app = app.run()
    assert edits(app) == with_x((0, 0, 5.0)).edits
    assert link_of(app) == {}


def test_another_link_on_the_same_page_can_be_undone():
    app = with_edit(open_page("attention"), edit(0, 0, 5))
    app.query_params.clear()
    app.query_params["example"] = "book"
    app = undo(app.run())
    assert link_of(app) == {"x": X_5}


def test_the_address_counts_more_than_widgets_that_show_the_state_before():
    app = open_page("softmax_axes", axis="columns")
    app.query_params["axis"] = "whole"
    app = app.run()
    assert link_of(app) == {"axis": "whole"}
    assert visit_of(app).parameters.axis == "whole"


def test_a_widget_outside_the_lesson_does_not_take_a_slow_address_for_an_older_one():
    app = with_edit(open_page("attention", step="3"), edit(0, 0, 5))
    app.query_params.clear()  # a slow browser may still have the old address
    app = app.selectbox(key="example").select("book").run()
    assert link_of(app) == {"step": "3", "example": "book"}
    app.query_params.clear()
    assert link_of(app.run()) == {}  # this time the browser's Back emptied the address
