"""A formula in a sentence stays on one line, and so does the sign of punctuation that follows it."""

import pytest

from browser.test_equation_grid import STATES

# Returns the formulas in sentences that begin a new line, and those that lose the sign after them.
BROKEN = """
(formulas) => formulas.flatMap((formula) => {
  const boxes = [...formula.querySelectorAll(".base")].map((base) => base.getBoundingClientRect())
  const room = formula.closest("p, li, td").getBoundingClientRect().width
  const wide = boxes.reduce((sum, box) => sum + box.width, 0)
  if (!boxes.length || wide > room || boxes[0].width === 0) return [] // wider than a line, or not seen
  const found = boxes.some((box, i) => i > 0 && box.left < boxes[i - 1].left) ? ["breaks"] : []
  const next = formula.parentElement.nextSibling
  if (next?.nodeType === Node.TEXT_NODE && /^[.,;:)]/.test(next.data)) {
    const range = document.createRange()
    range.setStart(next, 0)
    range.setEnd(next, 1)
    if (range.getBoundingClientRect().left < boxes.at(-1).right - 2) found.push("loses its sign")
  }
  return found.map((fault) => `${formula.querySelector("annotation").textContent} ${fault}`)
})
"""


@pytest.mark.many
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("path", STATES)
def test_no_formula_of_a_sentence_stands_on_two_lines(path, width, visit):
    page = visit(path, width=width)
    formulas = page.locator("[data-testid=stMarkdownContainer] :is(p, li, td) .katex:not(.katex-display .katex)")
    assert formulas.evaluate_all(BROKEN) == []
