// Line: one equation of a board in the width that there is. It shrinks; what cannot shrink breaks, before a sign.

export const PHONE = "(max-width: 640px)" // there matrices stand below each other

/** Whether the equation is wider than its place. */
export function overflows(line) {
  const items = line.querySelector(".items")
  return items.scrollWidth > items.clientWidth
}

/**
 * Let an equation fit: as it is; smaller, down to `least` of its size; broken before "=" and arrows; or else also between
 * what is added or listed, with matrices that scroll.
 * What stands beside the rows is said once in a line.
 */
export function fitLine(line, least) {
  line.classList.remove("broken", "scrolls")
  const sides = [...line.querySelectorAll(".side")]
  resize(line, 1)
  const each = [...line.querySelectorAll(".term")]
  if (matchMedia(PHONE).matches) return sayOnce(each)
  sayOnce([line])
  if (shrink(line, least)) return
  line.classList.add("broken")
  sayOnce(sides)
  if (!shrink(line, least)) {
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

function shrink(line, least) {
  let size = 1
  while (size >= least) {
    resize(line, size)
    if (!overflows(line)) return true
    if (size === least) return false
    const items = line.querySelector(".items")
    size = Math.max(least, size * Math.min(0.98, items.clientWidth / items.scrollWidth))
  }
  return false
}

function resize(line, size) {
  line.style.setProperty("--fit", size)
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
