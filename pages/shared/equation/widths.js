// Widths: the width of the numbers in each column, computed from their texts without asking the browser.

import { figures } from "./figures.js"

/** Return a text with the widths of all columns. It also changes if a matrix gets or loses the pen beside its name. */
export function widthsOf(view) {
  return figures(view)
    .map((figure) => [figure.dataset.use, ...columnWidths(figure, view.matrices.get(figure.dataset.id))].join())
    .join(" ")
}

function columnWidths(figure, { transposed }) {
  const widest = new Map()
  for (const cell of figure.querySelectorAll("td.cell, td.sum")) {
    const { row, column = "sum", padding = "" } = cell.dataset
    const place = transposed ? row : column
    widest.set(place, Math.max(widest.get(place) ?? 0, widthOf(cell.textContent + padding)))
  }
  return widest
}

/** Return the approximate width of a number's text, measured in digits, which are all equally wide. */
function widthOf(text) {
  return [...text].reduce((width, letter) => width + (letter === "." ? 0.5 : /\d/.test(letter) ? 1 : 1.1), 0)
}
