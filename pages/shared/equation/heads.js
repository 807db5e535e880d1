// Heads: the labels above the columns of a matrix. They lie flat if all of them fit their columns; otherwise all lean.

import { lettersLeftOut, writeName } from "./beginnings.js"
import { element } from "./elements.js"

export const PHONE = "(max-width: 640px)" // on such a screen, matrices are below each other
const LETTER_WIDE = 0.53 // the width of a letter, in letters of the labels
// The size of labels in letters of the cells, and by how much a column is narrower: in a usual and in a dense equation.
const USUAL = { size: 0.8, less: 0 }
const DENSE = { size: 1, less: 0.55 }
const SIDEWAYS = 0.82 // how far a label of the length 1 reaches to the right when it leans, as in equation.css
const CUT = 2 // how many letters the mark of a cut label takes
const NAMES = "thead th:not(.sum) > span" // in a table
const SUMS = 2 // the least width of sums of rows, in letters of the labels

/** Return the label of a column. It is seen whole while a cell of the column is pointed at or has the focus. */
export function columnHead(label) {
  return element("th", { scope: "col", title: label }, element("span", { textContent: label }))
}

/** Return about how wide the longest label is, in its own letters. */
export function widthOfLabels(labels) {
  return LETTER_WIDE * Math.max(0, ...labels.map((label) => label.length))
}

/** Let the labels above the columns of each matrix lie or lean. Return the lengths of the longest ones that lean. */
function layHeads(figures) {
  return figures.map((figure) => {
    const isUnnamed = figure.classList.toggle("unnamed", goesWithoutHeads(figure))
    const longest = widthOfLabels(figure.columnLabels)
    const leans = !isUnnamed && !figure.closest(".flat") && longest > widthForLabel(figure)
    figure.classList.toggle("leans", leans)
    figure.seenLabels = seenLabels(figure, leans)
    return leans ? widthOfLabels(figure.seenLabels) : 0
  })
}

/** Let no two labels of a matrix look the same because both are cut. Return the labels as they are seen. */
function seenLabels(figure, leans) {
  const labels = figure.columnLabels
  const room = leans ? getComputedStyle(figure).getPropertyValue("--longest") / LETTER_WIDE : Infinity
  const isCut = labels.some((label) => label.length > room)
  const leftOut = isCut ? lettersLeftOut(labels, Math.floor(room) - CUT) : labels.map(() => 0)
  const spans = figure.querySelectorAll(`${NAMES}, .above > span > span`)
  spans.forEach((span, n) => writeName(span, labels[n], leftOut[n]))
  return labels.map((label, n) => (leftOut[n] ? `…${label.slice(leftOut[n])}` : label))
}

/**
 * Return whether a presented equation that has little room leaves out the labels above a matrix, except for screen
 * readers: numbers that only count, and what is below the first line.
 */
function goesWithoutHeads(figure) {
  const isLater = figure.closest(".terse:not(.abreast) :is(.line ~ .line, .pair ~ .pair .line)")
  return Boolean(isLater || (figure.closest(".dense") && figure.columnLabels.every((label) => /^\d+$/.test(label))))
}

/** Keep room above and below each matrix in a box for the longest labels and for sums, so that all rows are level. */
export function levelHeads(box, figures) {
  const most = (what) => Math.max(0, ...figures.map(what))
  const leaning = layHeads(figures)
  box.style.setProperty("--long", Math.max(0, ...leaning).toFixed(2))
  box.style.setProperty("--over", most((figure, n) => (leaning[n] ? beyondColumns(figure) : 0)).toFixed(2))
  box.style.setProperty("--lies", most((figure) => (figure.columnLabels.length && !figure.matches(".unnamed") ? 1 : 0)))
  box.style.setProperty("--foot", most((figure) => (figure.querySelector("tfoot, .readout") ? 1 : 0)))
}

/** Return the width of a matrix's columns in letters of the labels above them. */
function widthForLabel(figure) {
  const { size, less } = figure.closest(".dense") ? DENSE : USUAL
  return (figure.columnWidth() - less) / size
}

/** Return how long the part of leaning labels is that is beyond the columns of a matrix and the sums of its rows. */
function beyondColumns(figure) {
  const column = widthForLabel(figure) / SIDEWAYS
  const sums = figure.querySelector("thead .sum") ? SUMS / SIDEWAYS : 0
  const after = (n) => (figure.seenLabels.length - 1 - n) * column + sums
  return Math.max(0, ...figure.seenLabels.map((label, n) => widthOfLabels([label]) - after(n)))
}

/** Show the whole label of a cell's column, or no longer. */
export function nameColumn(cell, isNamed) {
  for (const label of labelAbove(cell)) label.parentElement.classList.toggle("at", isNamed)
}

/** Return the label of a cell's column in a list, which is empty if there is none. */
export function labelAbove(cell) {
  const place = [...cell.parentElement.querySelectorAll("td.cell")].indexOf(cell)
  return [...(cell.closest("table")?.querySelectorAll(NAMES) ?? [])].slice(place, place + 1)
}
