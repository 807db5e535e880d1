"""The app in a browser behind nginx: under a path of its host, with its security policy, and when a process ends.

Also Streamlit Community Cloud.
"""

import os
import re
import shutil
import signal

import pytest
from playwright.sync_api import expect

from browser.equation import cell
from browser.test_address import COUNTS_ITS_RUNS
from browsing import new_tab, open_in_menu, record_problems, settle
from crowd import connect_visitor, messages_of_run, opening_message, run
from hosting import behind_nginx, needs_nginx
from pages.shared.site.page import catalogue
from serving import COMMUNITY_CLOUD, ROOT, serve
from walks import delayed_server, ends_where_its_link_begins

CONNECTED = '[data-testid="stApp"][data-test-connection-state="CONNECTED"]'


@pytest.fixture
def tab(browser):
    """Give the test the app behind nginx under the path /lab, and an open tab."""
    with behind_nginx("/lab") as hosted:
        page = new_tab(browser, hosted.server.url)
        yield hosted, page
        page.context.close()


@needs_nginx
def test_every_page_keeps_to_the_policy_under_a_path_of_the_host(tab):
    hosted, page = tab
    problems = record_problems(page)
    page.goto(hosted.server.url)
    for each in (each for each in catalogue() if each.name != "home"):
        open_in_menu(page, each.name)
        page.wait_for_url(f"{hosted.server.url}/{each.name}")
        expect(settle(page).locator("h1")).to_have_count(1)
    page.goto(f"{hosted.server.url}/scaling")
    expect(settle(page).locator("h1")).to_contain_text("Why are the scores divided")
    assert problems == []


@needs_nginx
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


APP = (ROOT / "app.py").read_text("utf-8")


@pytest.fixture(scope="module")
def cloud_server():
    """Give the tests the app with the configuration of Streamlit Community Cloud."""
    with serve(settings=COMMUNITY_CLOUD) as server:
        yield server


@pytest.fixture
def counting_app(tmp_path):
    """Give the test a folder and a server. The server's app starts as ours does, but its only page counts its runs."""
    shutil.copytree(ROOT / ".streamlit", tmp_path / ".streamlit")
    for room in ("pages", "attention_core"):
        (tmp_path / room).symlink_to(ROOT / room)
    (tmp_path / "counting.py").write_text(COUNTS_ITS_RUNS)
    app, found = re.subn("^SCRIPT = .*", 'SCRIPT = Path(__file__).with_name("counting.py")', APP, flags=re.MULTILINE)
    assert found == 1
    (tmp_path / "app.py").write_text(app)
    with serve(tmp_path / "app.py", settings=COMMUNITY_CLOUD) as server:
        yield tmp_path, server


def test_the_browser_is_told_to_gather_no_statistics_and_asks_no_other_host(browser, cloud_server):
    assert run(_sessions_gather_statistics(cloud_server)) == [False]
    page = new_tab(browser, cloud_server.url)
    problems = record_problems(page)
    for path in ("/", "/attention", "/scaling"):
        page.goto(path)
        settle(page, quiet=1000)
    page.context.close()
    assert problems == []


async def _sessions_gather_statistics(server):
    async with connect_visitor(server) as socket:
        messages = [message async for message in messages_of_run(socket, opening_message("attention"))]
    return [m.new_session.config.gather_usage_stats for m in messages if m.WhichOneof("type") == "new_session"]


def test_the_runs_of_one_visitor_follow_each_other_also_when_the_configuration_is_read_again(visit, counting_app):
    folder, server = counting_app
    page = visit("/", server=server)
    _press_three_times(page)
    expect(page.get_by_text("At most 1 at a time")).to_be_visible()
    with (folder / ".streamlit" / "config.toml").open("a") as config:
        config.write("# changed\n")
    page.wait_for_timeout(1500)  # Streamlit reads its configuration five times a second
    _press_three_times(page)
    expect(page.get_by_text("At most 1 at a time")).to_be_visible()


def _press_three_times(page):
    for _ in range(3):
        page.get_by_role("button", name="Press").click()
    settle(page)


def test_presses_that_come_before_their_answers_end_where_the_link_begins(browser, cloud_server):
    with delayed_server(cloud_server) as far:
        assert ends_where_its_link_begins(browser, cloud_server, far, seed=63)
