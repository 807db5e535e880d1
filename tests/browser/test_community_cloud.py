"""The app with the configuration of Streamlit Community Cloud, which overrides the app's own."""

import re
import shutil

import pytest
from playwright.sync_api import expect

from browser.test_one_run_at_a_time import COUNTS_ITS_RUNS
from browsing import new_tab, record_problems, settle
from crowd import connect_visitor, messages_of_run, opening_message, run
from serving import COMMUNITY_CLOUD, ROOT, serve
from walks import delayed_server, ends_where_its_link_begins

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
