// Line: one equation of a board in the width that there is. It shrinks; what cannot shrink breaks, before a sign.

export const PHONE = "(max-width: 640px)" // there matrices stand below each other

/** Whether the equation is wider than its place. */
export function overflows(line) {
  const items = line.querySelector(".items")
  return items.scrollWidth > items.clientWidth
}

/** Let equations fit, all in step: the browser lays them out once for what all of them try, and not once for each. */
export function fitLines(lines, least) {
  let fitting = lines.map((line) => fitLine(line, least))
  while (fitting.length) fitting = fitting.filter((step) => !step.next().done)
}

/**
 * Let an equation fit: as it is; smaller, down to `least` of its size; broken before "=" and arrows; or else also between
 * what is added or listed, with matrices that scroll.
 * What stands beside the rows is said once in a line.
 * It yields between what it changes and what it measures.
 */
function* fitLine(line, least) {
  line.classList.remove("broken", "scrolls")
  const sides = [...line.querySelectorAll(".side")]
  resize(line, 1)
  const each = [...line.querySelectorAll(".term")]
  if (matchMedia(PHONE).matches) return sayOnce(each)
  sayOnce([line])
  if (yield* shrink(line, least)) return
  line.classList.add("broken")
  sayOnce(sides)
  if (!(yield* shrink(line, least))) {
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

function* shrink(line, least) {
  let size = 1
  let before = { size: 0, scrollWidth: 0 }
  while (size >= least) {
    resize(line, size)
    yield
    const { clientWidth, scrollWidth } = line.querySelector(".items")
    yield
    if (scrollWidth <= clientWidth) return true
    if (size === least) return false
    const grows = (scrollWidth - before.scrollWidth) / (size - before.size) // captions do not
    before = { size, scrollWidth }
    size = Math.max(least, Math.min(0.98 * size, size - (scrollWidth - clientWidth) / grows))
  }
  return false
}

function resize(line, size) {
  line.style.setProperty("--fit", size)
}

/** In each part of a line, leave the words beside rows to the first matrix that has them. */
export function sayOnce(parts) {
  for (const part of parts) {
    const said = new Set()
    for (const figure of part.querySelectorAll("figure")) {
      const words = [...figure.querySelectorAll("tbody th")].map((head) => head.textContent).join("\n")
      figure.classList.toggle("repeats", Boolean(words) && said.has(words))
      said.add(words)
    }
  }
}
