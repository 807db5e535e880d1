"""Test what every page must have, without a browser: a question as its title, a source, and few numbers at first."""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from pages.path.story import count_of_cells
from pages.shared.site.page import by_group, catalogue
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


def test_a_page_with_a_late_number_stands_with_its_group():
    home, first, *others = catalogue()
    late = replace(first, concept="Written last")
    of_its_group = [page for page in others if page.group == first.group]
    elsewhere = [page for page in others if page.group != first.group]
    assert by_group([home, first, *others, late]) == (home, first, *of_its_group, late, *elsewhere)
