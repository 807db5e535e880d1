"""The session on the real app: links opened cold, edits that follow from page to page, undo."""

from dataclasses import asdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages.shared.link import encode
from pagesutil import DECLARED, states, with_its_tokens
from simulating import X_5, captions, disabled, edits, go, link_of, opened, own, press, shared_rooms_put_back, with_edit
from strategies import law
from visiting import edit, with_x

rooms = pytest.fixture(autouse=True)(shared_rooms_put_back)


# --- links opened cold ---


@pytest.mark.parametrize("name", DECLARED)
@settings(law, max_examples=10)
@given(st.data())
def test_any_state_comes_back_cold(name, data):
    workspace, parameters = data.draw(states(DECLARED[name].parameters).map(with_its_tokens))
    link = encode(workspace, parameters)
    app = opened(name, **link)
    assert not app.exception
    assert link_of(app) == link
    assert asdict(own(app).workspace) == asdict(workspace)
    assert asdict(own(app).parameters[own(app).page]) == asdict(parameters)
    assert own(app).notices == []


def test_a_mistake_in_a_link_is_said_on_the_page_and_the_rest_kept():
    app = opened("attention", step="99", mask="causal", x=X_5)
    assert link_of(app) == {"mask": "causal", "x": X_5}
    assert ":material/info: The link’s `step` must be one of 1, 2, 3" in captions(app)
    assert "got `99`, so it was left out." in captions(app)


@pytest.mark.parametrize("name", DECLARED)
def test_a_page_as_it_starts_has_a_bare_address(name):
    assert link_of(opened(name)) == {}


# --- edits ---


def test_an_edit_is_written_into_the_link():
    app = with_edit(opened("attention", step="3"), edit(0, 0, 5))
    assert link_of(app) == {"step": "3", "x": X_5}
    assert "**Edited by you.**" in captions(app)


def test_edits_follow_from_page_to_page():
    app = go(with_edit(opened("attention"), edit(0, 0, 5)), "queries_keys_values")
    assert link_of(app) == {"x": X_5}
    app = go(app, "softmax_axes")
    assert edits(app) == with_x((0, 0, 5.0)).edits
    assert link_of(go(app, "attention")) == {"x": X_5}


def test_each_page_keeps_what_was_set_on_it():
    app = opened("attention", step="5")
    assert link_of(go(app, "queries_keys_values")) == {}
    assert link_of(go(app, "attention")) == {"step": "5"}


def test_undo_redo_and_back_to_the_example():
    app = opened("attention")
    assert [disabled(app, label) for label in ("Undo", "Redo", "Back to the example")] == [True, True, True]
    app = with_edit(app, edit(0, 0, 5), edit(0, 1, 6))
    assert [disabled(app, label) for label in ("Undo", "Redo", "Back to the example")] == [False, True, False]
    app = press(app, "Undo")
    assert link_of(app) == {"x": X_5}
    app = press(app, "Redo")
    assert edits(app) == with_x((0, 0, 5.0), (0, 1, 6.0)).edits
    app = press(app, "Back to the example")
    assert link_of(app) == {}
    app = press(app, "Undo")  # which can be taken back, too
    assert edits(app) == with_x((0, 0, 5.0), (0, 1, 6.0)).edits


def test_another_example_starts_without_edits_but_for_the_page_s_own():
    app = opened("softmax_axes", x=X_5, scores="9,0.5,0.2,3;1,-1,7,3;2,12,13,3")
    app = app.selectbox(key="example").select("book").run()
    assert link_of(app) == {"example": "book", "scores": "9,0.5,0.2,3;1,-1,7,3;2,12,13,3"}
    app = press(app, "Undo")
    assert link_of(app) == {"x": X_5, "scores": "9,0.5,0.2,3;1,-1,7,3;2,12,13,3"}
    assert link_of(press(app, "Back to the example")) == {}


def test_a_token_that_a_smaller_example_does_not_have_becomes_the_first():
    app = opened("queries_keys_values", example="cat", token="4")
    assert link_of(app) == {"example": "cat", "token": "4"}
    app = app.selectbox(key="example").select("context").run()
    assert not app.exception
    assert link_of(app) == {"example": "context"}
    assert "This example has 2 tokens, so `token=4` became the first of them." in captions(app)


def test_an_edit_that_the_browser_should_have_refused_changes_nothing():
    app = with_edit(opened("attention"), edit(0, 0, 1e9))
    assert link_of(app) == {}
    assert "A cell holds -10000 to 10000; got 1000000000.0: nothing was changed." in captions(app)
