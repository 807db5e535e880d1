// Bars: the component that draws rows of scores as bars, each with its shares below. The bars follow every number.

import { decimalsFor, show } from "./numbers.js"
import { numberOf } from "./formulas.js"
import { element } from "./elements.js"
import { component } from "./component.js"
import { followPending, join, learn, rowsOf } from "./store.js"
import { dragTop, moveTop } from "./drag_bar.js"

const HEADROOM = 1.25 // how much higher than the highest score a bar can be dragged

export default component({ mount, update, leave: (view) => view.part() })

function mount(parentElement) {
  const view = { root: parentElement.querySelector(".bars"), pending: [], plan: "", bars: [], isHeld: false }
  view.part = join(view, () => follow(view))
  return view
}

/** Show the numbers that the browser has computed, while a number is in the hand. */
function follow(view) {
  view.root.classList.add("following")
  takeComputed(view)
  paint(view)
}

function takeComputed(view) {
  for (const matrix of [view.scores, view.shares]) matrix.values = rowsOf(matrix.id) ?? matrix.values
}

function update(view, data) {
  view.data = data
  const [scores, shares] = [data.scores, data.shares].map(revived)
  view.shows = [scores.id, shares.id]
  view.served = new Map([scores, shares].map((matrix) => [matrix.id, matrix]))
  Object.assign(view, { scores: { ...scores }, shares: { ...shares } })
  learn(view)
  if (followPending().changed.size) takeComputed(view)
  const plan = JSON.stringify([data.titles, data.labels, data.along, data.isEditable])
  if (plan !== view.plan) draw(view)
  view.plan = plan
  if (!view.isHeld) rescale(view)
}

function revived({ id, values, shape }) {
  return { id, shape, values: values.map((row) => row.map(numberOf)) }
}

/** Let the scale of the scores fit them, with room for dragging. */
function rescale(view) {
  const room = view.data.isEditable ? HEADROOM : 1
  const numbers = view.scores.values.flat().filter(Number.isFinite)
  const high = Math.max(0, ...numbers) * room
  view.ends = [Math.min(0, ...numbers) * room, high || 1]
  view.root.classList.remove("following")
  paint(view)
}

// --- the bars ---

function draw(view) {
  const { titles, labels } = view.data
  view.bars = titles.flatMap(({ at }) => labels.map((label, n) => newBar(view, at, n, label)))
  const group = ({ text }, line) => {
    const own = view.bars.slice(line * labels.length, (line + 1) * labels.length)
    const row = element("div", { className: "row" }, names(), ...own.map(({ column }) => column))
    return element("div", { className: "group", role: "group", "aria-label": text }, title(text), row)
  }
  view.root.replaceChildren(...titles.map(group))
}

function title(text) {
  return element("p", { className: "title", textContent: text, "aria-hidden": "true" })
}

function names() {
  const name = (className, textContent) => element("span", { className, textContent })
  return element("div", { className: "names", "aria-hidden": "true" }, name("of_scores", "score"), name("", "weight"))
}

/** Return a bar for a score and one for its share, in one column. */
function newBar(view, at, n, label) {
  const [row, place] = view.data.along === "rows" ? [at, n] : [n, at]
  const bar = { row, place, label }
  const part = (className, ...children) => element("div", { className }, ...children)
  bar.body = part("body")
  bar.written = element("span", { className: "number", "aria-hidden": "true" })
  bar.top = part(view.data.isEditable ? "top grip" : "top")
  bar.area = part("area of_scores", part("zero"), bar.body, bar.written, bar.top)
  bar.share = part("body share")
  bar.sharesText = element("span", { className: "number", "aria-hidden": "true" })
  const name = element("span", { className: "label", title: label, textContent: label, "aria-hidden": "true" })
  bar.column = part("column", bar.area, name, part("area", bar.share, bar.sharesText))
  if (view.data.isEditable) makeSlider(view, bar)
  return bar
}

function makeSlider(view, bar) {
  const attributes = { role: "slider", "aria-orientation": "vertical", "aria-label": `Score of ${bar.label}` }
  for (const [name, value] of Object.entries(attributes)) bar.top.setAttribute(name, value)
  bar.top.tabIndex = 0
  const now = () => ({ place: [view.scores.id, bar.row, bar.place], value: scoreOf(view, bar), ends: view.ends })
  bar.top.onkeydown = (event) => moveTop(event, now())
  bar.top.onpointerdown = (event) => {
    const end = () => {
      view.isHeld = false
      rescale(view)
    }
    const unit = (view.ends[1] - view.ends[0]) / bar.area.clientHeight
    view.isHeld = dragTop(event, bar.top, { ...now(), unit, end })
  }
}

function scoreOf(view, bar) {
  return view.scores.values[bar.row][bar.place]
}

/** Give each bar the height of its number. */
function paint(view) {
  const decimals = decimalsFor(view.scores.values, view.data.digits)
  for (const bar of view.bars) {
    const [score, share] = [scoreOf(view, bar), view.shares.values[bar.row][bar.place]]
    const said = [show(score, decimals), show(share, view.data.digits)]
    paintScore(view.ends, bar, score, said[0])
    paintShare(bar, share, said[1])
    if (!view.data.isEditable) continue
    const [low, high] = view.ends
    const values = { now: score, min: Math.min(low, score), max: Math.max(high, score), text: said.join(", weight ") }
    for (const [name, value] of Object.entries(values)) bar.top.setAttribute(`aria-value${name}`, value)
  }
}

function paintScore([low, high], bar, score, text) {
  const part = (value) => (high - Math.min(high, Math.max(low, value))) / (high - low) // from the upper edge
  bar.area.style.setProperty("--zero", part(0))
  bar.area.style.setProperty("--at", Number.isNaN(score) ? part(0) : part(score))
  bar.area.classList.toggle("negative", score < 0)
  setText(bar.written, text)
}

function paintShare(bar, share, text) {
  bar.column.style.setProperty("--part", Number.isNaN(share) ? 0 : share)
  setText(bar.sharesText, text)
}

function setText(place, text) {
  if (place.textContent !== text) place.textContent = text
}
