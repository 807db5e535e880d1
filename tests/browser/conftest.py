"""Fixtures for the tests in a real browser.

Without a browser the tests skip and say so. With ATTENTION_LAB_REQUIRE_ALL set, they fail instead.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from browsing import LISTENS, SOON_LEFT, change_look, launch, new_tab, record_problems, settle, shown_exceptions
from serving import Server

NO_BROWSER = "no Chromium or Chrome on this machine: install one, or run `playwright install chromium`"
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give every test in this folder the mark “browser”."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Give the tests a headless Chromium, which is started once for all tests of a process."""
    with launch(*SOON_LEFT) as running:
        if running is None:
            refuse = pytest.fail if os.environ.get("ATTENTION_LAB_REQUIRE_ALL") else pytest.skip
            refuse(NO_BROWSER)
        yield running


@dataclass(frozen=True)
class Tab:
    """A tab of the browser, and the errors in it since the last test."""

    page: Page
    problems: list[str]

    def went_wrong(self) -> list[str]:
        """Return the errors in the tab, with the exceptions that its page shows."""
        return [*self.problems, *shown_exceptions(self.page)]

    def leave(self) -> None:
        """Leave the page, and remove everything from the tab that the next test could find."""
        self.page.evaluate("localStorage.clear(), sessionStorage.clear()")
        self.page.context.clear_cookies()
        self.page.goto("about:blank")
        self.page.mouse.move(0, 0)
        self.problems.clear()


@pytest.fixture(scope="session")
def open_tab(browser: Browser, server: Server) -> Callable[[bool], Tab]:
    """Give the tests a function that opens a new tab, with a touch screen or without."""

    def opened(touch: bool) -> Tab:
        page = new_tab(browser, server.url, touch=touch)
        return Tab(page, record_problems(page))

    return opened


@pytest.fixture(scope="session")
def shared_tab(open_tab: Callable[[bool], Tab]) -> Callable[[bool], Tab]:
    """Give the tests a function that returns a tab which all tests use one after the other.

    A new tab for each test would take three times as long.
    """
    return cache(open_tab)


@pytest.fixture
def visit(
    open_tab: Callable[[bool], Tab], shared_tab: Callable[[bool], Tab], server: Server, fresh_server: object
) -> Iterator[Callable[..., Page]]:
    """Give the test a function that opens a page, waits until it no longer changes, and returns its tab.

    For example: visit("/attention", dark=True, width=390, height=844, reduced_motion=False, touch=True).

    Each call opens a page as a new visitor, and all pages of a test are open at the same time. Nothing moves on a page
    unless a test asks for motion, because that saves an eighth of the work of opening a page. At the end, the fixture
    checks that no tab has shown an exception or a console error.

    The parameter `fresh_server` is needed only for the order of the clean-up: first the tabs leave their pages, and
    then the servers that the fixture `fresh_server` has started are stopped.
    """
    tabs: list[Tab] = []

    def open_page(path: str = "/", *, server: Server = server, touch: bool = False, **look: Any) -> Page:
        tabs.append(open_tab(touch) if tabs else shared_tab(touch))
        page = change_look(tabs[-1].page, **{"reduced_motion": True} | look)
        page.goto(server.url + path)
        settle(page)
        if page.locator(".st-key-scene").count():
            page.wait_for_function(LISTENS)
        return page

    yield open_page
    problems = [problem for tab in tabs for problem in tab.went_wrong()]
    for tab in tabs[:1]:
        tab.leave()
    for tab in tabs[1:]:
        tab.page.context.close()
    assert not problems
