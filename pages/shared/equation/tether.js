// Tether: the line from the card with a cell's arithmetic to its cell.

import { element } from "./elements.js"

/** Draw the line from a card to the box of its cell, from edge to edge. */
export function drawTether(card, cell) {
  const line = card.querySelector(":scope > .lab-tether") ?? element("span", { className: "lab-tether" })
  if (!line.isConnected) card.append(line)
  const box = card.getBoundingClientRect()
  const from = nearestIn(box, middleOf(cell))
  const to = nearestIn(cell, from)
  const [right, down] = [to.x - from.x, to.y - from.y]
  line.style.setProperty("left", `${from.x}px`)
  line.style.setProperty("top", `${from.y}px`)
  line.style.setProperty("width", `${Math.hypot(right, down)}px`)
  line.style.setProperty("rotate", `${Math.atan2(down, right)}rad`)
}

function middleOf({ left, right, top, bottom }) {
  return { x: (left + right) / 2, y: (top + bottom) / 2 }
}

function nearestIn({ left, right, top, bottom }, { x, y }) {
  return { x: Math.max(left, Math.min(right, x)), y: Math.max(top, Math.min(bottom, y)) }
}
