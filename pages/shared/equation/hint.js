// Hint: on the first number that a visitor can change, a hand moves it a little and back, once in this browser.

import { element } from "./elements.js"
import { change } from "./hand.js"
import { placeOf } from "./figures.js"

const KNOWN = "attention-lab.hand" // what a browser keeps when its owner has seen the hint, or has dragged a number
const HINT_WAITS = 1500 // milliseconds after the page has come
const HINT_LASTS = 1800 // milliseconds
const FAR = 0.5 // how far the number moves
let hintTimer = 0

/** Never show the hint in this browser again. */
export function handIsKnown() {
  clearTimeout(hintTimer)
  localStorage.setItem(KNOWN, "yes")
}

/** Show the hint soon, if this equation has a number that can be changed and this browser has not shown the hint. */
export function hintSoon(view) {
  const isQuiet = matchMedia("(prefers-reduced-motion: reduce)").matches || view.data.present
  if (isQuiet || localStorage.getItem(KNOWN) || !view.root.querySelector("figure.editable td.cell")) return
  clearTimeout(hintTimer)
  hintTimer = setTimeout(() => showHint(view), HINT_WAITS)
}

function showHint(view) {
  if ("labFirst" in document.documentElement.dataset) return hintSoon(view) // nothing can be dragged yet
  const cell = [...view.root.querySelectorAll("figure.editable td.cell")].find(isOnScreen)
  if (!cell || document.hidden || view.pending.length) return
  handIsKnown()
  const [id, row, column] = placeOf(cell)
  const start = view.matrices.get(id).values[row][column]
  const bubble = element("p", { className: "hint", "aria-hidden": "true", textContent: "↔ Drag a number" })
  const table = cell.getBoundingClientRect()
  const root = view.root.getBoundingClientRect()
  Object.assign(bubble.style, { left: `${table.left - root.left}px`, top: `${table.bottom - root.top + 4}px` })
  view.root.append(bubble)
  cell.classList.add("held")
  const put = (value) => change([[id, [[row, column, value]]]], true)
  const end = () => {
    cancelAnimationFrame(frame)
    document.removeEventListener("pointerdown", end, true)
    document.removeEventListener("keydown", end, true)
    cell.classList.remove("held")
    bubble.remove()
    if (view.root.isConnected && !view.pending.length) change([[id, [[row, column, start]]]], true)
  }
  const began = performance.now()
  const move = (now) => {
    const part = (now - began) / HINT_LASTS
    if (part >= 1) return end()
    put(Number((start + Number((FAR * Math.sin(Math.PI * part) ** 2).toFixed(1))).toFixed(4)))
    frame = requestAnimationFrame(move)
  }
  let frame = requestAnimationFrame(move)
  document.addEventListener("pointerdown", end, true)
  document.addEventListener("keydown", end, true)
}

function isOnScreen(cell) {
  const { top, bottom, left, right } = cell.getBoundingClientRect()
  const { clientWidth } = document.documentElement
  return cell.checkVisibility() && top >= 60 && bottom <= innerHeight - 40 && left >= 0 && right <= clientWidth
}
