"""“Check my matrix” in a real browser: a pasted matrix gets the name of its mistake, and the link keeps the matrix."""

from urllib.parse import quote

from playwright.sync_api import expect

from attention_core.diagnosis.pasted import problem_of, wrong_result_to_try
from attention_core.examples import example
from attention_core.reading.matrix_text import write_matrix
from browser.test_accessibility import faults_in_both_themes
from browsing import settle


def wrong_result():
    """Return a wrong result of an example, as a text to paste."""
    found = wrong_result_to_try(problem_of(example("hand"), "output"))
    assert found is not None
    return write_matrix(found[0])


def test_a_result_is_typed_named_and_restored_by_its_link(visit):
    page = visit("/check_my_matrix?example=hand")
    area = page.get_by_role("textbox", name="Your result")
    area.focus()
    page.keyboard.insert_text(wrong_result())
    page.keyboard.press("Control+Enter")
    named = page.get_by_text("The softmax runs over the whole matrix.")
    expect(named).to_be_visible()
    settle(page).reload()  # the link is written last
    settle(page)
    expect(area).to_have_value(wrong_result())
    expect(named).to_be_visible()


def test_a_press_checks_what_was_typed(visit):
    page = visit("/check_my_matrix?example=hand")
    page.get_by_role("textbox", name="Your result").focus()
    page.keyboard.insert_text(wrong_result())
    page.get_by_role("button", name="Check it").click()
    expect(page.get_by_text("The softmax runs over the whole matrix.")).to_be_visible()


def test_an_unreadable_text_shows_its_place_and_the_page_is_accessible(visit):
    page = visit(f"/check_my_matrix?steps=on&answer={quote('[[1, 2], [3 x]]')}")
    expect(page.get_by_text("Line 1, column 13")).to_be_visible()
    assert faults_in_both_themes(page) == []


def test_a_verdict_can_be_read_by_all(visit):
    page = visit(f"/check_my_matrix?example=hand&answer={quote(wrong_result())}")
    expect(page.get_by_role("heading", name="One known mistake gives these numbers")).to_be_visible()
    assert faults_in_both_themes(page) == []


def test_a_verdict_fits_a_phone(visit):
    page = visit(f"/check_my_matrix?example=hand&answer={quote(wrong_result())}", width=390, height=844, dark=True)
    expect(page.get_by_role("heading", name="One known mistake gives these numbers")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") == 0


def test_a_text_that_is_too_long_is_refused_and_said_before_it_is_sent(visit):
    page = visit("/check_my_matrix")
    area = page.get_by_role("textbox", name="Your result")
    area.focus()
    page.keyboard.insert_text("1 2")
    page.keyboard.insert_text("x" * 200_000)
    said = page.get_by_text("A text may have 200,000 characters; this would have 200,003, so nothing was changed")
    expect(said).to_be_visible()
    expect(area).to_have_value("1 2")
    assert faults_in_both_themes(page) == []
    page.keyboard.insert_text(" 3")
    expect(said).to_have_count(0)
    page.keyboard.press("Control+Enter")
    settle(page)
    expect(area).to_have_value("1 2 3")
