// Hint: on the first number that a visitor can change, a hand moves it a little and back, once in this browser. It
// never comes to a page that is used already.

import { element } from "./elements.js"
import { change } from "./hand.js"
import { placeOf } from "./figures.js"
import { EQUATIONS } from "./light.js"

const KNOWN = "attention-lab.hand" // what a browser keeps when its owner has seen the hint, or has changed a number
const USES = ["pointerdown", "click", "keydown", "input"]
const HINT_WAITS = 1500 // milliseconds after the page has come
const HINT_LASTS = 1800 // milliseconds
const FAR = 0.5 // how far the number moves
const HINT_APART = 4 // pixels between the matrix and the words
let hintTimer = 0
let usedPage = null

/** Forget the hint on this page, because the page is used. A finger that comes down may only scroll. */
function noteUse({ type, pointerType }) {
  if (type === "pointerdown" && pointerType === "touch") return
  usedPage = location.pathname
  clearTimeout(hintTimer)
}

USES.forEach((type) => document.addEventListener(type, noteUse, true))

/** Never show the hint in this browser again. */
export function handIsKnown() {
  clearTimeout(hintTimer)
  localStorage.setItem(KNOWN, "yes")
}

/** Show the hint soon, if this equation has a number that can be changed and this browser has not shown the hint. */
export function hintSoon(view) {
  const isUsed = usedPage === location.pathname
  const isQuiet = isUsed || matchMedia("(prefers-reduced-motion: reduce)").matches || view.data.present
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
  view.root.append(bubble)
  placeHint(bubble, cell, view.root.getBoundingClientRect())
  cell.classList.add("held")
  const put = (value) => change([[id, [[row, column, value]]]], true)
  const end = () => {
    cancelAnimationFrame(frame)
    USES.forEach((type) => document.removeEventListener(type, end, true))
    cell.classList.remove("held")
    bubble.remove()
    const served = servedNumber(id, row, column)
    if (served !== undefined) change([[id, [[row, column, served]]]])
  }
  const began = performance.now()
  const move = (now) => {
    const part = (now - began) / HINT_LASTS
    if (part >= 1 || !cell.isConnected) return end()
    put(Number((start + Number((FAR * Math.sin(Math.PI * part) ** 2).toFixed(1))).toFixed(4)))
    frame = requestAnimationFrame(move)
  }
  let frame = requestAnimationFrame(move)
  USES.forEach((type) => document.addEventListener(type, end, true))
}

/** Put the words below the matrix of a cell, or above its name if the screen ends there. They cover no number. */
function placeHint(bubble, cell, root) {
  const { top, bottom } = cell.closest("figure").getBoundingClientRect()
  const { offsetWidth, offsetHeight } = bubble
  const below = bottom + HINT_APART
  const high = below + offsetHeight <= innerHeight ? below : top - HINT_APART - offsetHeight
  const left = Math.min(cell.getBoundingClientRect().left, root.right - offsetWidth)
  Object.assign(bubble.style, { left: `${left - root.left}px`, top: `${high - root.top}px` })
}

/** Return a number as the server has sent it, or undefined if no equation of the page shows it. */
function servedNumber(id, row, column) {
  const found = [...EQUATIONS].map((view) => view.served?.get(id)?.values[row]?.[column])
  return found.find((value) => value !== undefined)
}

function isOnScreen(cell) {
  const { top, bottom, left, right } = cell.getBoundingClientRect()
  const { clientWidth } = document.documentElement
  return cell.checkVisibility() && top >= 60 && bottom <= innerHeight - 40 && left >= 0 && right <= clientWidth
}
