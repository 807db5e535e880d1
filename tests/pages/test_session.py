"""Test a visitor's session in the real app: links, edits that follow the visitor from page to page, and undo."""

from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.shared.state.history import usable_tools
from pages.shared.state.link_text import encode, query_to
from pagesutil import DECLARED, USUAL, fit_to_example, states
from simulating import (
    X_5,
    drawn_equations,
    edits,
    go,
    key_now,
    link_of,
    notices,
    open_page,
    redo,
    reset,
    undo,
    visit_of,
    with_edit,
)
from strategies import law
from visiting import edit, new_visitor, send, visiting, with_x

pytestmark = pytest.mark.lowest


# --- links opened cold ---


@pytest.mark.many
@pytest.mark.parametrize("name", USUAL)  # the page "The path" replaces every other example by the story
@settings(law, max_examples=10)
@given(st.data())
def test_any_state_comes_back_cold(name, data):
    workspace, parameters = data.draw(states(DECLARED[name].parameters).map(fit_to_example))
    link = encode(workspace, parameters)
    app = open_page(name, **link)
    assert not app.exception
    assert link_of(app) == link
    assert asdict(visit_of(app).workspace) == asdict(workspace)
    assert asdict(visit_of(app).parameters) == asdict(parameters)
    assert visit_of(app).notices == ()


def test_a_mistake_in_a_link_is_said_on_the_page_and_the_rest_kept():
    app = open_page("attention", step="99", mask="causal", x=X_5)
    assert link_of(app) == {"mask": "causal", "x": X_5}
    assert ":material/info: The link’s `step` must be one of 1, 2, 3" in notices(app)
    assert "but it is `99`, so it was ignored." in notices(app)


@pytest.mark.parametrize("name", DECLARED)
def test_a_page_as_it_starts_has_a_bare_address(name):
    assert link_of(open_page(name)) == {}


# --- edits ---


def test_an_edit_is_written_into_the_link():
    app = with_edit(open_page("attention", step="3"), edit(0, 0, 5))
    assert link_of(app) == {"step": "3", "x": X_5}


def test_edits_follow_from_page_to_page():
    app = go(with_edit(open_page("attention"), edit(0, 0, 5)), "queries_keys_values")
    assert link_of(app) == {"x": X_5}
    app = go(app, "softmax_axes")
    assert edits(app) == with_x((0, 0, 5.0)).edits
    assert link_of(go(app, "attention")) == {"x": X_5}


def test_each_page_keeps_what_was_set_on_it():
    app = open_page("attention", step="5")
    assert link_of(go(app, "queries_keys_values")) == {}
    assert link_of(go(app, "attention")) == {"step": "5"}


def test_undo_redo_and_back_to_the_example():
    app = with_edit(open_page("attention"), edit(0, 0, 5), edit(0, 1, 6))
    app = undo(app)
    assert link_of(app) == {"x": X_5}
    app = redo(app)
    assert edits(app) == with_x((0, 0, 5.0), (0, 1, 6.0)).edits
    app = reset(app)
    assert link_of(app) == {}
    app = undo(app)  # going back to the example can be undone as well
    assert edits(app) == with_x((0, 0, 5.0), (0, 1, 6.0)).edits


def test_another_example_starts_without_edits_but_for_the_page_s_own():
    app = open_page("softmax_axes", x=X_5, scores="9,0.5,0.2,3;1,-1,7,3;2,12,13,3")
    app = app.selectbox(key="example").select("book").run()
    assert link_of(app) == {"example": "book", "scores": "9,0.5,0.2,3;1,-1,7,3;2,12,13,3"}
    app = undo(app)
    assert link_of(app) == {"x": X_5, "scores": "9,0.5,0.2,3;1,-1,7,3;2,12,13,3"}
    assert link_of(reset(app)) == {}


def test_the_tools_know_what_there_is_to_take_back():
    with visiting(new_visitor()):
        assert usable_tools() == {"undo": False, "redo": False, "reset": False}
        send(edit(0, 0, 5))
        assert usable_tools() == {"undo": True, "redo": False, "reset": True}
        send({"kind": "undo"}, first=2)
        assert usable_tools() == {"undo": False, "redo": True, "reset": False}


def test_a_token_that_a_smaller_example_does_not_have_becomes_the_first():
    app = open_page("queries_keys_values", example="cat", token="3")
    assert link_of(app) == {"example": "cat", "token": "3"}
    app = app.selectbox(key="example").select("context").run()
    assert not app.exception
    assert link_of(app) == {"example": "context", "token": "0"}
    assert "This example does not have what `token=3` asks for, so the first token is taken." in notices(app)


def test_the_last_token_stays_the_last_of_another_example():
    app = open_page("queries_keys_values", example="cat", token="4")
    app = app.selectbox(key="example").select("context").run()
    assert link_of(app) == {"example": "context"}
    assert "does not have" not in notices(app)
    app = open_page("queries_keys_values", example="cat")
    assert app.button_group(key="queries_keys_values.token").value == -1


def test_asking_for_more_queries_than_exist_shows_all():
    app = open_page("cross_attention", queries="5", keys="2")
    assert link_of(app) == {"keys": "2"}
    assert "This example does not have what `queries=5` asks for, so all tokens take part." in notices(app)
    app = app.selectbox(key="example").select("context").run()
    assert link_of(app) == {"example": "context", "keys": "2"}


def test_a_link_to_another_example_leaves_this_one_s_edits_behind():
    workspace = with_x((0, 0, 5.0)).with_layout("columns")
    assert query_to({"step": "3"}, workspace) == {"layout": "columns", "x": X_5, "step": "3"}
    assert query_to({"example": "context"}, workspace) == {"example": "context", "layout": "columns"}


def test_a_typed_text_that_a_link_cannot_hold_stays_as_it_was():
    app = open_page("your_sentence", text="one two")
    app = app.text_input(key="your_sentence.text").set_value("one\ttwo").run()
    assert app.text_input(key=key_now(app, "your_sentence.text")).value == "one two"
    assert link_of(app) == {"source": "typed", "text": "one two"}
    assert "“Your sentence, in any language” must be one line of at most 400 characters" in notices(app)
    assert "but it was `onetwo`. So the old value stays." in notices(app)


def test_an_edit_that_the_browser_should_have_refused_changes_nothing():
    app = with_edit(open_page("attention"), edit(0, 0, 1e9))
    assert link_of(app) == {}
    assert (
        "A cell must hold a number from -10000 to 10000, but you typed 1000000000.0. Nothing was changed."
        in notices(app)
    )


# --- what is on the page ---


def test_the_session_knows_the_equations_on_the_page_and_only_those():
    app = open_page("attention", step="2")
    assert list(drawn_equations(app)) == ["step2"]
    app.session_state["attention.step"] = "7"
    app.run()
    assert list(drawn_equations(app)) == ["step7"]
