"""What the tests of pages may ask for."""

import pytest

from pages.shared.takehome.screen import Screen
from taken_home import STATES, State, screen_at


@pytest.fixture(scope="session", params=STATES, ids=str)
def state(request: pytest.FixtureRequest) -> State:
    """Each state in turn: the page and its link."""
    return request.param


@pytest.fixture(scope="session")
def screen(state: State) -> Screen:
    """The screen in each state in turn, opened once for all tests of the state."""
    page, link = state
    return screen_at(page, **link)
