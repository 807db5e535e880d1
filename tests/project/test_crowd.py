"""The visitors of a lecture hall who open the link of a server that has just started."""

import pytest

from crowd import first_visitors
from serving import PAGES

pytestmark = pytest.mark.lowest


@pytest.mark.long
def test_first_visitors_who_come_at_once_see_their_pages():
    answers = first_visitors(2 * len(PAGES))
    assert {answer.page for answer in answers} == {page.name for page in PAGES}
    assert [answer for answer in answers if answer.errors or answer.elements < 10] == []
