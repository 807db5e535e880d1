// Blank: a matrix that the learner fills in. Marks say which cells are wrong. The correct numbers come only at the end.

import { decimalsFor, MINUS, parseNumber, show } from "./numbers.js"
import { element } from "./elements.js"
import { shown } from "./layout.js"
import { LOOKS } from "./cell.js"

const MARKS = new Map([
  [true, "right"],
  [false, "wrong"],
]) // null means that the cell was changed since the last check
const SIGN_OF = { right: "✓", wrong: "✗" }

export function fillable(matrix) {
  return Boolean(matrix.blank && !matrix.right)
}

/** Write into a drawn matrix the learner's texts and, after the check, whether each cell is correct. */
export function fillBlank(figure, matrix, digits) {
  for (const cell of figure.querySelectorAll("td.cell")) writeBlank(cell, matrix, digits)
}

export function writeBlank(cell, matrix, digits) {
  const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)]
  const text = matrix.blank[row][column]
  const mark = MARKS.get(matrix.marks?.[row][column]) ?? (text ? "written" : "empty")
  const truth =
    mark === "wrong" && matrix.right ? show(matrix.right[row][column], decimalsFor(matrix.right, digits)) : ""
  const look = [text, mark, truth].join()
  if (LOOKS.get(cell) === look || cell.querySelector("input")) return
  LOOKS.set(cell, look)
  cell.dataset.mark = mark
  const sign = element("span", { className: "mark", "aria-hidden": "true", textContent: SIGN_OF[mark] ?? "" })
  const own = element("span", { className: "own", textContent: text.replace("-", MINUS) })
  cell.replaceChildren(own, sign, truth && element("span", { className: "truth", textContent: truth }))
  const [r, c] = shown(matrix, [row, column])
  const said = [`row ${r + 1}, column ${c + 1}`, text || "empty", SIGN_OF[mark] && mark, truth && `it is ${truth}`]
  cell.setAttribute("aria-label", said.filter(Boolean).join(", "))
}

/** Replace the server's texts by those that the learner wrote since the server's last answer. */
export function overlayBlank(view, { id, cells }) {
  const matrix = view.matrices.get(id)
  if (!matrix || !fillable(matrix)) return
  matrix.blank = matrix.blank.map((row) => [...row])
  matrix.marks = matrix.marks?.map((row) => [...row])
  for (const [row, column, text] of cells.filter(([row, column]) => column in (matrix.blank[row] ?? []))) {
    if (matrix.marks && matrix.blank[row][column] !== text) matrix.marks[row][column] = null
    matrix.blank[row][column] = text
  }
}

/** Return the text to store for an entry. If it is not a number, throw an error that says what is wrong. */
export function checkedEntry(text, bounds) {
  const clean = text.trim().replaceAll(MINUS, "-")
  if (clean) parseNumber(clean, bounds)
  return clean
}

/** Return a pasted number as a text that is short enough for a cell. */
export function entryOf(number) {
  return String(Number(number.toFixed(6)))
}

/** Focus the next cell of a blank matrix, row by row (`step` is 1), or the cell before (`step` is -1). */
export function moveOn(cell, step) {
  const cells = [...cell.closest("tbody").querySelectorAll("td.cell")]
  const next = cells[cells.indexOf(cell) + step] ?? cell
  next.focus()
}
