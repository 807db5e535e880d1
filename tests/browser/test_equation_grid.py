"""All matrices of an equation stand on one grid: equally wide cells, one axis, one line of names, nothing cut."""

import pytest
from playwright.sync_api import Page

from browser.equation import until
from pagesutil import views_of
from serving import PAGES

PHONE = {"width": 390, "height": 844}
LOOKS = {"desk": {}, "phone": PHONE, "columns": {}}
VIEWS = [view for page in PAGES for view in views_of(page)]
STATES = [*VIEWS, *(f"/attention?step={step}" for step in range(1, 11)), *(f"/path?screen={n}" for n in range(2, 21))]
PRESENTED = ["/queries_keys_values", "/softmax_axes", "/attention?step=8", "/training_step", "/multi_head", "/scaling"]

# Returns what is wrong with the grid of equations, in words.
GRID = """
(lines) => {
  const faults = []
  const box = (each) => each.getBoundingClientRect()
  const middle = (each) => (box(each).top + box(each).bottom) / 2
  const spread = (numbers) => Math.max(...numbers) - Math.min(...numbers)
  const textBox = (cell) => {
    const range = document.createRange()
    range.selectNodeContents(cell)
    return range.getBoundingClientRect()
  }
  const pointOf = (cell) => { // where the decimal point is, or would be
    const text = cell.firstChild
    const range = document.createRange()
    const at = text.data.indexOf(".")
    range.setStart(text, 0)
    range.setEnd(text, at < 0 ? text.data.length : at)
    return range.getBoundingClientRect().right - box(cell).left
  }
  const rowsOf = (line) => {
    const rows = new Map()
    for (const piece of line.querySelectorAll("figure, .sign")) {
      const top = Math.round(box(piece).top)
      const near = [...rows.keys()].find((other) => Math.abs(other - top) <= 1) ?? top
      rows.set(near, [...(rows.get(near) ?? []), piece])
    }
    return [...rows.values()]
  }
  const inCells = (figure, say) => {
    const cells = [...figure.querySelectorAll("td.cell")]
    if (!cells.length) return
    if (spread(cells.map((cell) => box(cell).width)) > 0.6) say("has cells of several widths")
    if (figure.matches(".blank")) return
    if (spread(cells.map((cell) => box(cell).height)) > 0.6) say("has rows of several heights")
    const leaves = (own, text) => text.left < own.left - 0.5 || text.right > own.right + 0.5
    if (cells.some((cell) => leaves(box(cell), textBox(cell)))) say("has a number that leaves its cell")
    const plain = cells.filter((cell) => !cell.textContent.includes("e"))
    if (spread(plain.map(pointOf)) > 1) say("has decimal points that are not below each other")
    const before = Math.min(...cells.map((cell) => textBox(cell).left - box(cell).left))
    const after = Math.min(...cells.map((cell) => box(cell).width - pointOf(cell)))
    const decimals = Math.max(...cells.map((cell) => textBox(cell).right - box(cell).left - pointOf(cell)))
    const beside = [before, after - decimals]
    if (spread(beside) > 5) say(`is not centred: ${beside}`)
  }
  const seenText = ({ firstElementChild: span }) => (span.matches(".short") ? "…" : "") + span.lastChild.data
  const cutText = (head) => { // the letters before the mark that says that the name is cut
    const pen = document.createElement("canvas").getContext("2d")
    pen.font = getComputedStyle(head.firstElementChild).font
    let text = seenText(head)
    while (text && pen.measureText(`${text}…`).width > head.firstElementChild.clientWidth) text = text.slice(0, -1)
    return `${text}…`
  }
  const inHeads = (figure, say, isPhone) => {
    const names = [...figure.querySelectorAll("tbody th")]
    const heads = [...figure.querySelectorAll("thead th:not(.sum)")]
    const columns = figure.querySelector("tbody tr")?.querySelectorAll("td.cell").length
    // The name of a matrix with one column is also the name of its column. Shown as columns, a matrix is turned.
    const turned = location.search.includes("layout=columns")
    if (!turned && columns > 1 && names.length && heads.length !== columns)
      say("has rows with names and columns without")
    if (turned && figure.querySelectorAll("tbody tr").length > 1 && heads.length && !names.length)
      say("has columns with names and rows without")
    if (figure.matches(".terse .line .unnamed")) return // a presented equation that has little room names columns once
    for (const head of heads) {
      const span = head.firstElementChild
      const style = getComputedStyle(span)
      const seen = parseFloat(style.fontSize) > 8 && style.visibility === "visible" && box(span).width > 2
      if (!seen) say(`hides its column name ${head.textContent}`)
      if (style.writingMode !== "horizontal-tb") say(`has an upright name ${head.textContent}`)
      if (!isPhone && span.scrollWidth > span.clientWidth + 1) say(`cuts its column name ${head.textContent}`)
      if (box(span).top < box(figure.querySelector("figcaption")).bottom - 6) say(`${head.textContent} meets the name`)
    }
    const cut = heads.filter(({ firstElementChild: span }) => span.scrollWidth > span.clientWidth + 1)
    const seen = new Map(heads.map((head) => [head.textContent, cut.includes(head) ? cutText(head) : seenText(head)]))
    if (new Set(seen.values()).size < seen.size) say(`has names that look the same: ${[...seen.values()]}`)
  }
  for (const line of lines) {
    const isPhone = matchMedia("(max-width: 640px)").matches
    const terms = [...line.querySelectorAll(".term")]
    const room = box(line.closest(".pair") ?? line).right
    for (const last of terms.slice(0, -1).map((term) => term.lastElementChild))
      if (last.matches("figure")) faults.push(`${last.dataset.id} has no sign after it`)
    for (const row of rowsOf(line)) {
      const figures = row.filter((piece) => piece.matches("figure"))
      const name = figures.map((figure) => figure.dataset.id).join(" ")
      const bodies = figures.map((figure) => figure.querySelector(".bracket, canvas"))
      const all = row.filter((piece) => piece.matches(".sign")).map((sign) => sign.firstElementChild)
      const signs = all.filter((sign) => sign.textContent.trim())
      if (bodies.length && spread(bodies.map(middle)) > 1) faults.push(`${name}: not on one axis`)
      if (bodies.length && signs.some((sign) => Math.abs(middle(sign) - middle(bodies[0])) > 2))
        faults.push(`${name}: a sign is not on the axis`)
      const captions = figures.map((figure) => figure.querySelector("figcaption"))
      if (captions.length && spread(captions.map((each) => box(each).top)) > 1)
        faults.push(`${name}: names not on one line`)
      const lowest = Math.max(...captions.map((each) => box(each).bottom))
      if (bodies.some((body) => box(body).top < lowest)) faults.push(`${name}: a name is not above all brackets`)
      for (const figure of figures) {
        const say = (fault) => faults.push(`${figure.dataset.id} ${fault}`)
        inCells(figure, say)
        inHeads(figure, say, isPhone)
        const table = figure.querySelector("table, .labelled")
        const slides = figure.querySelector(".slides")
        if (box(table).right > room + 2 && !slides) say("is cut by the page")
        if (slides && !figure.querySelector(".more, canvas")) say("does not show that it goes on")
        if (slides && box(table).width <= box(line).width) say("scrolls, although it is no wider than the page")
      }
    }
  }
  return [...new Set(faults)]
}
"""


def faults_of_grid(page: Page) -> list[str]:
    """Return what is wrong with the grid of the equations that are seen on a page."""
    return page.locator(".line:visible").evaluate_all(GRID)


def open_look(visit, path: str, look: str) -> Page:
    """Open a page on a desk or a phone, or with tokens as columns."""
    layout = ("&" if "?" in path else "?") + "layout=columns" if look == "columns" else ""
    return visit(path + layout, **LOOKS[look])


@pytest.mark.many
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("path", STATES)
def test_all_matrices_stand_on_one_grid(path, look, visit):
    page = open_look(visit, path, look)
    until(page, lambda: faults_of_grid(page), [])
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0


@pytest.mark.many
@pytest.mark.parametrize("path", PRESENTED)
def test_a_presented_equation_stands_on_the_same_grid(path, visit):
    page = visit(f"{path}{'&' if '?' in path else '?'}view=present", height=720)
    until(page, lambda: faults_of_grid(page), [])
