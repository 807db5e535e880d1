// Equation: the component that draws lines of matrices and signs, follows the server, and sends what a visitor does.

import { element, symbol } from "./elements.js"
import { component } from "./component.js"
import { noEvents, takeAnswer } from "./events.js"
import { differ } from "./cell.js"
import { numberOf } from "./formulas.js"
import { overlayBlank } from "./blank.js"
import { matrixFigure } from "./matrix.js"
import { endEditing, onKey, onPaste, onPointerDown, openInput } from "./edit.js"
import { figures, fillFigure, find, overlay, placeOf } from "./figures.js"
import { answered, enterPage, leavePage, lightOut, relight, relightAll } from "./light.js"
import { followPending, forget, learn, pendingEdits } from "./store.js"
import { isInHand, takeRows } from "./hand.js"
import { nameColumn } from "./heads.js"
import { actionsOf } from "./actions.js"
import { showHistory, toolbar } from "./tools.js"
import { placeCard, watchCards } from "./card.js"
import { cover, coverAgain, coverAll, markSaid, reveal, uncoverPage } from "./cover.js"
import { fitSoon } from "./fit.js"
import { hintSoon } from "./hint.js"
import { hasMoved } from "./pointer.js"
import { withHues } from "./hues.js"
import { ANEW, ASKED, COVER, REVEAL, SCENE } from "./stage.js"

export const receive = component({ mount, update, leave: (view) => view.unlisten() })

function mount(parentElement) {
  const root = parentElement.querySelector(".equation")
  const view = { root, ...noEvents(), values: new Map(), edited: new Map(), items: [], matrices: new Map() }
  const actions = actionsOf(view)
  const answering = (act) => (event) => !event.defaultPrevented && act(view) && event.preventDefault()
  const [onReveal, onCover, onAnew] = [answering(reveal), answering(coverAgain), () => coverAll(view)]
  view.said = element("p", { className: "said", role: "status" })
  root.append(view.said)
  enterPage(view)
  watchCards()
  document.addEventListener(REVEAL, onReveal)
  document.addEventListener(COVER, onCover)
  document.addEventListener(ANEW, onAnew)
  document.addEventListener(SCENE, lightOut)
  const asking = new MutationObserver(() => view.data?.said.length && markSaid(view))
  asking.observe(document.documentElement, { attributeFilter: [ASKED] })
  view.actions = actions
  view.unlisten = () => {
    leavePage(view)
    forget()
    asking.disconnect()
    document.removeEventListener(REVEAL, onReveal)
    document.removeEventListener(COVER, onCover)
    document.removeEventListener(ANEW, onAnew)
    document.removeEventListener(SCENE, lightOut)
    uncoverPage(view)
  }
  listen(root, actions)
  view.tools = toolbar(actions)
  return view
}

/** Add one listener for each kind of event to the whole equation. The listener finds the cell of the event. */
function listen(root, actions) {
  const on = (type, react) =>
    root.addEventListener(type, (event) => {
      const cell = event.target.closest?.("td.cell")
      if (cell) react(event, cell)
    })
  on("pointermove", (_, cell) => hasMoved() && !cell.classList.contains("self") && actions.hover(...placeOf(cell)))
  on("pointerover", (_, cell) => nameColumn(cell, true))
  on("pointerout", (_, cell) => {
    nameColumn(cell, cell.matches(":focus"))
    lightOut()
  })
  on("focusin", (_, cell) => {
    cell
      .closest("table")
      .querySelectorAll("td.cell")
      .forEach((other) => (other.tabIndex = other === cell ? 0 : -1))
    nameColumn(cell, true)
    actions.hover(...placeOf(cell))
  })
  on("focusout", (_, cell) => {
    nameColumn(cell, false)
    lightOut()
  })
  on("keydown", (event, cell) => onKey(event, cell, actions))
  on("pointerdown", (event, cell) => onPointerDown(event, cell, actions))
  on("paste", (event, cell) => onPaste(event, cell, actions))
  on("dblclick", (event, cell) => actions.editable(cell) && !cell.querySelector("input") && openInput(cell, actions))
  on("click", (event, cell) => {
    if (event.target.tagName === "INPUT" || cell.dataset.dragged) return void (cell.dataset.dragged = "")
    if (actions.fillable(cell)) return openInput(cell, actions)
    const touchAgain = event.pointerType === "touch" && cell.classList.contains("selected") && actions.editable(cell)
    if (touchAgain) openInput(cell, actions)
    else actions.select(cell.closest("figure"), ...placeOf(cell))
  })
}

// --- from the server ---

function update(view, data) {
  const before = view.data?.epoch === data.epoch ? new Map([...view.values, ...view.edited]) : new Map()
  const shown = view.values
  takeAnswer(view, data)
  view.items = data.lines.flatMap((line) => line.items.filter((item) => item.values))
  view.served = new Map(view.items.map((item) => [item.id, revived(item)]))
  const plan = planOf(data.lines)
  const redrawn = plan !== view.plan
  if (redrawn || !data.edited || data.epoch !== view.epoch) view.scale = scaleOf([...view.served.values()])
  view.epoch = data.epoch
  view.matrices = new Map([...view.served].map(([id, matrix]) => [id, { ...matrix, limit: limitOf(matrix, view) }]))
  learn(view)
  for (const [id, cells] of pendingEdits()) overlay(view, { id, cells })
  takeRows(view, followPending().changed)
  view.pending.filter((event) => event.kind === "fill").forEach((event) => overlayBlank(view, event))
  showTools(view, data.history)
  if (redrawn) draw(view, data.lines)
  view.plan = plan
  const moved = !before.size || [...view.matrices].some(([id, { values }]) => differ(shown.get(id), values))
  const held = isInHand()
  for (const figure of figures(view)) {
    if (figure.classList.contains("editable") && !view.matrices.get(figure.dataset.id).editable)
      endEditing(figure, view.actions)
    figure.classList.remove("old")
    fillFigure(view, figure, moved ? before.get(figure.dataset.id) : null, held)
  }
  if (!view.pending.some((event) => event.kind === "edit")) view.edited.clear()
  view.values = new Map([...view.matrices].map(([id, matrix]) => [id, matrix.values]))
  fitSoon(view, redrawn)
  cover(view)
  answered(data.selected)
  if (redrawn)
    relightAll() // other equations may now light up cells of this equation
  else relight(view)
  placeCard()
  hintSoon(view)
}

