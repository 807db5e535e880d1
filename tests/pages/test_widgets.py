"""Test the widgets: each sets its parameter, and shows the value of its parameter."""

import math

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ButtonGroup

from pages.shared.state import widgets
from simulating import clear, link_of, open_page, press, visit_of, visitor_of
from visiting import visiting

pytestmark = pytest.mark.lowest


def group_of(app, name) -> ButtonGroup:
    """Return the group of options in which a visitor sets the parameter `name`.

    The group's key ends differently each time the server sets its value, so only its beginning is compared.
    """
    (group,) = [group for group in app.button_group if group.key.partition("~")[0] == name]
    return group


def choose(app, name, option) -> AppTest:
    """Choose an option for the parameter `name`, and return the app."""
    return group_of(app, name).set_value(option).run()


def test_a_button_sets_a_parameter():
    app = press(press(open_page("attention"), "Next step"), "Next step")
    assert link_of(app) == {"step": "3"}
    assert link_of(press(app, "Back")) == {"step": "2"}


def test_an_example_keeps_its_own_number_of_heads_until_another_is_chosen():
    app = open_page("multi_head").run()
    assert link_of(app) == {}
    app.selectbox(key="example").set_value("book").run()  # the example "book" has 3 tokens
    assert link_of(app) == {"example": "book"}
    assert visit_of(app).parameters.heads == 0
    assert link_of(choose(app, "multi_head.heads", 1)) == {"example": "book", "heads": "1"}
    assert link_of(choose(app, "multi_head.heads", 0)) == {"example": "book"}


def test_a_link_may_name_the_number_of_heads_that_an_example_has():
    app = open_page("multi_head", heads="2")
    assert group_of(app, "multi_head.heads").value == 0
    assert not app.exception


def test_a_choice_that_is_clicked_again_stays():
    app = choose(open_page("softmax_axes"), "softmax_axes.axis", "columns")
    assert link_of(app) == {"axis": "columns"}
    assert link_of(clear(app, "softmax_axes.axis")) == {"axis": "columns"}


def test_a_mistake_can_be_switched_off():
    app = choose(open_page("softmax_axes"), "softmax_axes.mistake", "softmax_twice")
    assert link_of(app) == {"mistake": "softmax_twice"}
    assert link_of(clear(app, "softmax_axes.mistake")) == {}


def test_sliders_and_switches():
    app = open_page("softmax_axes", look="powers")
    app.slider(key="softmax_axes.constant").set_value(30).run()
    assert link_of(app.toggle(key="softmax_axes.subtract").set_value(False).run()) == {
        "look": "powers",
        "constant": "30",
        "subtract": "off",
    }


def test_switches_in_one_row_are_each_their_own():
    app = open_page("your_sentence", causal="on")
    name = "your_sentence.fold.together"
    (row,) = [group for group in app.button_group if group.key == name]
    assert row.value == ["causal", "scaled"]
    app = choose(app, name, ["positions"])
    assert link_of(app) == {"source": "typed", "positions": "on", "scaled": "off"}
    (row,) = [group for group in app.button_group if group.key == name]
    assert row.value == ["positions"]


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
