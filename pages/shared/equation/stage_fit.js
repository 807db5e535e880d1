// Stage fit: make the board of a presented scene as large as the window allows.

import { itemsOf, overflows } from "./line.js"
import { roomOnStage } from "./stage.js"

const LARGEST = 1.9 // times the size of the words around it
const SMALLEST = 0.6 // if a board does not fit in any other way
const FINER = 0.97 // the factor from one trial to the next

/** Make a board as large as it can be, or smaller until it fits. `layOut` makes its lines fit the width. */
export function fitRoom(root, layOut) {
  const room = roomOnStage(root)
  const fits = (size) => (enlarge(root, size), layOut(), isWhole(root, room))
  let size = fits(1) ? Math.min(LARGEST, growth(root, room)) : FINER
  while (size > SMALLEST && !fits(size)) size *= FINER
}

export function enlarge(root, size) {
  root.style.zoom = size === 1 ? "" : size
}

/** Whether the whole board is inside its room. */
export function isWhole(root, room) {
  return (
    root.getBoundingClientRect().height <= room &&
    ![...root.querySelectorAll(".line")].map(itemsOf).some(overflows) &&
    ![...root.querySelectorAll(".scroll, .pair")].some(overflows)
  )
}

/** About how many times as large a board can be. The larger lines may break more often, so trials decide. */
function growth(root, room) {
  const { left, width, height } = root.getBoundingClientRect()
  const right = Math.max(...[...root.querySelectorAll("figure, .sign")].map((box) => box.getBoundingClientRect().right))
  return Math.min(room / height, width / (right - left))
}
