// Moving card: while a number moves, the card shows the arithmetic of its cell with the numbers of the store. It is
// drawn beside what the server has drawn, which is hidden until it has the same numbers. What cannot be right is marked
// as old.

import { element } from "./elements.js"
import { EQUATIONS, PLACES } from "./light.js"
import { pendingEdits, rowsOf, SETTINGS } from "./store.js"
import { canTypeset, displayed, inLine } from "./typeset.js"
import { presentNumbers, sentNumber, unmarked, writeArithmetic } from "./written.js"

const MOVED = "lab-moved"
// `before` is the formula that the server had drawn when the first number moved, `own` the card whose formula is known
// to be the one that the server has sent, and `drawn` has what is drawn here: its shape, and the texts with figures.
const MOVING = { card: null, before: "", own: "", isOld: false, drawn: new Map() }

/** Return the card of the selected cell. It is the last one: cards before it explain the number of a slider. */
export function cardOnPage() {
  return [...document.querySelectorAll(".st-key-arithmetic")].at(-1) ?? null
}

/** Return whether the card shows other numbers than those that the server has written. */
export function isMoving() {
  return Boolean(MOVING.card)
}

/** Show in the card what follows from a change. `changed` and `old` have ids of matrices, as `onChange` gives them. */
export function followCard(changed, old) {
  const [card, sent] = [cardOnPage(), sentArithmetic()]
  const ids = sent ? idsRead(sent) : [PLACES.answered?.id]
  const isOld = ids.some((id) => old.has(id) || !rowsOf(id)) // what the store does not know may have changed as well
  if (!card || !(isMoving() || isOld || ids.some((id) => changed.has(id)) || usesSetting(sent))) return
  if (!isMoving()) Object.assign(MOVING, { card, before: drawnFormula(card) })
  MOVING.isOld = isOld
  drawMoving(card, sent)
}

/** Draw the card again after an answer of the server. If the server has drawn the same, remove what is ours. */
export function settleCard() {
  if (!isMoving()) return
  const [card, sent, isAnswered] = [cardOnPage(), sentArithmetic(), !pendingEdits().length]
  if (card !== MOVING.card) return endMoving()
  if (isAnswered && (drawnFormula(card) !== MOVING.before || !sent || !isOwn(card, sent))) return endMoving()
  if (isAnswered) MOVING.isOld = false
  drawMoving(card, sent)
}

function drawMoving(card, sent) {
  const found = sent && isOwn(card, sent) && writeArithmetic(sent, presentNumbers(rowsOf, SETTINGS))
  if (found && !MOVING.isOld && unmarked(found.formula, found.figures) === drawnFormula(card)) return endMoving()
  const isRight = found && found.isRight && !MOVING.isOld && hasSameFactors(sent) && canTypeset()
  card.toggleAttribute("data-old", !isRight)
  card.toggleAttribute("data-old-words", Boolean(isRight && saysBase(sent)))
  if (!isRight) return removeDrawn()
  const [formula, named] = [`.katex-display:not(.${MOVED} *)`, `.katex-display ~ p:not(.${MOVED})`]
  putBeside("formula", card.querySelector(formula), found.formula, found.figures, displayed)
  if (found.named) putBeside("named", card.querySelector(named), found.named, found.figures, inLine)
}

function endMoving() {
  removeDrawn()
  for (const name of ["data-old", "data-old-words"]) MOVING.card.removeAttribute(name)
  Object.assign(MOVING, { card: null, isOld: false })
}

function removeDrawn() {
  for (const { box } of MOVING.drawn.values()) box.remove()
  MOVING.drawn.clear()
}

/**
 * Draw a text after `original`, which the style then hides. If its shape is as before, only its figures are written
 * anew.
 */
function putBeside(name, original, text, figures, typeset) {
  const drawn = MOVING.drawn.get(name) ?? { box: element(name === "named" ? "p" : "span", { className: MOVED }) }
  MOVING.drawn.set(name, drawn)
  if (drawn.box.previousElementSibling !== original) original.after(drawn.box)
  if (drawn.text !== text) {
    drawn.box.innerHTML = typeset(text)
    Object.assign(drawn, { text, marked: markedTexts(drawn.box) })
  }
  for (const { node, shape } of drawn.marked) {
    const shown = unmarked(shape, figures)
    if (node.nodeValue !== shown) node.nodeValue = shown
  }
}

/** Return the texts in an element that have marks for figures. */
function markedTexts(box) {
  const texts = document.createTreeWalker(box, globalThis.NodeFilter.SHOW_TEXT)
  const found = []
  while (texts.nextNode()) {
    const shape = texts.currentNode.nodeValue
    if (unmarked(shape, []) !== shape) found.push({ node: texts.currentNode, shape })
  }
  return found
}

function drawnFormula(card) {
  return card.querySelector(`.katex-display:not(.${MOVED} *) annotation`)?.textContent ?? ""
}

/** Return what the server has sent about the arithmetic of the selected cell, or undefined. */
function sentArithmetic() {
  const own = JSON.stringify(PLACES.answered && [PLACES.answered.id, PLACES.answered.row, PLACES.answered.column])
  return [...EQUATIONS].map((view) => view.data?.arithmetic).find((sent) => sent && JSON.stringify(sent.place) === own)
}

/** Return whether a card shows the arithmetic that was sent. A card may also explain another cell. */
function isOwn(card, sent) {
  const place = sent.place.join()
  if (MOVING.own === place) return true
  const { formula, figures } = writeArithmetic(sent, sentNumber)
  const isSame = unmarked(formula, figures) === drawnFormula(card)
  if (isSame) MOVING.own = place
  return isSame
}

function idsRead({ terms }) {
  return [...new Set(terms.filter(([kind]) => kind === "@").map(([, id]) => id))]
}

function namedNumbers(sent) {
  return (sent?.terms ?? []).filter(([kind, , name]) => kind === ":" && SETTINGS.has(name))
}

function usesSetting(sent) {
  return namedNumbers(sent).length > 0 || Object.keys(sent?.neutral ?? {}).some((name) => SETTINGS.has(name))
}

/** Return whether the calculation still has the same numbers: a temperature of 1 or a constant of 0 is left out. */
function hasSameFactors({ neutral }) {
  const stays = ([name, [value, was]]) => !SETTINGS.has(name) || (SETTINGS.get(name) === value) === was
  return Object.entries(neutral).every(stays)
}

/** Return whether the sentence of the card says a base that has moved. */
function saysBase(sent) {
  return namedNumbers(sent).some(([, value, name]) => name === "base" && SETTINGS.get(name) !== value)
}
