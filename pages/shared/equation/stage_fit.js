// Stage fit: what a presented scene is about takes all the room that the window leaves for it.

import { itemsOf, overflows } from "./line.js"
import { roomOnStage } from "./stage.js"

const LARGEST = 1.9 // times the size of the words beside it
const SMALLEST = 0.6 // where nothing else lets a board fit
const FINER = 0.97 // from one trial to the next

/** Enlarge a board as far as it fits, or make it smaller until it does. `layOut` lets its lines fit the width. */
export function fitRoom(root, layOut) {
  const room = roomOnStage(root)
  const fits = (size) => (enlarge(root, size), layOut(), isWhole(root, room))
  let size = fits(1) ? Math.min(LARGEST, growth(root, room)) : FINER
  while (size > SMALLEST && !fits(size)) size *= FINER
}

export function enlarge(root, size) {
  root.style.zoom = size === 1 ? "" : size
}

/** Whether nothing of a board is beyond its room or its width. */
export function isWhole(root, room) {
  return root.getBoundingClientRect().height <= room && ![...root.querySelectorAll(".line")].map(itemsOf).some(overflows) && ![...root.querySelectorAll(".scroll, .pair")].some(overflows)
}

/** How many times as large a board can be, about: what breaks into more lines then is found by trial. */
function growth(root, room) {
  const { left, width, height } = root.getBoundingClientRect()
  const right = Math.max(...[...root.querySelectorAll("figure, .sign")].map((box) => box.getBoundingClientRect().right))
  return Math.min(room / height, width / (right - left))
}