/**
 * Return the greatest magnitude among the signed numbers of an equation, which gets the full tint. An edit does not
 * change it, because cells that have not changed keep their tint.
 */
function scaleOf(matrices) {
  const signed = matrices.filter(({ tint }) => tint === "signed")
  const shown = signed.flatMap(({ values, onlyRow }) => values[onlyRow] ?? values)
  return Math.max(0, ...shown.flat().filter(Number.isFinite).map(Math.abs)) || 1
}

/** Return the number that gets the full tint in a matrix. Weights and other shares have a scale from 0 to 1. */
function limitOf({ tint }, { scale }) {
  return tint === "signed" ? scale : 1
}

/**
 * Return a text that changes if the lines must be drawn again. It leaves out the numbers and what `showUse` sets,
 * because these are written into lines that are drawn already.
 */
function planOf(lines) {
  const plain = (key, value) =>
    ["values", "sums", "marks", "decimals", "editable"].includes(key)
      ? undefined
      : ["blank", "right"].includes(key)
        ? Boolean(value)
        : value
  return JSON.stringify(lines, plain)
}

/** Return a matrix with numbers in place of the texts for infinities and NaN, which JSON does not have. */
function revived(item) {
  const rows = (values) => values?.map((row) => row.map(numberOf))
  const sums = Object.fromEntries(Object.entries(item.sums ?? {}).map(([side, values]) => [side, values.map(numberOf)]))
  return { ...item, values: rows(item.values), right: rows(item.right), sums }
}

/** Show or remove the tools, because one element can hold an equation with tools, and later one without tools. */
function showTools(view, history) {
  if (!history) return view.tools.remove()
  if (!view.tools.isConnected) view.root.prepend(view.tools)
  showHistory(view.tools, history)
}

function draw(view, lines) {
  const focused = focusedPlace(view)
  view.root.classList.toggle("abreast", view.data.abreast)
  view.root.classList.toggle("aligned", view.data.aligned)
  view.root.querySelectorAll(":scope > :is(.line, .pair)").forEach((drawn) => drawn.remove())
  view.root.append(...(view.data.aligned ? drawPairs(view, lines) : lines.map((line) => drawLine(view, line))))
  view.root.querySelectorAll("table").forEach((table) => (table.querySelector("td.cell").tabIndex = 0))
  if (focused)
    figures(view)
      .map((figure) => figure.dataset.id === focused[0] && find(figure, ...focused.slice(1)))
      .find(Boolean)
      ?.focus()
}

/** Draw every two lines as one box. Each item of the second line is below the same item of the first. */
function drawPairs(view, lines) {
  const firsts = lines.filter((_, i) => i % 2 === 0)
  return firsts.map((first, i) => {
    const pair = element(
      "div",
      { className: "pair" },
      ...lines.slice(2 * i, 2 * i + 2).map((line) => drawLine(view, line)),
    )
    pair.style.setProperty("--places", first.items.length)
    return pair
  })
}

function drawLine(view, line) {
  const label = line.label ? element("p", { className: "label" }, ...symbol(line.label)) : ""
  const box = (className, children) => element("div", { className }, ...children)
  const drawTerm = (items) =>
    box(
      "term",
      items.map((item) => drawItem(view, item)),
    )
  const drawSide = (side) =>
    box(
      "side",
      partsOf(side, isProduct).map((part) => box("part", part.map(drawTerm))),
    )
  const terms = partsOf(line.items, isSign)
  return element("div", { className: "line" }, label, box("items", partsOf(terms, isSide).map(drawSide)))
}

/** Return items in groups. `stays(group, item)` says whether an item belongs to the group before it. */
function partsOf(items, stays) {
  return items.reduce(
    (parts, item) =>
      parts.length && stays(parts.at(-1), item) ? [...parts.slice(0, -1), [...parts.at(-1), item]] : [...parts, [item]],
    [],
  )
}

/** Return whether an item belongs to the term before it. Signs stay with the matrix before them when a line breaks. */
function isSign(term, item) {
  return !item.values || term.every((before) => !before.values)
}

/** Return whether a term belongs to a product. Lines never break inside a product, but they may break in sums. */
function isProduct(part) {
  return part.at(-1).at(-1).text === "·"
}

/** Return whether a term stays on one side of "=" or of an arrow with the terms before it. Lists break after commas. */
function isSide(side) {
  return side.at(-1).every((item) => !item.arrow && !/[=,]/.test(item.text))
}

function drawItem(view, item) {
  if (item.values) return matrixFigure({ ...item, values: view.matrices.get(item.id).values }, view.actions)
  const [isNumbered, isListed] = [/\d/, /,/].map((some) => some.test(item.text))
  const classes = ["sign", item.arrow && "arrow", isNumbered && "numbered", isListed && "listed"].filter(Boolean)
  return element("div", { className: classes.join(" ") }, element("span", {}, ...withHues(symbol(item.text))))
}

function focusedPlace(view) {
  const cell = view.root.querySelector("td.cell:focus")
  return cell && placeOf(cell)
}
