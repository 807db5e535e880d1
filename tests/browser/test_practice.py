"""A task as a learner meets it: by keyboard, with marks and the name of the mistake, and first without the answer."""

import re

import numpy as np
from playwright.sync_api import Locator, Page, expect

from attention_core.tasks.seeded import task
from browser.equation import (
    address_query,
    cell,
    clipboard,
    figure,
    focused_cell,
    lights_of_cells,
    paste,
    until,
    until_query,
)
from browser.test_accessibility import faults_in_both_themes
from browser.test_equation_keyboard import tab_to
from browsing import open_in_menu, settle

LINK = "/softmax_axes?task=17&difficulty=1"
TASK = task("softmax_axes", 17, 1)
BLANK = "weights_task"
MISTAKE = next(mistake for mistake in TASK.mistakes if mistake.name == "softmax_over_columns")
EVERYTHING = """
() => {
  const texts = []
  const walk = (root) => {
    for (const element of root.querySelectorAll("*")) {
      texts.push(...[...element.attributes].map((attribute) => attribute.value))
      if (element.shadowRoot) walk(element.shadowRoot)
    }
    texts.push(root.textContent ?? "", root.host ? root.innerHTML : "")
  }
  walk(document)
  return texts.join("\\n") + document.body.innerText
}
"""


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=name)


def spreadsheet_text(numbers) -> str:
    """Return a block of numbers as a spreadsheet copies it."""
    return "\n".join("\t".join(f"{number:.2f}" for number in row) for row in numbers)


def cell_names(page: Page) -> list[str]:
    """Return the names that a screen reader says for the cells of the task's blank matrix."""
    return figure(page, BLANK).locator("td.cell").evaluate_all("cells => cells.map(cell => cell.ariaLabel)")


def fill_in(page: Page, numbers) -> None:
    """Paste numbers into the task's blank matrix, and check that no cell is empty."""
    paste(cell(page, BLANK, 0, 0), spreadsheet_text(numbers))
    expect(figure(page, BLANK).locator('[data-mark="empty"]')).to_have_count(0)


