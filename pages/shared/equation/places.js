// Places: find the cells on the page in which a number is drawn. A number may be drawn in several equations.

import { shown, titleOf } from "./layout.js"
import { figures, find } from "./figures.js"
import { EQUATIONS, PLACES } from "./light.js"

/** Return one drawing of a number: the selected drawing, otherwise one on the screen, otherwise the first. */
export function drawnAt(place) {
  const drawings = [...EQUATIONS]
    .flatMap((view) => drawingsIn(view, place))
    .filter(({ cell }) => cell?.checkVisibility())
  return drawings.find(({ figure }) => figure === PLACES.figure) ?? drawings.find(inView) ?? drawings[0]
}

function drawingsIn(view, place) {
  return figures(view)
    .filter((figure) => figure.dataset.id === place.id)
    .map((figure) => drawing(view, figure, place))
}

/** Return a drawing of a number: its cell, or the canvas that shows it; its box on the screen; and its name. */
function drawing(view, figure, place) {
  const matrix = view.matrices.get(place.id)
  const heat = figure.querySelector(".heat")?.view
  const cell = heat?.canvas ?? find(figure, place.row, place.column)
  const box = () => (heat ? pixelsOf(heat, matrix, place) : cell.getBoundingClientRect())
  return { view, figure, cell, box, place, label: titleOf(matrix, place.row, place.column) }
}

function pixelsOf({ canvas, size }, matrix, { row, column }) {
  const { left, top } = canvas.getBoundingClientRect()
  const [r, c] = shown(matrix, [row, column])
  const zoom = canvas.currentCSSZoom ?? 1
  const [x, y] = [left + zoom * (canvas.clientLeft + c * size.width), top + zoom * r * size.height]
  return { left: x, top: y, right: x + zoom * size.width, bottom: y + zoom * size.height }
}

function inView({ box }) {
  const { top, bottom } = box()
  return top >= 0 && bottom <= innerHeight
}
