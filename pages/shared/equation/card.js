// Card: the box with the arithmetic of the selected cell. The server writes the box, and this module moves it.

import { element } from "./elements.js"
import { icon } from "./icons.js"
import { EQUATIONS, isAnySelected, PLACES, readAt } from "./light.js"
import { drawnAt } from "./places.js"
import { bestPlace, covered } from "./beside.js"
import { overflows } from "./line.js"
import { boxesOf, surroundings } from "./surroundings.js"
import { markMore } from "./slides.js"
import { drawTether } from "./tether.js"

const CARD = ".st-key-arithmetic"
const PAGE_TOOLS = ".st-key-bar" // what a card at the top of a narrow screen leaves free
const PAGE_HEADER = "[data-testid=stHeader]"
const APP = ".stApp" // the element with the colours of the theme
const NARROW = "(max-width: 640px)" // on such a screen the card is at the bottom
const SLIM = "24rem" // the width of a card for a narrow gap
const LEAST_FORMULA = 0.75 // the smallest size of formulas that are too wide for their card
const OWN_ESCAPE =
  "input:not([type=radio], [type=checkbox]), textarea, select, details[open], [role=dialog], [role=listbox]"
const FINER_FORMULA = 0.05
const LETTER_OF_FORMULA = 1.21 // the size of a formula in letters of its text, as KaTeX has it
// the card that is on the page now, its cell, and whether it has its width
const NOW = { card: null, cell: null, text: "", side: "", fitted: false }

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
  attach(card, found)
  card.style.setProperty("--surface", getComputedStyle(document.querySelector(APP)).backgroundColor)
  card.toggleAttribute("data-closed", !isAnySelected())
  if (matchMedia(NARROW).matches) standOnPhone(card, found)
  else standBeside(card, found)
}

function changeCard(card) {
  grown.disconnect()
  Object.assign(NOW, { card, cell: null, text: "", side: "", fitted: false })
  if (card) grown.observe(card)
}

function release(card) {
  if (!card) return
  card.removeAttribute("data-anchored")
  card.querySelectorAll(":scope > :is(.lab-close, .lab-tether)").forEach((part) => part.remove())
}

/** Attach the card to a cell. If the cell or the text is new, announce it to screen readers, and fit the card anew. */
function attach(card, { view, cell, label }) {
  const text = card.textContent
  if (NOW.cell === cell && NOW.text === text && card.hasAttribute("data-anchored")) return
  Object.assign(NOW, { cell, text, fitted: false })
  card.setAttribute("data-anchored", "")
  card.setAttribute("role", "region")
  card.setAttribute("aria-label", `Arithmetic of ${label}`)
  if (!card.querySelector(":scope > .lab-close")) card.append(closeButton())
  view.said.textContent = `${wordsOf(card)} ${label}. Escape closes its arithmetic.`
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

/** Give the card a width, and make its formulas smaller if they do not fit it. */
function fitCard(card, widest) {
  NOW.fitted = true
  card.style.setProperty("--widest", widest)
  const boxes = [...card.querySelectorAll(".katex-display")]
  let size = 1
  const areTooLarge = () => {
    for (const box of boxes) box.firstElementChild.style.fontSize = `${size * LETTER_OF_FORMULA}em`
    return card.scrollHeight > card.clientHeight || boxes.some(overflows)
  }
  while (areTooLarge() && size > LEAST_FORMULA) size = Math.max(LEAST_FORMULA, size - FINER_FORMULA)
  for (const box of boxes) {
    box.onscroll = () => markMore(box)
    markMore(box)
  }
}

/** Return the part of the window that is free for a card. */
function roomOfPage() {
  const { left, width } = document.querySelector("[data-testid=stMain]").getBoundingClientRect()
  const top = bottomOf(PAGE_HEADER) + 8
  return { left: left + 8, right: left + width - 16, width: width - 24, top, bottom: innerHeight - 8 }
}

/** Return where an element of the page ends in the window, or 0 if it is not in it. */
function bottomOf(selector) {
  return Math.max(0, document.querySelector(selector)?.getBoundingClientRect().bottom ?? 0)
}

/** Place the card at the bottom of a narrow screen or, where it would cover more of what it speaks of, at the top. */
function standOnPhone(card, { box, place }) {
  card.removeAttribute("data-away")
  card.style.setProperty("--below", `${bottomOf(PAGE_TOOLS)}px`)
  const cell = box()
  const said = [cell, ...boxesOf(readAt(place))]
  const before = card.hasAttribute("data-high")
  const under = (isHigh, boxes) => {
    card.toggleAttribute("data-high", isHigh)
    return covered(card.getBoundingClientRect(), boxes)
  }
  const isNew = !NOW.fitted
  if (isNew) fitCard(card, "none")
  const isHigh = isNew ? under(true, said) < under(false, said) : under(before, [cell]) > 0 ? !before : before
  card.toggleAttribute("data-high", isHigh)
}

/** Place the card near its cell, where it covers least. */
function standBeside(card, found) {
  const cell = found.box()
  const room = roomOfPage()
  const away = cell.bottom < room.top || cell.top > room.bottom
  card.toggleAttribute("data-away", away)
  if (away) return
  const near = surroundings(found)
  const place = placeOfCard(card, near, room)
  NOW.side = place.side
  card.style.setProperty("--left", `${Math.round(place.left)}px`)
  card.style.setProperty("--top", `${Math.round(place.top)}px`)
  drawTether(card, near)
}

/** Return the best place for the card. A new card takes the width that has the better one. */
function placeOfCard(card, near, room) {
  const best = () => bestPlace(near, card.getBoundingClientRect(), room, NOW.side)
  if (NOW.fitted) return best()
  const [wide, slim] = [`${room.width}px`, SLIM].map((widest) => {
    fitCard(card, widest)
    return best()
  })
  if (slim.cost < wide.cost) return slim
  fitCard(card, `${room.width}px`)
  return wide
}
