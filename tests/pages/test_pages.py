"""What every page owes its reader, seen without a browser."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from serving import PAGES
from simulating import opened

EXTERNAL_LINK = re.compile(r"\]\(https?://")


@pytest.fixture(params=PAGES, ids=lambda page: page.name)
def page(request) -> AppTest:
    return opened(request.param.name)


def test_raises_nothing(page):
    assert not page.exception


def test_asks_one_question_as_its_title(page):
    titles = [line for text in page.markdown for line in text.value.splitlines() if line.startswith("# ")]
    assert [title[-1] for title in titles] == ["?"]


def test_names_a_source(page):
    texts = [element.value for element in [*page.markdown, *page.caption]]
    assert any(EXTERNAL_LINK.search(text) for text in texts)
