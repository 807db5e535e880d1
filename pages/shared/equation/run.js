// Run: let a number on the page run to its new value, so that a change is seen. Numbers in the hand do not run.

import { write } from "./cell.js"

const RUN_LASTS = 200 // milliseconds
const SHOWN = new WeakMap() // by cell: the number that it shows or runs to
const RUNS = new Map() // by cell: where its number runs from and to
let runFrame = 0

/** Show a number in a cell. If the cell shows another number, let it run there. With reduced motion it jumps. */
export function runTo(cell, value, decimals) {
  const from = SHOWN.get(cell)
  SHOWN.set(cell, value)
  const isStill = from === undefined || from === value || !Number.isFinite(from) || !Number.isFinite(value)
  if (isStill || matchMedia("(prefers-reduced-motion: reduce)").matches) return showAt(cell, value, decimals)
  const now = RUNS.get(cell)
  RUNS.set(cell, { from: now ? numberAt(now, performance.now()) : from, value, decimals, start: performance.now() })
  runFrame ||= requestAnimationFrame(runStep)
}

/** Show a number in a cell at once. */
export function showAt(cell, value, decimals) {
  RUNS.delete(cell)
  SHOWN.set(cell, value)
  write(cell, value, decimals)
}

function numberAt({ from, value, start }, time) {
  const part = Math.min(1, Math.max(0, (time - start) / RUN_LASTS))
  return part === 1 ? value : from + (value - from) * (1 - (1 - part) ** 3)
}

function runStep(time) {
  runFrame = 0
  for (const [cell, run] of RUNS) {
    const isThere = time - run.start >= RUN_LASTS
    if (!isThere) write(cell, Number(numberAt(run, time).toFixed(run.decimals)), run.decimals)
    else showAt(cell, run.value, run.decimals)
  }
  if (RUNS.size) runFrame = requestAnimationFrame(runStep)
}
