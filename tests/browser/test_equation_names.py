"""Names of columns: long names are written upwards, brackets are level, and cells and headings say the names."""

from playwright.sync_api import Page, expect

from browser.equation import cell, figure
from browsing import settle

STORY = "/queries_keys_values?example=story"
WIDEST = 48  # pixels of a column of small numbers, whatever stands above it
BOXES = """
all => all.map((one) => one.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height])
"""
WHOLE = "all => all.every((one) => one.scrollHeight <= one.clientHeight + 1)"


def boxes(page: Page, name: str, inside: str) -> list[list[float]]:
    """Return x, y, width and height, in pixels, of elements in the first drawing of the matrix `name`."""
    return figure(page, name).first.locator(inside).evaluate_all(BOXES)


def test_long_names_stand_upright_and_make_no_column_wider(visit):
    page = visit(STORY)
    for width, height in ((box[2], box[3]) for box in boxes(page, "q", "thead span")):
        assert height > width
    assert max(box[2] for box in boxes(page, "q", "td.cell")) < WIDEST
    assert all(height < width for _, _, width, height in boxes(page, "v", "thead span"))  # short names are level


def test_no_name_is_cut_off(visit):
    page = visit(STORY)
    for name in ("x", "w_q", "q", "w_k", "k"):
        whole = figure(page, name).first.locator("thead span").evaluate_all(WHOLE)
        assert whole, name


def test_brackets_of_one_equation_stand_level(visit):
    page = visit(STORY)
    middles = {
        name: box[0][1] + box[0][3] / 2 for name in ("x", "w_q", "q") for box in [boxes(page, name, "td.bracket.left")]
    }
    assert max(middles.values()) - min(middles.values()) < 4


def test_a_cell_and_its_heads_say_what_they_are(visit):
    page = visit(STORY)
    asked = cell(page, "q", 4, 0)
    expect(asked).to_have_attribute("title", "it, looks for somebody\nQ = 3")
    q = figure(page, "q").first
    expect(q.get_by_role("columnheader", name="looks for somebody", exact=True)).to_have_count(1)
    expect(q.get_by_role("rowheader", name="it", exact=True)).to_have_count(1)


def test_where_columns_have_no_names_a_cell_says_its_token_alone(visit):
    page = visit("/queries_keys_values?example=hand")
    expect(cell(page, "q", 0, 1)).to_have_attribute("title", "cats\nQ = -1")
    expect(cell(page, "w_q", 0, 1)).to_have_attribute("title", "W^Q = 1")


def test_an_edit_keeps_the_names(visit):
    page = visit(STORY)
    target = cell(page, "w_q", 0, 0)
    target.focus()
    page.keyboard.type("7")
    page.keyboard.press("Enter")
    settle(page)
    expect(target).to_have_attribute("title", "alive, looks for somebody\nW^Q = 7\nwas 0")
    expect(figure(page, "w_q").first.locator("thead span").first).to_have_text("looks for somebody")
