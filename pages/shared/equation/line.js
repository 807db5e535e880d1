// Line: make one line of an equation as narrow as the page. Its letters get smaller. If this is not enough, it breaks.

import { levelHeads, PHONE } from "./heads.js"

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
 * Each row of matrices shows the labels of its rows once.
 * The generator yields between changing and measuring.
 */
export function* fitLine(line, least) {
  line.classList.remove("broken", "scrolls")
  resize([line], 1)
  const terms = [...line.querySelectorAll(".term")]
  level([line])
  terms.forEach(unlevel)
  if (matchMedia(PHONE).matches) {
    sayOnce(terms)
    yield
    return levelRows(terms)
  }
  sayOnce([line])
  if (yield* shrink([line], [itemsOf(line)], least)) return
  line.classList.add("broken")
  sayOnce([...line.querySelectorAll(".side")])
  if (!(yield* shrink([line], [itemsOf(line)], least))) {
    line.classList.add("scrolls")
    sayOnce(terms)
  }
  yield
  levelRows(terms)
}

/** Give all matrices in each box the same room for labels and sums. */
function level(boxes) {
  boxes.forEach((box) => levelHeads(box, [...box.querySelectorAll("figure")]))
}

function unlevel(term) {
  for (const name of ["--lies", "--long", "--over", "--foot"]) term.style.removeProperty(name)
}

/** Give the matrices that are beside each other the same room for labels and sums. Each row of a line has its own. */
function levelRows(terms) {
  const rows = new Map()
  for (const term of terms) rows.set(term.offsetTop, [...(rows.get(term.offsetTop) ?? []), term])
  for (const row of rows.values()) {
    const figures = row.flatMap((term) => [...term.querySelectorAll("figure")])
    row.forEach((term) => levelHeads(term, figures))
  }
}

/** Make aligned lines fit, all in one size. Return whether they fit now. */
export function* fitAligned(lines, boxes, least) {
  lines.forEach((line) => line.classList.remove("broken", "scrolls"))
  level(lines)
  lines.flatMap((line) => [...line.querySelectorAll(".term")]).forEach(unlevel)
  sayOnce(lines)
  return yield* shrink(lines, boxes, least)
}

/** Make lines smaller until they fit into their boxes. Return whether they fit. Each measurement costs one layout. */
function* shrink(lines, boxes, least) {
  let size = 1
  let before = null
  while (size >= least) {
    resize(lines, size)
    yield
    const [excess, width] = boxes
      .map((box) => [box.scrollWidth - box.clientWidth, box.scrollWidth])
      .reduce((one, other) => (other[0] > one[0] ? other : one))
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
