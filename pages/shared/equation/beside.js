// Beside: find the best position for the card with a cell's arithmetic. The card is drawn and moved in card.js.

const AWAY = 14 // pixels between the card and the box beside it, so that the line between them is seen
const STAYS = 3000 // how much better another side must be before the card changes its side

/**
 * Return the best position for a card of this size, and what it costs. The card must stay inside `room`. It must not
 * cover its cell, the cells that this one is computed from and their names. It should cover as little as possible of
 * its line, of other matrices and of the page, in this order, and be near the cell. `before` is the side on which the
 * card is now. `near` has the boxes of all this, as in surroundings.js.
 */
export function bestPlace(near, size, room, before) {
  const boxes = [near.cell, near.matrix, unionOf(near.line), unionOf([near.cell, ...near.read])]
  const places = boxes.flatMap((box, nth) =>
    aroundBox(box, near.cell, size).map((place) => clampedTo({ ...place, side: `${place.side}${nth}` }, size, room)),
  )
  const costly = places.map((place) => ({ ...place, cost: costOf(place, near, size, before) }))
  return costly.reduce((best, place) => (place.cost < best.cost ? place : best))
}

/** Return positions below, above, right and left of a box: in the middle of the cell, or flush with it. */
function aroundBox(box, cell, { width, height }) {
  const lefts = { middle: (cell.left + cell.right - width) / 2, right: cell.left, left: cell.right - width }
  const tops = { middle: (cell.top + cell.bottom - height) / 2, down: cell.top, up: cell.bottom - height }
  const across = (side, top) => Object.entries(lefts).map(([flush, left]) => ({ side: side + flush, left, top }))
  const along = (side, left) => Object.entries(tops).map(([flush, top]) => ({ side: side + flush, left, top }))
  return [
    ...across("below", box.bottom + AWAY),
    ...across("above", box.top - AWAY - height),
    ...along("right", box.right + AWAY),
    ...along("left", box.left - AWAY - width),
  ]
}

function unionOf(boxes) {
  const [least, most] = [
    (side) => Math.min(...boxes.map((box) => box[side])),
    (side) => Math.max(...boxes.map((box) => box[side])),
  ]
  return { left: least("left"), top: least("top"), right: most("right"), bottom: most("bottom") }
}

function clampedTo({ side, left, top }, { width, height }, room) {
  const between = (least, value, most) => Math.max(least, Math.min(most, value))
  return { side, left: between(room.left, left, room.right - width), top: between(room.top, top, room.bottom - height) }
}

function costOf(place, { cell, read, names, line, others, parts }, { width, height }, before) {
  const card = { left: place.left, top: place.top, right: place.left + width, bottom: place.top + height }
  const away =
    Math.max(card.left - cell.right, cell.left - card.right, 0) +
    Math.max(card.top - cell.bottom, cell.top - card.bottom, 0)
  const said = 1000 * covered(card, read) + 100 * covered(card, names)
  const seen = 10 * covered(card, line) + 3 * covered(card, others) + covered(card, parts)
  return (overlap(card, cell) > 0 ? 1e9 : 0) + said + seen + 40 * away - (place.side === before ? STAYS : 0)
}

/** Return how much of some boxes another box covers, in pixels. */
export function covered(by, boxes) {
  return boxes.reduce((area, box) => area + overlap(by, box), 0)
}

function overlap(one, other) {
  const wide = Math.min(one.right, other.right) - Math.max(one.left, other.left)
  const high = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return Math.max(0, wide) * Math.max(0, high)
}
