"""Test that a page offers another state if a mistake is not visible in the current one."""

from urllib.parse import parse_qs

import pytest

from attention_core.examples import EXAMPLES
from attention_core.mistakes import WITH_SWITCH
from pages.shared.codes.mistake import right_trace
from pages.shared.state.link_text import decode
from pagesutil import KINDS
from simulating import link_of, open_page

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
