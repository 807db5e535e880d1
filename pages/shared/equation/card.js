// Card: the box with the arithmetic of the selected cell. The server writes the box, and this module moves it.

import { element } from "./elements.js"
import { icon } from "./icons.js"
import { EQUATIONS, isAnySelected, PLACES, readAt } from "./light.js"
import { drawnAt } from "./places.js"
import { bestPlace } from "./beside.js"

const CARD = ".st-key-arithmetic"
const APP = ".stApp" // the element with the colours of the theme
const NARROW = "(max-width: 640px)" // on such a screen the card is at the bottom
const HEIGHT = "--lab-sheet" // the height of the card at the bottom
const OWN_ESCAPE =
  "input:not([type=radio], [type=checkbox]), textarea, select, details[open], [role=dialog], [role=listbox]"
const NOW = { card: null, cell: null, text: "", side: "" } // the card that is on the page now, and its cell

const grown = new ResizeObserver(() => placeCard())

let watching = false

/** Begin to place cards. Called once for the whole page. */
export function watchCards() {
  const app = document.querySelector(APP)
  if (watching || !app) return // there is no page yet while only its first screen stands
  watching = true
  const soon = () => NOW.card && requestAnimationFrame(placeCard)
  // Each answer of the server may add or remove the card. It is placed before the browser paints it.
  new MutationObserver(placeCard).observe(document.body, { childList: true, subtree: true, characterData: true })
  new MutationObserver(placeCard).observe(app, { attributes: true }) // the theme has changed
  document.addEventListener("scroll", soon, { capture: true, passive: true })
  window.addEventListener("resize", soon)
  window.addEventListener("keydown", closeByKey, { capture: true })
}

/** Place the card beside its cell. If that cell is not on the page, the card stays where the page has drawn it. */
export function placeCard() {
  // The card of the cell is the last one. Cards before it explain the number of a slider.
  const card = [...document.querySelectorAll(CARD)].at(-1) ?? null
  if (!card && !NOW.card) return
  const found = card && PLACES.answered && drawnAt(PLACES.answered)
  if (card !== NOW.card) changeCard(card)
  if (!found) return release(card)
  const fresh = attach(card, found)
  card.style.setProperty("--surface", getComputedStyle(document.querySelector(APP)).backgroundColor)
  card.toggleAttribute("data-closed", !isAnySelected())
  if (matchMedia(NARROW).matches) standBelow(card, found, fresh)
  else standBeside(card, found, fresh)
}

function changeCard(card) {
  grown.disconnect()
  Object.assign(NOW, { card, cell: null, text: "", side: "" })
  if (card) grown.observe(card)
}

function release(card) {
  document.documentElement.style.removeProperty(HEIGHT)
  if (!card) return
  card.removeAttribute("data-anchored")
  card.querySelector(":scope > .lab-close")?.remove()
}

/** Attach the card to a cell, and announce it to screen readers. Return whether the cell or the text is new. */
function attach(card, { view, cell, label }) {
  const text = card.innerText
  if (NOW.cell === cell && NOW.text === text && card.hasAttribute("data-anchored")) return false
  Object.assign(NOW, { cell, text })
  card.setAttribute("data-anchored", "")
  card.setAttribute("role", "region")
  card.setAttribute("aria-label", `Arithmetic of ${label}`)
  if (!card.querySelector(":scope > .lab-close")) card.append(closeButton())
  view.said.textContent = `${wordsOf(card)} ${label}. Escape closes its arithmetic.`
  return true
}

function closeButton() {
  const button = element(
    "button",
    { type: "button", className: "lab-close", title: "Close (Escape)", "aria-label": "Close the arithmetic" },
    icon("close"),
  )
  button.onclick = () => {
    const { cell } = NOW
    close()
    cell?.focus({ preventScroll: true })
  }
  return button
}

function close() {
  const [view] = EQUATIONS
  view?.actions.deselect()
}

/** Close the card when Escape is pressed, except where Escape has another meaning. */
function closeByKey(event) {
  const target = event.composedPath()[0]
  const own = target.closest?.(OWN_ESCAPE) || document.querySelector("[role=dialog], [role=listbox]")
  if (event.key !== "Escape" || own || !isAnySelected()) return
  event.preventDefault()
  close()
}

/** Return the words of a card without its formulas. A screen reader reads the formulas in the card itself. */
function wordsOf(card) {
  const copy = card.cloneNode(true)
  copy.querySelectorAll(".katex-display, .katex-html, annotation, button").forEach((part) => part.remove())
  return copy.textContent.replace(/\s+/g, " ").trim()
}

/**
 * Place the card at the bottom of a narrow screen, and scroll up a cell that it would cover. If the visitor has
 * scrolled the cell off the screen, do not scroll back, because the visitor may be on the way to the next cell.
 */
function standBelow(card, { box }, fresh) {
  const { height } = card.getBoundingClientRect()
  document.documentElement.style.setProperty(HEIGHT, card.hasAttribute("data-closed") ? "0px" : `${height}px`)
  card.removeAttribute("data-away")
  const cell = box()
  const covered = cell.bottom + 12 - (innerHeight - height)
  if (fresh && covered > 0 && cell.top < innerHeight)
    document.querySelector("[data-testid=stMain]").scrollBy(0, covered)
}

/** Place the card near its cell, where it covers as few as possible of the numbers in its arithmetic. */
function standBeside(card, { box, figure, place }) {
  document.documentElement.style.removeProperty(HEIGHT)
  const main = document.querySelector("[data-testid=stMain]").getBoundingClientRect()
  const room = { left: main.left + 8, right: main.left + main.width - 16, top: 8, bottom: innerHeight - 8 }
  const cell = box()
  const away = cell.bottom < 0 || cell.top > innerHeight
  card.toggleAttribute("data-away", away)
  if (away) return
  card.style.setProperty("--widest", `${room.right - room.left}px`)
  const { width, height } = card.getBoundingClientRect()
  const [line, figures] = [
    figure.closest(".items"),
    [...EQUATIONS].flatMap((view) => [...view.root.querySelectorAll("figure table, figure canvas")]),
  ]
  const boxes = (elements) => elements.map((each) => each.getBoundingClientRect())
  const near = { cell, around: boxes([figure, line]), read: boxes(readAt(place)), others: boxes(figures) }
  const best = bestPlace(near, { width, height }, room, NOW.side)
  NOW.side = best.side
  card.style.setProperty("--left", `${Math.round(best.left)}px`)
  card.style.setProperty("--top", `${Math.round(best.top)}px`)
}
