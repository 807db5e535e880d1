// Hand: show what follows from a number while it is changed. The store computes it before the server answers.

import { differ } from "./cell.js"
import { fillFigure, figures, overlay } from "./figures.js"
import { moveNumbers } from "./matrix.js"
import { EQUATIONS, relight } from "./light.js"
import { markOlder } from "./older.js"
import { followEdits, isAhead, recomputeSetting, rowsOf, tellFollowers } from "./store.js"

/**
 * Change cells of a matrix and show all that follows. `edits` has pairs: the id of a matrix, and its new cells as (row,
 * column, number). While the `hand` moves, only the numbers change; when it rests, what has changed glows once.
 */
export function change(edits, hand = false) {
  for (const view of EQUATIONS)
    for (const [id, cells] of edits) {
      keepBefore(view, id)
      overlay(view, { id, cells })
    }
  showChange(followEdits(edits), hand)
}

/** Return whether a number of the page is in the hand. */
export function isInHand() {
  return [...EQUATIONS].some(({ root }) => root.classList.contains("hand"))
}

const MOST_NAMED = 3 // matrices in the sentence about what has followed

/** Tell screen readers in one sentence what the hand has changed: `what` says it, and the matrices that follow. */
export function sayWhatFollowed(what, ownId) {
  const names = new Set()
  for (const { matrices, edited } of EQUATIONS)
    for (const [id, before] of edited)
      if (id !== ownId && matrices.has(id) && differ(before, matrices.get(id).values)) names.add(matrices.get(id).name)
  const [named, more] = [[...names].slice(0, MOST_NAMED), names.size - MOST_NAMED]
  const listed = [...named, ...(more > 0 ? [`${more} more`] : [])].join(", ")
  const followed = listed ? `These have changed: ${listed}.` : "Nothing else has changed."
  const [view] = EQUATIONS
  if (view) view.said.textContent = `${what}. ${followed}`
}

/** Change a number that formulas call by its name, such as "temperature", and show all that follows. */
export function changeSetting(name, value) {
  showChange(recomputeSetting(name, value), true)
}

function showChange({ changed, old }, hand) {
  markOlder(isAhead())
  for (const view of EQUATIONS) {
    takeRows(view, changed)
    for (const figure of figures(view)) {
      const { id } = figure.dataset
      figure.classList.toggle("old", old.has(id))
      if (view.matrices.get(id).blank) continue
      if (hand && changed.has(id)) moveNumbers(figure, view.matrices.get(id), view.data.digits)
      if (!hand && view.edited.has(id)) fillFigure(view, figure, view.edited.get(id))
    }
    relight(view)
  }
  tellFollowers(changed)
}

/** Give the numbers that the store has computed to an equation. */
export function takeRows(view, changed) {
  for (const id of changed) {
    const [matrix, rows] = [view.matrices.get(id), rowsOf(id)]
    if (!matrix || matrix.blank || !rows) continue
    keepBefore(view, id)
    Object.assign(matrix, { values: rows, sums: sumsOf(matrix.sums, rows) })
    view.values.set(id, rows)
  }
}

/** Store the numbers before a change, until the server answers. What has changed is measured against them. */
function keepBefore(view, id) {
  if (view.matrices.has(id) && !view.edited.has(id)) view.edited.set(id, view.matrices.get(id).values)
}

function sumsOf(sums, rows) {
  const add = (numbers) => numbers.reduce((sum, number) => sum + number, 0)
  const found = {}
  if (sums?.rows) found.rows = rows.map(add)
  if (sums?.columns) found.columns = rows[0].map((_, column) => add(rows.map((row) => row[column])))
  if (sums?.all) found.all = [add(rows.map(add))]
  return found
}
