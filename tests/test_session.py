"""The session on the real app: links opened cold, edits that follow, undo, and a link that is kept in step."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.runtime.state import QueryParamsProxy
from streamlit.testing.v1 import AppTest

from pages.shared.link import encode
from pages.shared.session import Session
from pagesutil import DECLARED, states, with_its_tokens
from serving import ROOT
from strategies import law
from visiting import edit, send, visiting, with_x

X_5 = "5,0,0,2,0;1,0,1,0,0;0,1,0,1,1"  # x with a 5 in its first cell


def opened(page, **link) -> AppTest:
    """A page opened cold, by a link."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30)
    app.query_params.update(link)
    return go(app, page) if page != "home" else app.run()


def go(app, page) -> AppTest:
    return app.switch_page(DECLARED[page].script).run()


def own(app) -> Session:
    return app.session_state["attention_lab"]


def link_of(app) -> dict[str, str]:
    return dict(app.query_params)


def captions(app) -> str:
    return "\n".join(caption.value for caption in app.caption)


def press(app, label) -> AppTest:
    (button,) = [button for button in app.button if button.label == label]
    return button.click().run()


def disabled(app, label) -> bool:
    return next(button.disabled for button in app.button if button.label == label)


def with_edit(app, *events) -> AppTest:
    with visiting(own(app)) as visitor:
        counted = [last for views in visitor.applied.values() for last in views.values()]
        send(*events, first=max(counted, default=0) + 1)
    return app.run()


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
    assert encode(own(app).workspace, own(app).parameters[own(app).page]) == link
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
    assert own(app).workspace == with_x((0, 0, 5.0))
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
    assert own(app).workspace == with_x((0, 0, 5.0), (0, 1, 6.0))
    app = press(app, "Back to the example")
    assert link_of(app) == {}
    app = press(app, "Undo")  # which can be taken back, too
    assert own(app).workspace == with_x((0, 0, 5.0), (0, 1, 6.0))


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


# --- widgets ---


def choose(app, name, option) -> AppTest:
    (group,) = [group for group in app.button_group if group.key == name]
    return group.set_value(option).run()


def test_a_button_sets_a_parameter():
    app = press(press(opened("attention"), "Next step"), "Next step")
    assert link_of(app) == {"step": "3"}
    assert link_of(press(app, "Back")) == {"step": "2"}


def test_a_choice_that_is_clicked_again_stays():
    app = choose(opened("softmax_axes"), "softmax_axes.axis", "columns")
    assert link_of(app) == {"axis": "columns"}
    assert link_of(choose(app, "softmax_axes.axis", None)) == {"axis": "columns"}


def test_a_slip_can_be_switched_off():
    app = choose(opened("softmax_axes"), "softmax_axes.slip", "softmax_twice")
    assert link_of(app) == {"slip": "softmax_twice"}
    assert link_of(choose(app, "softmax_axes.slip", None)) == {}


def test_sliders_and_switches():
    app = opened("softmax_axes")
    app.slider(key="softmax_axes.temperature").set_value(0.3).run()
    assert link_of(app.toggle(key="softmax_axes.subtract").set_value(False).run()) == {
        "temperature": "0.3",
        "subtract": "off",
    }


# --- the address ---


@pytest.fixture
def writes(monkeypatch):
    """Every link that is written into the address."""
    written, write = [], QueryParamsProxy.from_dict

    def watched(self, params):
        written.append(dict(params))
        write(self, params)

    monkeypatch.setattr(QueryParamsProxy, "from_dict", watched)
    return written


def test_the_link_is_written_only_where_it_differs(writes):
    app = opened("attention", step="3")
    app.run()
    assert writes == []
    with_edit(app, edit(0, 0, 5)).run()
    assert writes == [{"step": "3", "x": X_5}]


def test_a_drag_writes_one_link_when_it_ends(writes):
    app = opened("attention")
    for value in (2, 3, 4):
        app = with_edit(app, edit(0, 0, value, gesture="d1", done=False))
    assert writes == []
    with_edit(app, edit(0, 0, 5, gesture="d1", done=True))
    assert writes == [{"x": X_5}]


def test_the_browser_s_back_restores_the_state_before():
    app = with_edit(opened("attention", step="3"), edit(0, 0, 5))
    app.query_params.clear()
    app.query_params["step"] = "3"
    app = app.run()
    assert own(app).workspace.edits == {}
    assert link_of(app) == {"step": "3"}


def test_a_bare_address_stands_for_what_it_stood_for_on_arrival():
    app = go(with_edit(opened("attention"), edit(0, 0, 5)), "queries_keys_values")
    app = with_edit(app, edit(0, 1, 6))
    app.query_params.clear()
    app = app.run()
    assert own(app).workspace == with_x((0, 0, 5.0))
    assert link_of(app) == {}
