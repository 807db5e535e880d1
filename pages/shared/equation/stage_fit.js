// Stage fit: make the equation of a presented scene as large as the window allows.

import { itemsOf, overflows } from "./line.js"
import { isTooWide } from "./slides.js"
import { roomOnStage } from "./stage.js"

const LARGEST = 1.9 // the largest factor by which an equation grows
const SMALLEST = 0.6 // the smallest factor, if an equation does not fit in any other way
const FINER = 0.97 // the factor from one trial to the next

/** Make an equation as large as possible, or smaller until it fits. Return the factor. `layOut` makes its lines fit. */
export function fitRoom(root, layOut) {
  const room = roomOnStage(root)
  const fits = (size) => (enlarge(root, size), layOut(), isWhole(root, room))
  let size = fits(1) ? Math.min(LARGEST, growth(root, room)) : FINER
  while (size > SMALLEST && !fits(size)) size *= FINER
  return size
}

export function enlarge(root, size) {
  root.style.zoom = size === 1 ? "" : size
  root.style.setProperty("--zoom", size)
}

/** Return whether the whole equation is inside the free height and the width of the page. */
export function isWhole(root, room) {
  return (
    root.getBoundingClientRect().height <= room &&
    ![...root.querySelectorAll(".line")].map(itemsOf).some(overflows) &&
    ![...root.querySelectorAll(".pair")].some(overflows) &&
    ![...root.querySelectorAll(".scroll")].some(isTooWide)
  )
}

/** Return about how many times as large an equation can be. Larger lines may break more often, so trials decide. */
function growth(root, room) {
  const { left, width, height } = root.getBoundingClientRect()
  const right = Math.max(...[...root.querySelectorAll("figure, .sign")].map((box) => box.getBoundingClientRect().right))
  return Math.min(room / height, width / (right - left))
}
