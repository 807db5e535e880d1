"""Runs of one visitor's page never overlap, because two runs would both change the visitor's session.

By default, Streamlit lets them overlap.
"""

import shutil

import pytest
from playwright.sync_api import expect

from browsing import settle
from serving import ROOT, serve

COUNTS_ITS_RUNS = """
import time

import streamlit as st

state = st.session_state
state.now = state.get("now", 0) + 1
state.most = max(state.get("most", 0), state.now)
try:
    st.button("Press")
    time.sleep(0.3)
    st.write(f"At most {state.most} at a time")
finally:
    state.now -= 1
"""


@pytest.fixture(scope="module")
def counting_app(tmp_path_factory):
    """Give the tests a server for a page that counts its runs, with the project's configuration."""
    folder = tmp_path_factory.mktemp("counting")
    shutil.copytree(ROOT / ".streamlit", folder / ".streamlit")
    script = folder / "app.py"
    script.write_text(COUNTS_ITS_RUNS)
    with serve(script) as server:
        yield server


def test_the_runs_of_one_visitor_follow_each_other(visit, counting_app):
    page = visit("/", server=counting_app)
    for _ in range(3):
        page.get_by_role("button", name="Press").click()
    expect(settle(page).get_by_text("At most 1 at a time")).to_be_visible()
