// Figures: the drawn matrices of one equation.

import { fillBlank } from "./blank.js"
import { isHeatmap } from "./heatmap.js"
import { fill, showUse } from "./matrix.js"

export function figures(view) {
  return [...view.root.querySelectorAll("figure")]
}

export function find(figure, row, column) {
  return figure.querySelector(`td[data-row="${row}"][data-column="${column}"]`)
}

/** Return the place of a cell: the id of its matrix, its row and its column. */
export function placeOf(cell) {
  return [cell.closest("figure").dataset.id, Number(cell.dataset.row), Number(cell.dataset.column)]
}

/**
 * Write the numbers of a matrix into its figure. `before` has the numbers before the last change, or null. `held` says
 * whether a number of the page is in the hand.
 */
export function fillFigure(view, figure, before, held = false) {
  const matrix = view.matrices.get(figure.dataset.id)
  if (isHeatmap(matrix)) return
  showUse(figure, matrix)
  if (matrix.blank) fillBlank(figure, matrix, view.data.digits)
  else {
    const digits = Math.max(view.data.digits, matrix.decimals)
    fill(figure, matrix, { digits, grows: !view.data.present, held }, before)
  }
}

/** Replace the server's numbers by edits that it has not answered yet. The matrix may have become smaller since. */
export function overlay(view, { id, cells }) {
  const matrix = view.matrices.get(id)
  if (!matrix) return
  matrix.values = matrix.values.map((row) => [...row])
  for (const [row, column, value] of cells) if (column in (matrix.values[row] ?? [])) matrix.values[row][column] = value
}
