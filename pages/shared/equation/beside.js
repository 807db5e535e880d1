// Beside: find the best position for the card with a cell's arithmetic. The card is drawn and moved in card.js.

const GAP = 8 // pixels between the card and the box beside it
const STAYS = 3000 // how much better another side must be before the card changes its side

/**
 * Return the best position for a card of this size. The card must stay inside `room` and must not cover its cell. It
 * should be near the cell. It should cover few numbers, above all few of the numbers that the cell is computed from.
 * `before` is the side on which the card is now. `near` has the boxes of the cell, its matrix and its line (`around`),
 * of the cells that it is computed from (`read`), and of all figures (`others`).
 */
export function bestPlace(near, size, room, before) {
  const places = [near.cell, ...near.around].flatMap((box, nth) =>
    aroundBox(box, near.cell, size).map((place) => clampedTo({ ...place, side: `${place.side}${nth}` }, size, room)),
  )
  const costs = new Map(places.map((place) => [place, cost(place, near, size) - (place.side === before ? STAYS : 0)]))
  return places.reduce((best, place) => (costs.get(place) < costs.get(best) ? place : best))
}

/** Return four positions: below and above a box, centred on the cell; right and left of it, at the cell's height. */
function aroundBox(box, cell, { width, height }) {
  const [left, top] = [(cell.left + cell.right - width) / 2, (cell.top + cell.bottom - height) / 2]
  return [
    { side: "below", left, top: box.bottom + GAP },
    { side: "above", left, top: box.top - GAP - height },
    { side: "right", left: box.right + GAP, top },
    { side: "left", left: box.left - GAP - width, top },
  ]
}

function clampedTo({ side, left, top }, { width, height }, room) {
  const between = (least, value, most) => Math.max(least, Math.min(most, value))
  return { side, left: between(room.left, left, room.right - width), top: between(room.top, top, room.bottom - height) }
}

function cost(place, { cell, read, others }, { width, height }) {
  const card = { left: place.left, top: place.top, right: place.left + width, bottom: place.top + height }
  const covered = (boxes) => boxes.reduce((area, box) => area + overlap(card, box), 0)
  const away =
    Math.max(card.left - cell.right, cell.left - card.right, 0) +
    Math.max(card.top - cell.bottom, cell.top - card.bottom, 0)
  return (overlap(card, cell) > 0 ? 1e9 : 0) + 20 * covered(read) + covered(others) / 4 + 40 * away
}

function overlap(one, other) {
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return Math.max(0, wide) * Math.max(0, high)
}
