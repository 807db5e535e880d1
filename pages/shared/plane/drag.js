// Drag: move the tip of an arrow with the pointer or, in steps, with the arrow keys.

import { uniqueId } from "./unique_id.js"
import { atRest, onceAFrame } from "./pace.js"
import { numbersAt } from "./space.js"

const STEP = 0.5
const FINE = 0.1 // with Shift
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }

const snapped = (numbers, step) => numbers.map((number) => Number((Math.round(number / step) * step).toFixed(4)))

/** Follow a pointer that was pressed on a tip. `move` moves the tip; `end` lets the picture adapt its scale. */
export function dragTip(event, tip, { space, at, toPicture, move, end }) {
  event.preventDefault()
  tip.focus()
  tip.setPointerCapture(event.pointerId)
  const gesture = uniqueId()
  const start = at()
  let last = start
  const show = onceAFrame(() => move(last, { gesture, done: false, now: false }))
  const tell = atRest(() => move(last, { gesture, done: false, now: true }))
  const put = (wanted) => {
    last = wanted
    show()
    tell()
  }
  tip.onpointermove = (moved) => {
    const wanted = snapped(numbersAt(space, toPicture(moved)), moved.shiftKey ? FINE : STEP)
    if (wanted.some((number, d) => number !== last[d])) put(wanted)
  }
  const stop = (wanted) => {
    show.forget()
    tell.forget()
    tip.onpointermove = tip.onpointerup = tip.onpointercancel = null
    if (last !== start) move(wanted, { gesture, done: true, now: true })
    end()
  }
  tip.onpointerup = () => stop(last)
  tip.onpointercancel = () => stop(start) // the browser scrolls with this finger, so the tip goes back
}

/** Move a tip by an arrow key. Return whether the key was an arrow key. */
export function nudgeTip(event, at, move) {
  const way = WAYS[event.key]
  if (!way || event.ctrlKey || event.metaKey || event.altKey) return false
  const step = event.shiftKey ? FINE : STEP
  move(
    at.map((number, d) => Number((number + way[d] * step).toFixed(4))),
    { done: true, now: true },
  )
  return true
}
