// Cell: one number as it is written, tinted and marked.

import { padding, show } from "./numbers.js"

export const LOOKS = new WeakMap() // by cell: the values that its present look was made from

/** Write a number, unless the cell shows it already: the browser would compute its style and layout again. */
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

/** Whether two numbers are the same. Minus zero equals zero. */
function alike(a, b) {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}

export function differ(before, after) {
  return before?.length !== after.length || after.some((row, r) => row.some((value, c) => !alike(value, before[r][c])))
}

/** Let a cell glow once when it changes, and store the number before. */
export function mark(cell, old, value) {
  const was = old === undefined || alike(old, value) ? "" : String(old)
  if (was === (cell.dataset.was ?? "")) return
  cell.dataset.was = was
  // Two animations with the same look take turns, because the browser does not start the same animation again.
  if (cell.classList.contains("changed")) cell.classList.toggle("again")
  cell.classList.toggle("changed", Boolean(was))
}
