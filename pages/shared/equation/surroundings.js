// Surroundings: the boxes of what is drawn around a cell, which the card with its arithmetic and its tether avoid.

import { labelAbove } from "./heads.js"
import { EQUATIONS, readAt } from "./light.js"

const PARTS_OF_PAGE = '[data-testid="stMain"] [data-testid="stElementContainer"]:not(.st-key-arithmetic *)'
const DRAWN = "figure, thead span" // leaning labels reach beyond their figure

/**
 * Return the boxes of a cell; of the cells that it is computed from (`read`), of the `names` of their matrices and of
 * its column; of its `matrix`; of what is in its `line`, in `others`, and elsewhere on the page (`parts`); and of the
 * numbers and labels `beside` the cell in its matrix.
 */
export function surroundings({ cell, box, figure, place }) {
  const line = figure.closest(".items")
  const read = readAt(place)
  const roots = [...EQUATIONS].map((view) => view.root)
  const named = new Set([figure, ...read.map((each) => each.closest("figure"))])
  const drawn = roots.flatMap((root) => allIn(root, DRAWN))
  const inLine = drawn.filter((each) => line.contains(each))
  const inMatrix = allIn(figure, "td:not(.bracket), tbody th, tfoot th")
  return {
    cell: box(),
    read: boxesOf(read),
    names: boxesOf([...[...named].flatMap((each) => allIn(each, ".symbol")), ...labelAbove(cell)]),
    matrix: figure.getBoundingClientRect(),
    line: boxesOf(inLine),
    others: boxesOf(drawn.filter((each) => !line.contains(each))),
    parts: boxesOf(allIn(document, PARTS_OF_PAGE).filter((part) => !roots.some((root) => isIn(root, part)))),
    beside: boxesOf([...inMatrix, ...inLine].filter((each) => each !== cell && !each.contains(cell))),
  }
}

export function boxesOf(elements) {
  return elements.map((each) => each.getBoundingClientRect())
}

function allIn(root, selector) {
  return [...root.querySelectorAll(selector)]
}

/** Return whether a part of the page holds an equation, which is in a shadow tree. */
function isIn(root, part) {
  return part.contains(root.getRootNode().host ?? root)
}
