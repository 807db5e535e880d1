"""What the tests in a real browser may ask for.

Without a browser they skip and say so; with ATTENTION_LAB_REQUIRE_BROWSER set they fail instead.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from browsing import launch, new_tab, record_problems, settled, shown_exceptions
from serving import Server

NO_BROWSER = "no Chromium or Chrome on this machine: install one, or run `playwright install chromium`"
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium, started once for all tests of a process."""
    with launch() as running:
        if running is None:
            refuse = pytest.fail if os.environ.get("ATTENTION_LAB_REQUIRE_BROWSER") else pytest.skip
            refuse(NO_BROWSER)
        yield running


@pytest.fixture
def visit(browser: Browser, request: pytest.FixtureRequest, fresh_server: object) -> Iterator[Callable[..., Page]]:
    """Opens a page and waits for it; afterwards no tab may have shown an exception or a console error.

    visit("/attention", dark=True, width=390, height=844, reduced_motion=True, server=fresh_server())

    Asks for `fresh_server` so that tabs close before the servers that they look at.
    """
    visits: list[tuple[Page, list[str]]] = []

    def open_page(path: str = "/", *, server: Server | None = None, **look: Any) -> Page:
        base = server or request.getfixturevalue("server")
        page = new_tab(browser, base.url, **look)
        visits.append((page, record_problems(page)))
        page.goto(path)
        return settled(page)

    yield open_page
    problems = [problem for page, recorded in visits for problem in [*recorded, *shown_exceptions(page)]]
    for page, _ in visits:
        page.context.close()
    assert not problems
