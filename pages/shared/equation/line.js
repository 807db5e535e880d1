// Line: make one line of an equation as narrow as the page. Its letters get smaller. If this is not enough, it breaks.

import { levelHeads, PHONE } from "./heads.js"

// On a phone: the smallest size of letters so that a matrix fits with its sign beside it, and so that it fits at all.
const [LEAST_WITH_SIGN, LEAST_ALONE] = [0.93, 0.8]
const SHRINKS = 0.85 // about this part of a line's width shrinks with its letters; captions and borders do not

export function itemsOf(line) {
  return line.querySelector(".items")
}

/** Return whether the contents of a box are wider than the box. */
export function overflows(box) {
  return box.scrollWidth > box.clientWidth
}

/** Run several generators together, step by step. So the browser lays out the page once for all of them. */
export function inStep(all) {
  let going = all
  while (going.length) going = going.filter((steps) => !steps.next().done)
}

/**
 * Make a line fit its width. Try its full size; then smaller sizes, down to `least`; then line breaks after "="
 * and arrows; then also breaks between terms of a sum or a list, with matrices that scroll.
 * Each row of matrices shows the labels of its rows once. A phone breaks where it must, and
 * makes matrices smaller that are a little too wide.
 * The generator yields between changing and measuring.
 */
export function* fitLine(line, least) {
  line.classList.remove("broken", "scrolls")
  resize([line], 1)
  const terms = [...line.querySelectorAll(".term")]
  const boxes = [...line.querySelectorAll(".side, .part, .term")]
  level([line])
  unlevel([line])
  boxes.forEach((box) => box.classList.remove("open"))
  if (matchMedia(PHONE).matches) {
    sayOnce(terms)
    yield* shrinkOnPhone(line)
    yield
    openWide(boxes, widthInside(itemsOf(line)))
    yield
    return levelRows(line)
  }
  sayOnce([line])
  const measure = () => [excessOf(itemsOf(line))]
  if (yield* shrink([line], measure, least)) return
  line.classList.add("broken")
  sayOnce([...line.querySelectorAll(".side")])
  if (!(yield* shrink([line], measure, least))) {
    line.classList.add("scrolls")
    sayOnce(terms)
  }
  yield
  levelRows(line)
}

/**
 * Open the boxes that are wider than their line, and those with an arrow, which has a row of its own. What an open box
 * holds stands in the rows of the line like words. So a sign that has no room beside its matrix begins the next row.
 */
function openWide(boxes, width) {
  const wide = boxes.filter((box) => box.offsetWidth > width || box.querySelector(".arrow"))
  wide.forEach((box) => box.classList.add("open"))
}

function widthInside(box) {
  const { paddingLeft, paddingRight } = getComputedStyle(box)
  return box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight)
}

/** Give all matrices in each box the same room for labels and sums. */
function level(boxes) {
  boxes.forEach((box) => levelHeads(box, [...box.querySelectorAll("figure")]))
}

function piecesOf(line) {
  return [...line.querySelectorAll(".matrix, .sign")]
}

function unlevel(lines) {
  for (const piece of lines.flatMap(piecesOf)) {
    piece.classList.remove("alone")
    for (const name of ["--lies", "--long", "--over", "--foot"]) piece.style.removeProperty(name)
  }
}

/** Give the matrices that are beside each other the same room for labels and sums. Each row of a line has its own. */
function levelRows(line) {
  const rows = new Map()
  for (const piece of piecesOf(line)) rows.set(piece.offsetTop, [...(rows.get(piece.offsetTop) ?? []), piece])
  for (const row of rows.values()) {
    const figures = row.filter((piece) => piece.matches("figure"))
    row.forEach((piece) => piece.classList.toggle("alone", !figures.length))
    row.forEach((piece) => levelHeads(piece, figures))
  }
}

/** Make aligned lines fit, all in one size. Return whether they fit now. */
export function* fitAligned(lines, boxes, least) {
  lines.forEach((line) => line.classList.remove("broken", "scrolls"))
  level(lines)
  unlevel(lines)
  sayOnce(lines)
  return yield* shrink(lines, () => boxes.map(excessOf), least)
}

/** Return by how much the contents of a box are too wide for it, and how wide they are. */
function excessOf(box) {
  return [box.scrollWidth - box.clientWidth, box.scrollWidth]
}

/** Make the letters of a line a little smaller if all matrices then fit a phone, with or without signs beside them. */
function* shrinkOnPhone(line) {
  const excess = (selector) => () => {
    const width = Math.max(0, ...[...line.querySelectorAll(selector)].map((each) => each.offsetWidth))
    return [[width - widthInside(itemsOf(line)), width]]
  }
  if (yield* shrink([line], excess(".term:not(:has(.arrow))"), LEAST_WITH_SIGN)) return
  if (yield* shrink([line], excess(".scroll > :first-child"), LEAST_ALONE)) return
  resize([line], 1)
}

/**
 * Make lines smaller until they fit. `measure` returns by how much they do not fit, and how wide they are, for each of
 * their boxes. Return whether they fit. Each measurement costs one layout.
 */
function* shrink(lines, measure, least) {
  let size = 1
  let before = null
  while (size >= least) {
    resize(lines, size)
    yield
    const [excess, width] = measure().reduce((one, other) => (other[0] > one[0] ? other : one))
    yield
    if (excess <= 0) return true
    if (size === least) return false
    const grows = before ? (width - before.width) / (size - before.size) : SHRINKS * width
    before = { size, width }
    size = Math.max(least, Math.min(0.98 * size, size - (excess + 1) / grows)) // 2 % or more: widths are rounded
  }
  return false
}

function resize(lines, size) {
  lines.forEach((line) => line.style.setProperty("--fit", size))
}

/** In each part of a line, show the labels of rows only beside the first matrix that has them. */
function sayOnce(parts) {
  for (const part of parts) {
    const said = new Set()
    for (const figure of part.querySelectorAll("figure")) {
      const words = [...figure.querySelectorAll("tbody th")].map((head) => head.textContent).join("\n")
      figure.classList.toggle("repeats", Boolean(words) && said.has(words))
      said.add(words)
    }
  }
}
