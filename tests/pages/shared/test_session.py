"""Test a visitor's session in the real app: links, edits that follow the visitor from page to page, and undo.

Also widgets, and the places kept for them.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import asdict
from threading import Barrier, Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from pages.shared.controls import controls_of
from pages.shared.controls.kinds import Choice
from pages.shared.state import widgets
from pages.shared.state.history import usable_tools
from pages.shared.state.link_text import encode, query_to
from pagesutil import DECLARED, KINDS, USUAL, fit_to_example, states
from simulating import (
    X_5,
    choose,
    chosen_in_panels,
    controls_in_panels,
    drawn_equations,
    edits,
    go,
    key_now,
    link_of,
    notices,
    open_page,
    press,
    redo,
    reset,
    undo,
    visit_of,
    visitor_of,
    with_edit,
    with_open_mistakes,
)
from strategies import law
from visiting import edit, new_visitor, send, visiting, with_x

# --- links opened cold ---


@pytest.mark.lowest
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


@pytest.mark.lowest
def test_a_mistake_in_a_link_is_said_on_the_page_and_the_rest_kept():
    app = open_page("attention", step="99", mask="causal", x=X_5)
    assert link_of(app) == {"mask": "causal", "x": X_5}
    assert ":material/info: The link’s `step` must be one of 1, 2, 3" in notices(app)
    assert "but it is `99`, so it was ignored." in notices(app)


@pytest.mark.lowest
@pytest.mark.parametrize("name", DECLARED)
def test_a_page_as_it_starts_has_a_bare_address(name):
    assert link_of(open_page(name)) == {}


# --- edits ---


@pytest.mark.lowest
def test_an_edit_is_written_into_the_link():
    app = with_edit(open_page("attention", step="3"), edit(0, 0, 5))
    assert link_of(app) == {"step": "3", "x": X_5}


@pytest.mark.lowest
def test_edits_follow_from_page_to_page():
    app = go(with_edit(open_page("attention"), edit(0, 0, 5)), "queries_keys_values")
    assert link_of(app) == {"x": X_5}
    app = go(app, "softmax_axes")
    assert edits(app) == with_x((0, 0, 5.0)).edits
    assert link_of(go(app, "attention")) == {"x": X_5}


@pytest.mark.lowest
def test_each_page_keeps_what_was_set_on_it():
    app = open_page("attention", step="5")
    assert link_of(go(app, "queries_keys_values")) == {}
    assert link_of(go(app, "attention")) == {"step": "5"}


@pytest.mark.lowest
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


@pytest.mark.lowest
def test_another_example_starts_without_edits_but_for_the_page_s_own():
    app = open_page("softmax_axes", x=X_5, scores="9,0.5,0.2,3;1,-1,7,3;2,12,13,3")
    app = choose(app, "example", "book")
    assert link_of(app) == {"example": "book", "scores": "9,0.5,0.2,3;1,-1,7,3;2,12,13,3"}
    app = undo(app)
    assert link_of(app) == {"x": X_5, "scores": "9,0.5,0.2,3;1,-1,7,3;2,12,13,3"}
    assert link_of(reset(app)) == {}


@pytest.mark.lowest
def test_the_tools_know_what_there_is_to_take_back():
    with visiting(new_visitor()):
        assert usable_tools() == {"undo": False, "redo": False, "reset": False}
        send(edit(0, 0, 5))
        assert usable_tools() == {"undo": True, "redo": False, "reset": True}
        send({"kind": "undo"}, first=2)
        assert usable_tools() == {"undo": False, "redo": True, "reset": False}


@pytest.mark.lowest
def test_a_token_that_a_smaller_example_does_not_have_becomes_the_first():
    app = open_page("queries_keys_values", example="cat", token="3")
    assert link_of(app) == {"example": "cat", "token": "3"}
    app = choose(app, "example", "context")
    assert not app.exception
    assert link_of(app) == {"example": "context", "token": "0"}
    assert "This example does not have what `token=3` asks for, so the first token is taken." in notices(app)


@pytest.mark.lowest
def test_the_last_token_stays_the_last_of_another_example():
    app = open_page("queries_keys_values", example="cat", token="4")
    app = choose(app, "example", "context")
    assert link_of(app) == {"example": "context"}
    assert "does not have" not in notices(app)
    app = open_page("queries_keys_values", example="cat")
    assert chosen_in_panels(app, "token") == ["last"]


@pytest.mark.lowest
def test_asking_for_more_queries_than_exist_shows_all():
    app = open_page("cross_attention", queries="5", keys="2")
    assert link_of(app) == {"keys": "2"}
    assert "This example does not have what `queries=5` asks for, so all tokens take part." in notices(app)
    app = choose(app, "example", "context")
    assert link_of(app) == {"example": "context", "keys": "2"}


@pytest.mark.lowest
def test_a_link_to_another_example_leaves_this_one_s_edits_behind():
    workspace = with_x((0, 0, 5.0)).with_layout("columns")
    assert query_to({"step": "3"}, workspace) == {"layout": "columns", "x": X_5, "step": "3"}
    assert query_to({"example": "context"}, workspace) == {"example": "context", "layout": "columns"}


@pytest.mark.lowest
def test_a_typed_text_that_a_link_cannot_hold_stays_as_it_was():
    app = open_page("your_sentence", text="one two")
    app = app.text_input(key="your_sentence.text").set_value("one\ttwo").run()
    assert app.text_input(key=key_now(app, "your_sentence.text")).value == "one two"
    assert link_of(app) == {"source": "typed", "text": "one two"}
    assert "“Your sentence, in any language” must be one line of at most 400 characters" in notices(app)
    assert "but it was `onetwo`. So the old value stays." in notices(app)


@pytest.mark.lowest
def test_an_edit_that_the_browser_should_have_refused_changes_nothing():
    app = with_edit(open_page("attention"), edit(0, 0, 1e9))
    assert link_of(app) == {}
    assert (
        "A cell must hold a number from -10000 to 10000, but you typed `1000000000.0`. Nothing was changed."
        in notices(app)
    )


# --- what is on the page ---


@pytest.mark.lowest
def test_the_session_knows_the_equations_on_the_page_and_only_those():
    app = open_page("attention", step="2")
    assert list(drawn_equations(app)) == ["step2"]
    app = choose(app, "step", "7")
    assert list(drawn_equations(app)) == ["step7"]


def script():
    import streamlit as st

    from pages.shared.state import session

    meet, name = st.session_state["meet"], st.session_state["name"]
    session.visitor()
    meet.wait()  # now both visitors have their sessions
    session.update(page=name)
    meet.wait()  # now both visitors have changed their state
    st.write(session.visit().page)


def test_two_visitors_whose_threads_take_turns_do_not_see_each_other():
    apps, meet = {name: AppTest.from_function(script, default_timeout=120) for name in ("here", "there")}, Barrier(2)
    for name, app in apps.items():
        app.session_state["meet"], app.session_state["name"] = meet, name
    for _ in range(2):  # in the second run, the app already knows both visitors
        runs = [Thread(target=app.run) for app in apps.values()]
        for run in runs:
            run.start()
        for run in runs:
            run.join()
        assert {name: [text.value for text in app.markdown] for name, app in apps.items()} == {
            "here": ["here"],
            "there": ["there"],
        }


@pytest.mark.lowest
def test_a_button_sets_a_parameter():
    app = press(press(open_page("attention"), "Next step"), "Next step")
    assert link_of(app) == {"step": "3"}
    assert link_of(press(app, "Back")) == {"step": "2"}


@pytest.mark.lowest
def test_an_example_keeps_its_own_number_of_heads_until_another_is_chosen():
    app = open_page("multi_head").run()
    assert link_of(app) == {}
    choose(app, "example", "book")  # the example "book" has 3 tokens
    assert link_of(app) == {"example": "book"}
    assert visit_of(app).parameters.heads == 0
    assert link_of(choose(app, "heads", "1")) == {"example": "book", "heads": "1"}
    assert link_of(choose(app, "heads", "0")) == {"example": "book"}


@pytest.mark.lowest
def test_a_link_may_name_the_number_of_heads_that_an_example_has():
    app = open_page("multi_head", heads="2")
    assert chosen_in_panels(app, "heads") == ["0"]
    assert not app.exception


@pytest.mark.lowest
def test_a_choice_cannot_be_taken_away():
    app = choose(open_page("softmax_axes"), "axis", "columns")
    assert link_of(app) == {"axis": "columns"}
    app = choose(app, "axis", "")
    assert link_of(app) == {"axis": "columns"}
    assert "“What adds up to 1” must be" in notices(app)


@pytest.mark.lowest
def test_a_mistake_can_be_switched_off():
    app = choose(with_open_mistakes(open_page("softmax_axes"), "softmax_axes"), "mistake", "softmax_twice")
    assert link_of(app) == {"mistake": "softmax_twice"}
    assert link_of(choose(app, "mistake", "")) == {}


@pytest.mark.lowest
def test_a_closed_fold_draws_nothing_and_the_mistake_of_a_link_opens_it():
    assert "mistake" not in controls_in_panels(open_page("softmax_axes"))
    assert chosen_in_panels(open_page("softmax_axes", mistake="softmax_twice"), "mistake") == ["softmax_twice"]


@pytest.mark.lowest
def test_sliders_and_switches():
    app = open_page("softmax_axes", look="powers")
    app = with_edit(app, {"kind": "set", "name": "constant", "value": 30})
    assert link_of(choose(app, "subtract", "off")) == {
        "look": "powers",
        "constant": "30",
        "subtract": "off",
    }


@pytest.mark.parametrize(("place", "d_k"), [(3, "8"), (10, "1024"), (11, None), (2.5, None), (-1, None)])
def test_a_slider_with_steps_is_set_by_its_place(place, d_k):
    app = with_edit(open_page("scaling", look="draws"), {"kind": "set", "name": "d_k", "value": place})
    assert link_of(app).get("d_k") == d_k
    assert bool(notices(app)) is (d_k is None)


@pytest.mark.lowest
def test_switches_in_one_row_are_each_their_own():
    app = open_page("your_sentence", causal="on")
    assert switched_on(app) == ["causal", "scaled"]
    for name, text in (("positions", "on"), ("causal", "off"), ("scaled", "off")):
        app = with_edit(app, {"kind": "choose", "name": name, "text": text})
    assert link_of(app) == {"source": "typed", "positions": "on", "scaled": "off"}
    assert switched_on(app) == ["positions"]


def switched_on(app) -> list[str]:
    """Return the switches of the first row of switches that are on."""
    return [option["name"] for option in controls_in_panels(app)["fold"]["options"] if option["on"]]


@pytest.mark.lowest
@pytest.mark.parametrize(
    ("page", "link", "name", "value"),
    [
        ("softmax_axes", {"look": "temperature"}, "temperature", 1e300),
        ("softmax_axes", {"look": "temperature"}, "temperature", math.nan),
        ("softmax_axes", {}, "axis", "sideways"),
        ("attention", {}, "token", 10**9),
        ("positional_encoding", {"look": "formulas"}, "width", 10**9),
    ],
)
def test_a_value_that_links_refuse_is_refused_by_widgets(page, link, name, value):
    app = open_page(page, **link)
    before = getattr(visit_of(app).parameters, name)
    with visiting(visitor_of(app)):
        refused = widgets._value_or_notice(visit_of(app).parameters, name, value)
    assert refused[0] == before
    assert "So the old value stays." in refused[1]


WITHOUT_WIDGETS = {"lecturers"}  # this page has only text


def widgets_in(block, path=()) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the name of each widget of the lesson, and the path to it in the page's tree of blocks.

    Widgets in a container whose name begins with "place_" are left out. The content of such a container changes. So
    are components of ours: the browser keeps nothing of them that the server does not have.
    """
    for number, child in block.children.items():
        name = (getattr(child, "key", None) or "").partition("~")[0]
        if name.startswith("place_") or re.search(r"\.(equation|panel|words|bars|plane)\.", name):
            continue
        if "." in name:
            yield name, (*path, number)
        if hasattr(child, "children"):
            yield from widgets_in(child, (*path, number))


def states_of(page) -> Iterator[dict[str, str]]:
    yield {}
    for name, control in controls_of(KINDS[page]).items():
        if isinstance(control, Choice):
            yield from ({name: option} for option in control.options if option)


@pytest.mark.many
@pytest.mark.parametrize("page", KINDS)
def test_no_choice_moves_a_widget(page):
    found: dict[str, tuple[int, ...]] = {}
    for state in states_of(page):
        app = open_page(page, **state)
        assert not app.exception, state
        for name, path in widgets_in(app.main):
            assert found.setdefault(name, path) == path, (name, state)
    assert bool(found) == (page not in WITHOUT_WIDGETS)
