// Align: the items of each second line stand below those of the line above it, of which it has as many.

import { sayOnce } from "./line.js"

const ITEMS = ".sign, figure"

/** Give items that stand below each other one width, at full size; what shrinks them must come after. */
export function align(lines) {
  sayOnce(lines)
  lines.forEach((line) => line.style.setProperty("--fit", 1))
  itemsOf(lines).flat().forEach((item) => (item.style.minWidth = ""))
  stretch(lines)
}

/** Give all lines the size of the smallest, and then again one width to what stands below each other: captions do not shrink. */
export function equalize(lines) {
  const least = Math.min(...lines.map((line) => Number(line.style.getPropertyValue("--fit"))))
  lines.forEach((line) => line.style.setProperty("--fit", least))
  stretch(lines)
}

function stretch(lines) {
  const rows = itemsOf(lines)
  const widths = rows.map((items) => items.map((item) => item.getBoundingClientRect().width))
  const letters = rows.map((items) => items.map((item) => parseFloat(getComputedStyle(item).fontSize)))
  const widest = (line, place) => Math.max(...pairOf(widths, line).map((each) => each[place] ?? 0))
  rows.forEach((items, line) => items.forEach((item, place) => widen(item, widest(line, place) / letters[line][place])))
}

function itemsOf(lines) {
  return lines.map((line) => [...line.querySelectorAll(ITEMS)])
}

/** A line and the one that it stands above or below. */
function pairOf(lines, place) {
  const first = place - (place % 2)
  return lines.slice(first, first + 2)
}

/** In letters of its own, so that it shrinks as its line does. */
function widen(item, letters) {
  item.style.minWidth = `${letters}em`
}
