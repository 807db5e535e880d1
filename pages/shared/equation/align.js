// Align: the items of each second line stand below those of the line above it, of which it has as many.

const ITEMS = ".sign, figure"

/** Give items that stand below each other one width, in letters of their own, so that it shrinks as the lines do. */
export function align(lines) {
  const rows = lines.map((line) => [...line.querySelectorAll(ITEMS)])
  lines.forEach((line) => line.style.setProperty("--fit", 1))
  rows.flat().forEach((item) => (item.style.minWidth = ""))
  const widths = rows.map((items) => items.map((item) => item.getBoundingClientRect().width))
  rows.forEach((items, line) => items.forEach((item, place) => widen(item, Math.max(...pairOf(widths, line).map((each) => each[place] ?? 0)))))
}

/** A line and the one that it stands above or below. */
function pairOf(lines, place) {
  const first = place - (place % 2)
  return lines.slice(first, first + 2)
}

function widen(item, width) {
  item.style.minWidth = `${width / parseFloat(getComputedStyle(item).fontSize)}em`
}
