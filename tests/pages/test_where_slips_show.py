"""Where a mistake cannot be seen, its page offers a state in which it can."""

from urllib.parse import parse_qs

import pytest

from attention_core.examples import EXAMPLES
from attention_core.slips import WITH_SWITCH
from pages.shared.codes.mistake import right_trace
from pages.shared.state.link import decode
from pagesutil import KINDS
from simulating import link_of, opened

OFFER = "Show it where it can be seen"
STATED = [slip for slip in WITH_SWITCH if slip.state]


def shows(slip, example, mask="none"):
    trace = right_trace(slip, example, mask)
    try:
        slip.apply(trace)
    except ValueError:
        return False
    return slip.shows(trace)


@pytest.mark.parametrize("slip", WITH_SWITCH, ids=lambda slip: slip.name)
def test_every_mistake_that_some_example_hides_has_a_state_in_which_it_shows(slip):
    hidden = [name for name, example in EXAMPLES.items() if not shows(slip, example())]
    assert bool(slip.state) == bool(hidden)


@pytest.mark.parametrize("slip", STATED, ids=lambda slip: slip.name)
def test_it_shows_in_the_state_that_it_names(slip):
    workspace, parameters, notices = decode(parse_qs(slip.state), KINDS[slip.concept])
    assert notices == []
    assert shows(slip, workspace.edited_example, getattr(parameters, "mask", "none"))


def pressed(app):
    return next(button for button in app.button if button.label == OFFER).click().run()


@pytest.mark.parametrize("slip", STATED, ids=lambda slip: slip.name)
def test_one_press_leads_to_where_it_shows(slip):
    hiding = next(name for name, example in EXAMPLES.items() if not shows(slip, example()))
    app = pressed(opened(slip.concept, slip=slip.name, example=hiding, digits="4"))
    assert not app.exception
    assert all(button.label != OFFER for button in app.button)
    assert not any("Nothing to see yet" in info.value for info in app.info)
    assert (link_of(app)["slip"], link_of(app)["digits"]) == (slip.name, "4")  # all else stays


def test_a_mistake_that_shows_offers_nothing():
    app = opened("attention", slip="mask_inverted", mask="causal")
    assert all(button.label != OFFER for button in app.button)
