// Line: make one line of an equation as narrow as the page. Its letters get smaller. If this is not enough, it breaks.

export const PHONE = "(max-width: 640px)" // on such a screen, matrices are below each other
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
 * Make a line fit its width. Try its full size; then smaller sizes, down to `least`; then line breaks before "="
 * and arrows; then also breaks between terms of a sum or a list, with matrices that scroll.
 * Each row of matrices shows the labels of its rows once.
 * The generator yields between changing and measuring.
 */
export function* fitLine(line, least) {
  line.classList.remove("broken", "scrolls")
  const sides = [...line.querySelectorAll(".side")]
  resize([line], 1)
  const each = [...line.querySelectorAll(".term")]
  if (matchMedia(PHONE).matches) return sayOnce(each)
  sayOnce([line])
  if (yield* shrink([line], [itemsOf(line)], least)) return
  line.classList.add("broken")
  sayOnce(sides)
  if (!(yield* shrink([line], [itemsOf(line)], least))) {
    line.classList.add("scrolls")
    sayOnce(each)
  }
  level(sides)
}

/** Give all matrices in a row the same height for their column labels. */
function level(sides) {
  const rows = sides.reduce((found, side) => {
    const last = found.at(-1)?.at(-1)
    return last && side.offsetTop < last.offsetTop + last.offsetHeight
      ? [...found.slice(0, -1), [...found.at(-1), side]]
      : [...found, [side]]
  }, [])
  for (const row of rows) {
    const letters = Math.max(
      ...row.flatMap((side) =>
        [...side.querySelectorAll("figure")].map((figure) => Number(figure.style.getPropertyValue("--own-letters"))),
      ),
    )
    row.forEach((side) => side.style.setProperty("--abreast", letters))
  }
}

/** Make aligned lines fit, all in one size. Return whether they fit now. */
export function* fitAligned(lines, boxes, least) {
  lines.forEach((line) => line.classList.remove("broken", "scrolls"))
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
