"""Test which mistakes a page offers, and that it offers another state if one is not visible in the current one."""

from urllib.parse import parse_qs

import pytest

from attention_core.examples import EXAMPLES, example
from attention_core.mistakes import WITH_SWITCH, mistakes_of, visible_mistakes
from pages.shared.codes.mistake import right_trace
from pages.shared.state.link_text import decode
from pagesutil import KINDS
from simulating import choose, link_of, open_page, panels, with_open_mistakes

OFFER = "Show it where it can be seen"
STATED = [mistake for mistake in WITH_SWITCH if mistake.state]


def is_visible(mistake, example, mask="none"):
    """Return whether a mistake changes the numbers of an example with this mask."""
    trace = right_trace(mistake, example, mask)
    try:
        mistake.apply(trace)
    except ValueError:
        return False
    return mistake.shows(trace)


@pytest.mark.parametrize("mistake", WITH_SWITCH, ids=lambda mistake: mistake.name)
def test_every_mistake_that_some_example_hides_has_a_state_in_which_it_shows(mistake):
    hidden = [name for name, example in EXAMPLES.items() if not is_visible(mistake, example())]
    assert bool(mistake.state) == bool(hidden)


@pytest.mark.parametrize("mistake", STATED, ids=lambda mistake: mistake.name)
def test_it_shows_in_the_state_that_it_names(mistake):
    workspace, parameters, notices = decode(parse_qs(mistake.state), KINDS[mistake.concept])
    assert notices == []
    assert is_visible(mistake, workspace.edited_example, getattr(parameters, "mask", "none"))


def press_offer(app):
    """Press the button “Show it where it can be seen”, and return the app."""
    return next(button for button in app.button if button.label == OFFER).click().run()


@pytest.mark.parametrize("mistake", STATED, ids=lambda mistake: mistake.name)
def test_one_press_leads_to_where_it_shows(mistake):
    hiding = next(name for name, example in EXAMPLES.items() if not is_visible(mistake, example()))
    app = press_offer(open_page(mistake.concept, mistake=mistake.name, example=hiding, digits="4"))
    assert not app.exception
    assert all(button.label != OFFER for button in app.button)
    assert not any("Nothing to see yet" in info.value for info in app.info)
    # the other settings stay as they are
    assert (link_of(app)["mistake"], link_of(app)["digits"]) == (mistake.name, "4")


def test_a_mistake_that_shows_offers_nothing():
    app = open_page("attention", mistake="mask_inverted", mask="causal")
    assert all(button.label != OFFER for button in app.button)


SWITCHED = (
    *("softmax_axes", "queries_keys_values", "scaling", "attention"),
    *("multi_head", "positional_encoding", "cross_attention"),
)


@pytest.mark.parametrize("page", SWITCHED)
def test_all_mistakes_of_a_page_are_offered(page):
    shown = panels(with_open_mistakes(open_page(page), page))
    offered = [item["options"] for key in ("mistakes", "other_mistakes") for item in shown.get(key, ())]
    assert sum(map(len, offered)) == len(mistakes_of(page)) > 0


def test_the_mistakes_stand_in_one_line_until_one_is_on():
    def folded(**link):
        app = open_page("queries_keys_values", **link)
        # In older versions of Streamlit, its tests call a folded part with an icon a status.
        return [each for each in [*app.expander, *app.status] if each.label.startswith("What goes wrong")]

    (line,) = folded()
    assert line.label == "What goes wrong: 11 usual mistakes"
    assert not line.proto.expanded
    (line,) = folded(mistake="keys_as_values")
    assert line.proto.expanded


def test_mistakes_that_cannot_be_seen_here_are_one_press_away_and_say_why():
    trace = example("story").attention()
    seen = {mistake.name for mistake in visible_mistakes(trace, mistakes_of("queries_keys_values"))}
    assert {"keys_times_queries", "one_value_for_every_key"} <= seen
    # these mistakes need biases or other shapes
    assert not {"biases_forgotten", "features_weighted", "weights_transposed"} & seen
    app = with_open_mistakes(open_page("queries_keys_values"), "queries_keys_values")
    assert len(panels(app)["mistakes"][0]["options"]) == len(seen)
    assert "weights_transposed" in [option["text"] for option in panels(app)["other_mistakes"][0]["options"]]
    app = choose(app, "mistake", "weights_transposed")
    assert link_of(app) == {"mistake": "weights_transposed"}
    assert any("cannot even be computed here" in warning.value for warning in app.warning)
    options = panels(app)["mistakes"][0]["options"]
    assert [option["text"] for option in options if option["on"]] == ["weights_transposed"]
    assert len(options) == len(seen) + 1
