"""What every page owes its reader, seen without a browser."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from serving import PAGES, ROOT

EXTERNAL_LINK = re.compile(r"\]\(https?://")


@pytest.fixture(params=PAGES, ids=lambda page: page.name)
def page(request) -> AppTest:
    """Every page in turn, reached from home as a visitor would: run alone, it could not link to the others."""
    home = AppTest.from_file(str(ROOT / "app.py"), default_timeout=30).run()
    return home if request.param.script == "app.py" else home.switch_page(request.param.script).run()


def test_raises_nothing(page):
    assert not page.exception


def test_asks_one_question_as_its_title(page):
    assert [title.value.rstrip()[-1] for title in page.title] == ["?"]


def test_names_a_source(page):
    texts = [element.value for element in [*page.markdown, *page.caption]]
    assert any(EXTERNAL_LINK.search(text) for text in texts)
