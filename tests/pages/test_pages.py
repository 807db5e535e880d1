"""Test what every page must have, without a browser: a question as its title, a source, and few numbers at first."""

import re

import pytest
from streamlit.testing.v1 import AppTest

from pages.path.story import count_of_cells
from pages.shared.site.page import check_menu
from serving import PAGES
from simulating import drawn_equations, open_page

pytestmark = pytest.mark.lowest
MOST_CELLS = 150  # the most numbers in the equations of a page as it opens
EXTERNAL_LINK = re.compile(r"\]\(https?://")


@pytest.fixture(params=PAGES, ids=lambda page: page.name)
def page(request) -> AppTest:
    """Give the test each page in turn, opened in the simulated app."""
    return open_page(request.param.name)


def test_raises_nothing(page):
    assert not page.exception


def test_asks_one_question_as_its_title(page):
    titles = [line for text in page.markdown for line in text.value.splitlines() if line.startswith("# ")]
    assert [title[-1] for title in titles] == ["?"]


def test_names_a_source(page):
    texts = [element.value for element in [*page.markdown, *page.caption]]
    assert any(EXTERNAL_LINK.search(text) for text in texts)


def test_opens_with_few_numbers(page):
    assert sum(count_of_cells(lines) for lines in drawn_equations(page).values()) <= MOST_CELLS


@pytest.mark.parametrize(
    ("rows", "folders", "lacks"),
    [
        (["home", "late"], ["home"], "late lacks pages/late/page.py"),
        (["home"], ["home", "late"], "late lacks a row in menu.toml"),
    ],
)
def test_a_page_without_a_folder_or_a_row_is_named(rows, folders, lacks):
    with pytest.raises(ValueError, match=re.escape(lacks)):
        check_menu(rows, folders)
    check_menu(["home"], ["home"])
