// Cell: one number as it is written, tinted and marked.

import { padding, show } from "./numbers.js"

export const LOOKS = new WeakMap() // by cell: what its look was made from

/** Write a number; what stands there already is left, since the browser would style and lay it out once more. */
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

/** The same number, where minus zero is zero. */
function alike(a, b) {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}

export function differ(before, after) {
  return before?.length !== after.length || after.some((row, r) => row.some((value, c) => !alike(value, before[r][c])))
}

/** Let a cell that changed glow, once a change, and keep what it held. */
export function mark(cell, old, value) {
  const was = old === undefined || alike(old, value) ? "" : String(old)
  if (was === (cell.dataset.was ?? "")) return
  cell.dataset.was = was
  // Another animation of the same look starts anew; the same one would have to be taken away and laid out first.
  if (cell.classList.contains("changed")) cell.classList.toggle("again")
  cell.classList.toggle("changed", Boolean(was))
}