def test_a_learner_finishes_a_task_with_the_keyboard_alone(visit):
    page = visit("/softmax_axes")
    tab_to(page, button(page, "Try it"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Try it")).to_be_visible()
    seed = int(address_query(settle(page))["task"])
    right = task("softmax_axes", seed, 1).correct_answer
    tab_to(page, cell(page, BLANK, 0, 0))
    assert cell_names(page)[1] == "row 1, column 2, empty"
    for number in right.flat:
        page.keyboard.type(f"{number:.2f}")
        page.keyboard.press("Enter")
    expect(figure(page, BLANK).locator('[data-mark="written"]')).to_have_count(right.size)
    tab_to(page, button(page, "Commit"))
    page.keyboard.press("Enter")
    expect(page.get_by_text("All right.")).to_be_visible()
    expect(page.get_by_text("1 of 1 right")).to_be_visible()
    assert cell_names(page)[-1] == f"row 2, column 3, {right[-1, -1]:.2f}, right"
    assert "task" in address_query(page)


def test_the_answer_is_not_on_the_page_before_it_is_handed_in(visit):
    page = visit(LINK)
    sent: list[str] = []
    page.once("websocket", lambda socket: socket.on("framereceived", lambda frame: sent.append(str(frame))))
    page.reload()
    settle(page)
    wrong = np.round(TASK.wrong_answer(MISTAKE), 2)
    fill_in(page, wrong)
    settle(page)
    answers = [f"{TASK.correct_answer[0, 0]:.4f}"[:5], f"{TASK.correct_answer[1, 1]:.4f}"[:5]]
    known = page.evaluate(EVERYTHING) + "".join(sent)
    assert "row 1, column 1" in known
    assert not [answer for answer in answers if answer in known]
    button(page, "Commit").click()
    expect(page.get_by_text("Your numbers are those of a known mistake").locator("..")).to_contain_text(MISTAKE.title)
    settle(page)
    assert not [answer for answer in answers if answer in page.evaluate(EVERYTHING) + "".join(sent)]  # not sent yet
    button(page, "Show the answer").click()
    expect(figure(page, BLANK).locator(".truth").first).to_be_visible()
    settle(page)
    assert all(answer in "".join(sent) for answer in answers)  # now the answer has been sent
    known = page.evaluate(EVERYTHING)
    assert f"it is {TASK.correct_answer[0, 0]:.2f}" in known


def test_each_cell_is_marked_by_sign_and_by_name(visit):
    page = visit(LINK)
    numbers = np.round(TASK.correct_answer, 2)
    numbers[1, 2] += 0.3
    fill_in(page, numbers)
    button(page, "Commit").click()
    expect(figure(page, BLANK).locator(".mark").filter(has_text="✓")).to_have_count(5)
    expect(cell(page, BLANK, 1, 2)).to_contain_text("✗")
    assert cell_names(page)[5].endswith(", wrong")
    button(page, "Show the answer").click()
    expect(cell(page, BLANK, 1, 2)).to_contain_text(f"{TASK.correct_answer[1, 2]:.2f}")
    assert cell_names(page)[0] == f"row 1, column 1, {numbers[0, 0]:.2f}".rstrip("0") + ", right"
    assert cell_names(page)[5].endswith(f"wrong, it is {TASK.correct_answer[1, 2]:.2f}")
    button(page, "Show worked cell").click()
    expect(page.locator(".katex-display").last).to_be_visible()
    until_query(page, task="17", cell="weights_task.1.2")


def test_entries_may_be_fractions_and_outlive_an_undo_and_other_pages(visit):
    page = visit(LINK)
    first, second = cell(page, BLANK, 0, 0), cell(page, BLANK, 0, 1)
    first.click()
    page.keyboard.type("4/7")
    page.keyboard.press("Enter")
    assert focused_cell(page) == (BLANK, 0, 1)
    page.keyboard.type("2/0")
    page.keyboard.press("Enter")
    expect(figure(page, BLANK).get_by_role("alert")).to_contain_text("one number")
    page.keyboard.press("Escape")
    page.keyboard.type("2/7")
    page.keyboard.press("Tab")
    until(
        page, lambda: cell_names(page)[:3], ["row 1, column 1, 4/7", "row 1, column 2, 2/7", "row 1, column 3, empty"]
    )
    page.keyboard.press("Control+z")
    expect(second).to_have_attribute("data-mark", "empty")
    page.keyboard.press("Control+y")
    expect(second).to_have_text("2/7")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Delete")
    expect(second).to_have_attribute("data-mark", "empty")
    button(page, "Commit").click()
    expect(page.get_by_text("5 cells are still empty")).to_be_visible()
    open_in_menu(page, "scaling")
    expect(page.get_by_role("heading", level=1)).to_contain_text("root")
    open_in_menu(page, "softmax_axes")
    expect(cell(page, BLANK, 0, 0)).to_have_text("4/7")


def test_the_first_hint_highlights_cells_and_the_second_shows_the_arithmetic(visit):
    page = visit(LINK)
    assert not {light for *_, light in lights_of_cells(page)} & {"read"}
    button(page, "Hint").click()
    until(
        page,
        lambda: {(n, r) for n, r, _, light in lights_of_cells(settle(page)) if light == "read"},
        {("scores_task", 0)},
    )
    expect(page.get_by_text("how much token 1 attends to token 1")).to_be_visible()
    expect(page.locator(".katex-display")).to_have_count(0)
    button(page, "Hint").click()
    expect(page.locator(".katex-display")).to_have_count(1)


def test_what_was_marked_wrong_is_mended_and_committed_again(visit):
    page = visit(LINK)
    numbers = np.round(TASK.correct_answer, 2)
    numbers[1, 2] += 0.3
    fill_in(page, numbers)
    button(page, "Commit").click()
    expect(cell(page, BLANK, 1, 2)).to_contain_text("✗")
    cell(page, BLANK, 1, 2).focus()
    page.keyboard.type(f"{TASK.correct_answer[1, 2]:.2f}")
    page.keyboard.press("Enter")
    expect(cell(page, BLANK, 1, 2)).to_have_attribute("data-mark", "written")
    button(page, "Commit").click()
    expect(page.get_by_text("All right.")).to_be_visible()
    expect(figure(page, BLANK).locator(".mark").filter(has_text="✓")).to_have_count(6)
    expect(button(page, "Show the answer")).to_have_count(0)


def test_two_visitors_with_the_same_link_have_the_same_task(visit):
    expected = [f"{number:g}" for number in TASK.matrix("scores").flat]
    for _ in range(2):
        expect(figure(visit(LINK), "scores_task").locator("td.cell")).to_have_text(expected)


def test_axe_finds_nothing(visit):
    page = visit(LINK)
    assert faults_in_both_themes(page) == []
    numbers = np.round(TASK.correct_answer, 2)
    numbers[0, 0] += 0.5
    fill_in(page, numbers)
    button(page, "Hint").click()
    button(page, "Commit").click()
    expect(page.get_by_text("5 of 6 cells are right")).to_be_visible()
    assert faults_in_both_themes(settle(page)) == []
    button(page, "Show the answer").click()
    expect(page.locator(".truth").first).to_be_visible()
    assert faults_in_both_themes(settle(page)) == []


def test_with_tokens_as_columns_a_matrix_is_filled_in_as_it_is_shown(visit):
    page = visit(f"{LINK}&layout=columns")
    paste(cell(page, BLANK, 0, 0), spreadsheet_text(TASK.correct_answer.T))
    button(page, "Commit").click()
    expect(page.get_by_text("All right.")).to_be_visible()
    assert re.match(r"row 1, column 2, ", cell(page, BLANK, 1, 0).get_attribute("aria-label") or "")
    assert clipboard(page).count("\n") == 2
