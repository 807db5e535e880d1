"""The app in a browser behind nginx: under a path of its host, with its security policy, and when a process ends."""

import os
import signal

import pytest
from playwright.sync_api import expect

from browser.equation import cell
from browsing import new_tab, record_problems, settle
from hosting import behind_nginx, needs_nginx
from pages.shared.site.page import catalogue

pytestmark = needs_nginx
CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'


@pytest.fixture
def tab(browser):
    """Give the test the app behind nginx under the path /lab, and an open tab."""
    with behind_nginx("/lab") as hosted:
        page = new_tab(browser, hosted.server.url)
        yield hosted, page
        page.context.close()


def test_every_page_keeps_to_the_policy_under_a_path_of_the_host(tab):
    hosted, page = tab
    problems = record_problems(page)
    page.goto(hosted.server.url)
    for each in (each for each in catalogue() if each.name != "home"):
        page.get_by_test_id("stSidebar").get_by_role("link", name=each.concept).click()
        page.wait_for_url(f"{hosted.server.url}/{each.name}")
        expect(settle(page).locator("h1")).to_have_count(1)
    page.goto(f"{hosted.server.url}/scaling")
    expect(settle(page).locator("h1")).to_contain_text("Why are the scores divided")
    assert problems == []


def test_a_visitor_of_a_killed_process_goes_on_from_the_link(tab):
    hosted, page = tab
    page.goto(f"{hosted.server.url}/queries_keys_values?example=hand&x=5,0,0,2,0;1,0,1,0,0;0,1,0,1,1")
    settle(page)
    (cookie,) = (each for each in page.context.cookies() if each["name"] == "attention_lab")
    os.kill(hosted.process_of(cookie["value"]).pid, signal.SIGKILL)
    expect(page.locator(CONNECTED)).to_have_count(0)
    expect(page.locator(CONNECTED)).to_have_count(1)
    expect(cell(settle(page), "x", 0, 0)).to_have_text("5")
    page.reload()
    expect(cell(settle(page), "x", 0, 0)).to_have_text("5")
