// Tether: the line from the card with a cell's arithmetic to its cell.

import { covered } from "./beside.js"
import { element } from "./elements.js"

/** Draw the line from a card to its cell, from edge to edge, unless it would strike something out. */
export function drawTether(card, { cell, beside, others, parts }) {
  const line = card.querySelector(":scope > .lab-tether") ?? element("span", { className: "lab-tether" })
  if (!line.isConnected) card.append(line)
  const from = nearestIn(card.getBoundingClientRect(), middleOf(cell))
  const to = nearestIn(cell, from)
  line.hidden = covered(boxOf(from, to), [...beside, ...others, ...parts]) > 0
  const [right, down] = [to.x - from.x, to.y - from.y]
  line.style.setProperty("left", `${from.x}px`)
  line.style.setProperty("top", `${from.y}px`)
  line.style.setProperty("width", `${Math.hypot(right, down)}px`)
  line.style.setProperty("rotate", `${Math.atan2(down, right)}rad`)
}

/** Return the box around a line, one pixel wider on each side. */
function boxOf(from, to) {
  const least = (along) => Math.min(from[along], to[along]) - 1
  const most = (along) => Math.max(from[along], to[along]) + 1
  return { left: least("x"), right: most("x"), top: least("y"), bottom: most("y") }
}

function middleOf({ left, right, top, bottom }) {
  return { x: (left + right) / 2, y: (top + bottom) / 2 }
}

function nearestIn({ left, right, top, bottom }, { x, y }) {
  return { x: Math.max(left, Math.min(right, x)), y: Math.max(top, Math.min(bottom, y)) }
}
