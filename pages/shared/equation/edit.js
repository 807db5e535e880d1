// Edit: type a number, move by arrow keys, drag a number, paste a block, undo.

import { element } from "./elements.js"
import { ARROWS, clamp } from "./arrows.js"
import { LOOKS } from "./cell.js"
import { moveOn } from "./blank.js"
import { onceAFrame } from "./pace.js"

const DRAG_STARTS = 4 // pixels
const PIXELS_A_STEP = 4
const [STEP, FINE_STEP] = [0.1, 0.01] // how much a number changes in a step, and with Shift

export function onKey(event, cell, actions) {
  if (event.target.tagName === "INPUT") return
  const command = event.ctrlKey || event.metaKey
  const editable = actions.editable(cell)
  if (command && event.key.toLowerCase() === "z") actions.takeBack(cell, event.shiftKey ? "redo" : "undo")
  else if (command && event.key.toLowerCase() === "y") actions.takeBack(cell, "redo")
  else if (command) return
  else if (event.altKey && actions.scrubbable(cell) && /^Arrow(Up|Down)$/.test(event.key))
    nudge(cell, actions, (event.key === "ArrowUp" ? 1 : -1) * stepOf(event))
  else if (event.key in ARROWS) walkOver(cell, actions, ...ARROWS[event.key])
  else if (event.key === "Home" || event.key === "End")
    walkOver(cell, actions, 0, event.key === "Home" ? -Infinity : Infinity)
  else if (event.key === "Enter" && actions.fillable(cell)) openInput(cell, actions)
  else if (/^(Delete|Backspace)$/.test(event.key) && actions.fillable(cell)) actions.clear(cell)
  else if (event.key === "Enter" || event.key === " ") actions.select(cell.closest("figure"), ...actions.place(cell))
  else if (editable && event.key === "F2") openInput(cell, actions)
  else if (editable && /^[\d.+\-−]$/.test(event.key)) openInput(cell, actions, event.key)
  else return
  event.preventDefault()
}

/** Focus the cell this many rows and columns away, or the last cell in that direction. Return that cell. */
function move(cell, down, right) {
  const row = cell.parentElement
  const rows = [...row.parentElement.children]
  const cells = [...row.querySelectorAll("td.cell")]
  const nextRow = rows[clamp(rows.indexOf(row) + down, rows.length)]
  const next = nextRow.querySelectorAll("td.cell")[clamp(cells.indexOf(cell) + right, cells.length)]
  next.focus()
  return next
}

/** Move the focus to another cell. If the present cell is selected, select the new cell instead. */
function walkOver(cell, actions, down, right) {
  const next = move(cell, down, right)
  if (next !== cell && actions.isSelected(...actions.place(cell)))
    actions.select(next.closest("figure"), ...actions.place(next))
}

function nudge(cell, actions, difference) {
  actions.edit(cell, [[rounded(actions.value(cell) + difference)]])
}

function stepOf({ shiftKey }) {
  return shiftKey ? FINE_STEP : STEP
}

function rounded(value) {
  return Number(value.toFixed(4)) // so that 0.1 + 0.2 is 0.3
}

/** Open a field in the cell. A typed character replaces the number; otherwise the field begins with the number. */
export function openInput(cell, actions, typed) {
  const before = actions.written(cell)
  const input = element("input", {
    value: typed ?? before,
    spellcheck: false,
    autocomplete: "off",
    "aria-label": actions.label(cell),
  })
  cell.replaceChildren(input)
  input.focus()
  if (!typed) input.select()
  const close = (focus) => {
    if (input.value.trim() !== before) actions.preview(cell, null)
    dropInput(cell)
    actions.redraw(cell)
    if (focus) cell.focus()
  }
  const commit = (focus) => {
    if (input.value.trim() !== before && !actions.type(cell, input)) return false
    close(focus)
    return true
  }
  input.onblur = () => commit(false) || close(false)
  input.oninput = () => {
    actions.complain(cell, "")
    actions.preview(cell, input.value)
  }
  input.onkeydown = (event) => {
    event.stopPropagation()
    if (event.key === "Escape") {
      actions.complain(cell, "")
      close(true)
    } else if (/^(Enter|Tab)$/.test(event.key) && actions.fillable(cell))
      commit(true) && moveOn(cell, event.shiftKey ? -1 : 1)
    else if (event.key === "Enter") commit(true)
    else if (event.key === "Tab" && commit(true)) move(cell, 0, event.shiftKey ? -1 : 1)
    else if (/^Arrow(Up|Down)$/.test(event.key) && commit(true)) move(cell, ...ARROWS[event.key])
    else return
    event.preventDefault()
  }
}

/** Remove the field from a cell. The field then loses the focus, and this must not commit its text again. */
export function dropInput(cell) {
  LOOKS.delete(cell)
  const input = cell.querySelector("input")
  if (input) input.onblur = null
  input?.remove()
}

/** Close the field, the drag and the error message of a matrix that can no longer be edited. */
export function endEditing(figure, actions) {
  for (const cell of figure.querySelectorAll("td.cell")) {
    cell.onpointermove = cell.onpointerup = cell.onpointercancel = null
    if (cell.querySelector("input")) dropInput(cell)
  }
  actions.complain(figure.querySelector("td.cell"), "")
}

/**
 * Follow a pointer that was pressed on an editable cell. A move sideways changes the number; no move is a click. A
 * finger drags only the selected cell: elsewhere it moves the page.
 */
export function onPointerDown(event, cell, actions) {
  if (event.button !== 0 || event.target.tagName === "INPUT" || !actions.scrubbable(cell)) return
  if (event.pointerType === "touch" && !actions.isSelected(...actions.place(cell))) return
  const [start, x] = [actions.value(cell), event.clientX]
  let [hand, value, last] = [null, start, null]
  const valueAt = (move) => rounded(start + Math.round((move.clientX - x) / PIXELS_A_STEP) * stepOf(move))
  const show = onceAFrame(() => valueAt(last) !== value && hand.put((value = valueAt(last))))
  const end = (final) => {
    show.forget()
    cell.onpointermove = cell.onpointerup = cell.onpointercancel = null
    cell.dataset.dragged = hand ? "yes" : ""
    hand?.end(final)
  }
  cell.setPointerCapture(event.pointerId)
  cell.onpointermove = (move) => {
    if (!hand && Math.abs(move.clientX - x) < DRAG_STARTS) return
    hand ??= actions.grasp(cell)
    last = move
    show()
  }
  cell.onpointerup = (up) => end(valueAt(up))
  cell.onpointercancel = () => end(start) // the browser scrolls the page with this finger, so the number goes back
}

export function onPaste(event, cell, actions) {
  if (event.target.tagName === "INPUT" && !/[\t\n[,;]/.test(event.clipboardData.getData("text").trim())) return
  if (!actions.editable(cell)) return
  event.preventDefault()
  actions.paste(cell, event.clipboardData.getData("text"))
}
