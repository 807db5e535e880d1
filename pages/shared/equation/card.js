// Card: the box with the arithmetic of the selected cell. The server writes the box, and this module moves it.

import { element } from "./elements.js"
import { icon } from "./icons.js"
import { EQUATIONS, isAnySelected, PLACES, readAt } from "./light.js"
import { drawnAt } from "./places.js"
import { bestPlace, covered } from "./beside.js"
import { labelAbove } from "./heads.js"
import { overflows } from "./line.js"
import { markMore } from "./slides.js"
import { drawTether } from "./tether.js"

const CARD = ".st-key-arithmetic"
const PAGE_TOOLS = ".st-key-bar" // what a card at the top of a narrow screen leaves free
const APP = ".stApp" // the element with the colours of the theme
const NARROW = "(max-width: 640px)" // on such a screen the card is at the bottom
const LEAST_FORMULA = 0.55 // the smallest size of a formula that is too wide for its card
const OWN_ESCAPE =
  "input:not([type=radio], [type=checkbox]), textarea, select, details[open], [role=dialog], [role=listbox]"
const FINER_FORMULA = 0.05
const LETTER_OF_FORMULA = 1.21 // the size of a formula in letters of its text, as KaTeX has it
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
  if (fresh) fitFormulas(card)
  if (matchMedia(NARROW).matches) standOnPhone(card, found, fresh)
  else standBeside(card, found)
}

function changeCard(card) {
  grown.disconnect()
  Object.assign(NOW, { card, cell: null, text: "", side: "" })
  if (card) grown.observe(card)
}

function release(card) {
  if (!card) return
  card.removeAttribute("data-anchored")
  card.querySelectorAll(":scope > :is(.lab-close, .lab-tether)").forEach((part) => part.remove())
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

/** Make formulas smaller that are too wide for the card. */
function fitFormulas(card) {
  card.style.setProperty("--widest", `${roomOfPage().width}px`)
  for (const box of card.querySelectorAll(".katex-display")) {
    const formula = box.querySelector(".katex")
    let size = 1
    const isTooLarge = () => {
      formula.style.fontSize = `${size * LETTER_OF_FORMULA}em`
      return overflows(box)
    }
    while (isTooLarge() && size > LEAST_FORMULA) size = Math.max(LEAST_FORMULA, size - FINER_FORMULA)
    box.onscroll = () => markMore(box)
    markMore(box)
  }
}

/** Return the part of the window that is free for a card. */
function roomOfPage() {
  const { left, width } = document.querySelector("[data-testid=stMain]").getBoundingClientRect()
  return { left: left + 8, right: left + width - 16, width: width - 24, top: 8, bottom: innerHeight - 8 }
}

/** Place the card at the bottom of a narrow screen or, where it would cover more of what it speaks of, at the top. */
function standOnPhone(card, { box, place }, fresh) {
  card.removeAttribute("data-away")
  card.style.setProperty("--below", `${bottomOfTools()}px`)
  const cell = box()
  const said = [cell, ...boxesOf(readAt(place))]
  const before = card.hasAttribute("data-high")
  const under = (isHigh, boxes) => {
    card.toggleAttribute("data-high", isHigh)
    return covered(card.getBoundingClientRect(), boxes)
  }
  const isHigh = fresh ? under(true, said) < under(false, said) : under(before, [cell]) > 0 ? !before : before
  card.toggleAttribute("data-high", isHigh)
  drawTether(card, cell)
}

/** Return where the tools of the page end in the window, or 0 if they are not in it. */
function bottomOfTools() {
  return Math.max(0, document.querySelector(PAGE_TOOLS)?.getBoundingClientRect().bottom ?? 0)
}

/** Place the card near its cell, where it covers none of the numbers in its arithmetic. */
function standBeside(card, { box, cell: drawn, figure, place }) {
  const cell = box()
  const away = cell.bottom < 0 || cell.top > innerHeight
  card.toggleAttribute("data-away", away)
  if (away) return
  const room = roomOfPage()
  card.style.setProperty("--widest", `${room.width}px`)
  const { width, height } = card.getBoundingClientRect()
  const figures = [...EQUATIONS].flatMap((view) => [...view.root.querySelectorAll("figure table, figure canvas")])
  const around = boxesOf([figure, figure.closest(".items")])
  const read = readAt(place)
  const named = new Set([figure, ...read.map((each) => each.closest("figure"))])
  const names = boxesOf([...[...named].flatMap(symbolsOf), ...labelAbove(drawn)])
  const near = { cell, around, read: boxesOf(read), names, others: boxesOf(figures) }
  const best = bestPlace(near, { width, height }, room, NOW.side)
  NOW.side = best.side
  card.style.setProperty("--left", `${Math.round(best.left)}px`)
  card.style.setProperty("--top", `${Math.round(best.top)}px`)
  drawTether(card, cell)
}

function symbolsOf(figure) {
  return [...figure.querySelectorAll(".symbol")]
}

function boxesOf(elements) {
  return elements.map((each) => each.getBoundingClientRect())
}
