// Cell: write, tint and mark one number of a matrix.

import { padding, show } from "./numbers.js"

export const LOOKS = new WeakMap() // by cell: the values that the cell shows now

/** Write a number, unless the cell shows it already: each change makes the browser compute style and layout again. */
export function write(cell, value, decimals) {
  const text = show(value, decimals)
  const after = padding(text, decimals)
  if (cell.textContent !== text) cell.textContent = text
  if (cell.dataset.padding !== after) cell.dataset.padding = after
}

export function strength(value, matrix) {
  if (Number.isNaN(value)) return 0
  return Number.isFinite(value) ? Math.min(1, Math.abs(value) / (matrix.limit || 1)) : 0
}

export function same(a, b) {
  return Object.is(a, b) || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
}

/** Return whether two numbers are the same, apart from the last digits, which browser and server round differently. */
function alike(a, b) {
  return a === b || Object.is(a, b) || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b))
}

export function differ(before, after) {
  return before?.length !== after.length || after.some((row, r) => row.some((value, c) => !alike(value, before[r][c])))
}

/** If the number in a cell has changed, let the cell glow once, and store the old number. */
export function mark(cell, old, value) {
  const was = old === undefined || alike(old, value) ? "" : String(old)
  if (was === (cell.dataset.was ?? "")) return
  cell.dataset.was = was
  // Two animations with the same look take turns, because the browser does not start the same animation again.
  if (cell.classList.contains("changed")) cell.classList.toggle("again")
  cell.classList.toggle("changed", Boolean(was))
}
