// Heads: the labels above the columns of a matrix. They lie flat if all of them fit their columns; otherwise all lean.

import { element } from "./elements.js"

export const PHONE = "(max-width: 640px)" // on such a screen, matrices are below each other
const LETTER_WIDE = 0.53 // the width of a letter, in letters of the labels
// The size of labels in letters of the cells, and how much narrower a column is: in a usual equation, and in a dense one.
const USUAL = { size: 0.8, less: 0 }
const DENSE = { size: 1, less: 0.425 }

/** Return the label of a column. It is seen whole while a cell of the column is pointed at or has the focus. */
export function columnHead(label) {
  return element("th", { scope: "col", title: label }, element("span", { textContent: label }))
}

/** Return about how wide the longest label is, in its own letters. */
export function widthOfLabels(labels) {
  return LETTER_WIDE * Math.max(0, ...labels.map((label) => label.length))
}

/** Let the labels above the columns of each matrix lie or lean. Return the length of the longest one that leans. */
function layHeads(figures) {
  const leaning = figures.map((figure) => {
    const longest = widthOfLabels(figure.columnLabels)
    const { size, less } = figure.closest(".dense") ? DENSE : USUAL
    const leans = longest > (figure.columnWidth() - less) / size
    figure.querySelector("thead, .above")?.classList.toggle("leans", leans)
    return leans ? longest : 0
  })
  return Math.max(0, ...leaning)
}

/** Keep room above and below each matrix in a box for the longest labels and for sums, so that all rows are level. */
export function levelHeads(box, figures) {
  const most = (what) => Math.max(0, ...figures.map(what))
  box.style.setProperty("--lies", most(({ columnLabels }) => (columnLabels.length ? 1 : 0)))
  box.style.setProperty("--long", layHeads(figures).toFixed(2))
  box.style.setProperty("--foot", most((figure) => (figure.querySelector("tfoot, .readout") ? 1 : 0)))
}

/** Show the whole label of a cell's column, or no longer. */
export function nameColumn(cell, isNamed) {
  for (const label of labelAbove(cell)) label.parentElement.classList.toggle("at", isNamed)
}

/** Return the label of a cell's column in a list, which is empty if there is none. */
export function labelAbove(cell) {
  const place = [...cell.parentElement.querySelectorAll("td.cell")].indexOf(cell)
  return [...(cell.closest("table")?.querySelectorAll("thead th:not(.sum) span") ?? [])].slice(place, place + 1)
}
