// Drag bar: change a score by the top of its bar, with the pointer or with keys, as if its cell had been edited.

import { BOUNDS } from "./constants.js"
import { figures, find } from "./figures.js"
import { EQUATIONS } from "./light.js"
import { onceAFrame } from "./pace.js"

const [STEP, FINE, LARGE_STEP] = [0.1, 0.01, 1] // in one step, with Shift, with Page Up and Page Down
const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }
const PAGES = { PageUp: LARGE_STEP, PageDown: -LARGE_STEP }

/** Return the equation that shows an editable matrix, and the cell at a row and a column of it. */
function editableCell(id, row, column) {
  for (const equation of EQUATIONS) {
    if (!equation.matrices.get(id)?.editable) continue
    const figure = figures(equation).find((each) => each.dataset.id === id)
    return { actions: equation.actions, cell: find(figure, row, column) }
  }
  return {}
}

/**
 * Follow a pointer that was pressed on the top of a bar. `place` has the matrix id, row and column of its number,
 * `value` the number, and `unit` how much a pixel is. `end` is called when the bar is let go. Return whether the bar
 * follows the pointer.
 */
export function dragTop(event, top, { place, value, unit, end }) {
  const { actions, cell } = editableCell(...place)
  if (event.button !== 0 || !cell) return false
  event.preventDefault()
  top.focus()
  top.setPointerCapture(event.pointerId)
  let [hand, shown, last] = [null, value, event]
  const valueAt = (move) => stepped(value + (event.clientY - move.clientY) * unit, move.shiftKey ? FINE : STEP)
  const show = onceAFrame(() => valueAt(last) !== shown && hand.put((shown = valueAt(last))))
  const stop = (final) => {
    show.forget()
    top.onpointermove = top.onpointerup = top.onpointercancel = null
    hand?.end(final)
    end()
  }
  top.onpointermove = (move) => {
    hand ??= actions.grasp(cell)
    last = move
    show()
  }
  top.onpointerup = (up) => stop(valueAt(up))
  top.onpointercancel = () => stop(value) // the browser has taken the finger for something else
  return true
}

/** Change a score by a key. `ends` are the lowest and the highest number of the picture. */
export function moveTop(event, { place, value, ends }) {
  const { actions, cell } = editableCell(...place)
  const isCommand = event.ctrlKey || event.metaKey
  if (!cell || event.altKey || (isCommand && event.key.toLowerCase() !== "z")) return
  if (isCommand) {
    event.preventDefault()
    return actions.takeBack(cell, event.shiftKey ? "redo" : "undo")
  }
  const step = event.shiftKey ? FINE : STEP
  const wanted = {
    ...mapped(STEPS, (steps) => stepped(value + steps * step, FINE)),
    ...mapped(PAGES, (large) => stepped(value + large, FINE)),
    Home: stepped(ends[0], STEP),
    End: stepped(ends[1], STEP),
  }[event.key]
  if (wanted === undefined) return
  event.preventDefault()
  actions.edit(cell, [[wanted]])
}

function mapped(object, change) {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))
}

/** Return the multiple of `step` that is nearest to a number, within what a cell may hold. */
function stepped(value, step) {
  const [low, high] = BOUNDS
  return Math.min(high, Math.max(low, Number((Math.round(value / step) * step).toFixed(4))))
}
