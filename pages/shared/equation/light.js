// Light: light up the cell that is pointed at or selected, and the cells that it is computed from, in all equations on
// the page, without asking the server. The module formulas.js finds the cells that a cell is computed from.

import { addRead, blockOf, holds } from "./formulas.js"
import { paint } from "./heatmap.js"
import { figures } from "./figures.js"

export const EQUATIONS = new Set() // the views of all equations on the page
// `pointed` is under the pointer, `selected` is selected in the browser, and `answered` is selected for the server.
// Each has the id of a matrix, a row and a column. `figure` is the figure in which the visitor selected a number.
export const PLACES = { pointed: null, selected: null, answered: null, figure: null }

export function enterPage(view) {
  EQUATIONS.add(view)
}

export function leavePage(view) {
  EQUATIONS.delete(view)
  if (PLACES.pointed?.view === view) PLACES.pointed = null
  relightAll()
}

/** Light up the cell under the pointer or with the focus, and the cells that it is computed from. */
export function lightUp(view, id, row, column) {
  PLACES.pointed = { view, id, row, column }
  relightAll()
}

export function lightOut() {
  PLACES.pointed = null
  relightAll()
}

/** Select a cell, or none if `place` is null. */
export function setSelected(place) {
  if (samePlace(place, PLACES.selected)) return
  PLACES.selected = place
  relightAll()
}

/** Store the figure in which the visitor selected a number. */
export function chosenIn(figure) {
  PLACES.figure = figure
}

/** Take over the server's selection, unless the visitor has selected another cell since. */
export function answered(place) {
  PLACES.answered = place
  const asked = [...EQUATIONS].flatMap((view) => view.pending).filter((event) => event.kind === "select")
  if (!asked.length) setSelected(place)
}

export function isSelected(id, row, column) {
  return samePlace({ id, row, column }, PLACES.selected)
}

export function isAnySelected() {
  return Boolean(PLACES.selected)
}

function samePlace(one, other) {
  return (
    one === other ||
    Boolean(one && other && one.id === other.id && one.row === other.row && one.column === other.column)
  )
}

export function relightAll() {
  const read = readCells()
  for (const view of EQUATIONS) relight(view, read)
}

/** Return the blocks of cells that the pointed cell is computed from. If none is pointed at, take the selected cell. */
function readCells(place = PLACES.pointed ?? PLACES.selected) {
  if (!place) return []
  const block = blockOf(place.id, place.row, place.column)
  const view = place.view ?? [...EQUATIONS].find((equation) => shows(equation, block))
  const matrix = view?.matrices.get(place.id)
  if (!matrix) return []
  const formulas = formulasOfPage()
  const found = new Map()
  for (const term of matrix.lights ?? [formulas.get(place.id)?.of]) addRead(found, term, block, formulas, isOnPage)
  return [...found.values()].filter(Boolean)
}

/** Return the formulas of all matrices of the page, by id. If equations differ, the first one counts. */
function formulasOfPage() {
  return new Map([...EQUATIONS].reverse().flatMap((view) => Object.entries(view.data?.formulas ?? {})))
}

/** Return the table cells on the page that the number at a place is computed from. */
export function readAt(place) {
  const blocks = readCells(place)
  const isRead = (cell) =>
    blocks.some(
      (block) =>
        block.id === cell.closest("figure").dataset.id &&
        holds(block, Number(cell.dataset.row), Number(cell.dataset.column)),
    )
  return [...EQUATIONS].flatMap((view) => [...view.root.querySelectorAll("td.cell")]).filter(isRead)
}

/** Return whether any equation on the page shows a block of cells. */
function isOnPage(block) {
  return [...EQUATIONS].some((equation) => shows(equation, block))
}

/** Return whether an equation shows a block of cells. Some matrices are shown with only one row. */
function shows({ items }, { id, rows }) {
  return items.some(
    ({ id: own, onlyRow }) => own === id && (onlyRow === null || (rows[0] <= onlyRow && onlyRow < rows[1])),
  )
}

/** Light up the cells of one equation. `read` has the blocks of cells that are lit up as sources. */
export function relight(view, read = readCells()) {
  for (const figure of figures(view)) {
    const { id } = figure.dataset
    const here = read.filter((block) => block.id === id)
    const glow = glowIn(id, here)
    if (figure.querySelector("canvas")) paint(figure, view.matrices.get(id), glow, JSON.stringify([selfIn(id), here]))
    for (const cell of figure.querySelectorAll("td.cell")) {
      const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)]
      const lit = glow(row, column)
      cell.classList.toggle("self", lit === "self")
      cell.classList.toggle("read", lit === "read")
      const chosen = isSelected(id, row, column)
      cell.classList.toggle("selected", chosen)
      if (chosen) cell.setAttribute("aria-selected", "true")
      else cell.removeAttribute("aria-selected")
    }
  }
}

/** Return the row and column of the pointed or else the selected cell, or [] if it is in another matrix. */
function selfIn(id) {
  const self = PLACES.pointed ?? PLACES.selected
  return self?.id === id ? [self.row, self.column] : []
}

/** Return a function that says how a cell of a matrix is lit up: "self", "read", or "" if it is not. */
function glowIn(id, here) {
  const [selfRow, selfColumn] = selfIn(id)
  return (row, column) => {
    if (row === selfRow && column === selfColumn) return "self"
    return here.some((block) => holds(block, row, column)) ? "read" : ""
  }
}
