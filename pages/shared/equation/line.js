// Line: one equation of a board in the width that there is. It shrinks; what cannot shrink breaks, before a sign.

export const PHONE = "(max-width: 640px)" // there matrices stand below each other
const SHRINKS = 0.85 // the part of a line's width that shrinks with its letters, about: captions and the lines between cells do not

export function itemsOf(line) {
  return line.querySelector(".items")
}

/** Whether what stands in a box is wider than the box. */
export function overflows(box) {
  return box.scrollWidth > box.clientWidth
}

/** Take steps that each change something or measure it, all in step: the browser lays out once for all, not once for each. */
export function inStep(all) {
  let going = all
  while (going.length) going = going.filter((steps) => !steps.next().done)
}

/**
 * Let an equation fit: as it is; smaller, down to `least` of its size; broken before "=" and arrows; or else also between
 * what is added or listed, with matrices that scroll.
 * What stands beside the rows is said once in a line.
 * It yields between what it changes and what it measures.
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

/** Let all that stands abreast have as much room above it, and no more. */
function level(sides) {
  const rows = sides.reduce((found, side) => {
    const last = found.at(-1)?.at(-1)
    return last && side.offsetTop < last.offsetTop + last.offsetHeight ? [...found.slice(0, -1), [...found.at(-1), side]] : [...found, [side]]
  }, [])
  for (const row of rows) {
    const letters = Math.max(...row.flatMap((side) => [...side.querySelectorAll("figure")].map((figure) => Number(figure.style.getPropertyValue("--own-letters")))))
    row.forEach((side) => side.style.setProperty("--abreast", letters))
  }
}

/** Let lines whose columns stand below each other fit, all in one size; say whether that is possible. */
export function* fitAligned(lines, boxes, least) {
  lines.forEach((line) => line.classList.remove("broken", "scrolls"))
  sayOnce(lines)
  return yield* shrink(lines, boxes, least)
}

/** Shrink lines until their boxes hold them, and say whether they do. Each look at their width is a layout of the page. */
function* shrink(lines, boxes, least) {
  let size = 1
  let before = null
  while (size >= least) {
    resize(lines, size)
    yield
    const [excess, width] = boxes.map((box) => [box.scrollWidth - box.clientWidth, box.scrollWidth]).reduce((one, other) => (other[0] > one[0] ? other : one))
    yield
    if (excess <= 0) return true
    if (size === least) return false
    const grows = before ? (width - before.width) / (size - before.size) : SHRINKS * width
    before = { size, width }
    size = Math.max(least, Math.min(0.98 * size, size - (excess + 1) / grows)) // widths are rounded to pixels
  }
  return false
}

function resize(lines, size) {
  lines.forEach((line) => line.style.setProperty("--fit", size))
}

/** In each part of a line, leave the words beside rows to the first matrix that has them. */
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
