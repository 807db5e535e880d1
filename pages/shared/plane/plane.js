// Plane: the component that draws a query and keys as arrows. Dragging a tip edits a matrix.

import { show } from "./numbers.js"
import { element, symbol } from "./elements.js"
import { component } from "./component.js"
import { noEvents, send, takeAnswer } from "./events.js"
import { change } from "./hand.js"
import { followPending, join, learn, rowsOf } from "./store.js"
import { movable, smallestChange } from "./change.js"
import { place, spaceOf } from "./space.js"
import { footPath, gridPath, headPath, namePlace, set, shaftPath, shape, ticksBeside } from "./shapes.js"
import { dragTip, nudgeTip } from "./drag.js"

const HOW = () => [
  "Drag a tip, or move it by arrow keys. A query comes from ",
  ...symbol("W^Q"),
  ", a key from ",
  ...symbol("W^K"),
  ": the page makes the smallest change of that matrix that moves the tip there.",
]

export default component({ mount, update, leave })

function mount(parentElement) {
  const picture = shape("svg", { role: "group" })
  const how = element("p", { className: "how" })
  const told = element("p", { className: "told", role: "status" })
  const view = { picture, how, told, ...noEvents(), plan: "", dragging: false }
  view.undo = element("button", { type: "button", textContent: "Undo" })
  view.undo.onclick = () => send(view, { kind: "undo" })
  view.takes = element("ul", { className: "takes" })
  view.root = parentElement.querySelector(".plane")
  view.root.append(
    element("div", { className: "beside" }, picture, view.takes),
    element("div", { className: "below" }, how, view.undo),
    told,
  )
  view.observer = new ResizeObserver(() => paint(view))
  view.observer.observe(picture)
  view.part = join(view, () => paint(view))
  return view
}

function leave(view) {
  view.observer.disconnect()
  view.part()
}

function update(view, data) {
  takeAnswer(view, data)
  Object.assign(view, { served: new Map(), shows: ["q", "k"] })
  learn(view)
  followPending()
  const plan = JSON.stringify([
    data.arrows.map((arrow) => [arrow.letter, arrow.token, movable(arrow, data.editable)]),
    data.axes,
  ])
  if (plan !== view.plan) draw(view)
  view.plan = plan
  view.root.classList.toggle("presented", data.present)
  say(view)
  sayTakes(view)
  paint(view)
}

/** Write which dimensions the picture shows, and how to move an arrow. */
function say({ how, undo, data: { arrows, editable, asks, of, edited } }) {
  const some = arrows.some((arrow) => movable(arrow, editable))
  const before = edited ? " before your edits" : ""
  const which = `Two of ${of} dimensions: no other two come closer to the scores of “${asks}”${before}. `
  how.replaceChildren(
    of > 2 ? which : "",
    ...(some ? HOW() : ["Dragging changes a matrix, and these are too large to be edited."]),
  )
  undo.hidden = !some
}

/** List the score and the weight of each key beside a presented picture, as the server has computed them. */
function sayTakes({ takes, data: { present, arrows, takes: pairs, digits } }) {
  const line = ([score, weight], i) =>
    element(
      "li",
      {},
      `${arrows[i].token}: q · k = ${show(score, digits)}, `,
      element("span", { className: "weight", textContent: `weight ${show(weight, digits)}` }),
    )
  takes.replaceChildren(...(present ? pairs.map(line) : []))
}

/** Return the arrows as they are now: the numbers may be in the visitor's hand. */
function current(view) {
  const { arrows, dimensions } = view.data
  const rows = { q: rowsOf("q"), k: rowsOf("k") }
  const at = ({ letter, row, at }) => (rows[letter] ? dimensions.map((d) => rows[letter][row][d]) : at)
  return arrows.map((arrow) => ({ ...arrow, at: at(arrow) }))
}

// --- the elements of the picture ---

function draw(view) {
  const { arrows, axes, asks } = view.data
  view.grid = ["grid", "axes", "foot"].map((name) => shape("path", { class: name }))
  view.ticks = shape("g", { class: "ticks" })
  view.arrows = arrows.map((arrow, i) => drawArrow(view, arrow, i))
  // The names of the axes, below and above the picture.
  const names = [shape("text", { class: "axis", "text-anchor": "end" }), shape("text", { class: "axis" })]
  names.forEach((name, d) => (name.textContent = axes[d]))
  view.axes = names
  view.picture.setAttribute("aria-label", `Arrows in a plane: the query of ${asks}, and the keys`)
  view.picture.replaceChildren(...view.grid, view.ticks, ...names, ...view.arrows.map(({ group }) => group))
}

function drawArrow(view, arrow, i) {
  const free = movable(arrow, view.data.editable)
  const parts = {
    shaft: shape("path", { class: "shaft" }),
    head: shape("path", { class: "head" }),
    name: shape("text", { class: "name", "text-anchor": "middle" }),
  }
  const tip =
    free &&
    shape("circle", {
      class: "tip",
      tabindex: 0,
      role: "slider",
      "aria-roledescription": "tip of an arrow",
      "aria-label": `${arrow.letter === "q" ? "Query" : "Key"} of ${arrow.token}`,
    })
  const group = shape("g", { class: arrow.letter }, ...Object.values(parts), ...(free ? [tip] : []))
  if (free) listen(view, tip, i)
  return { ...parts, tip, group }
}

function listen(view, tip, i) {
  const at = () => current(view)[i].at
  const move = (wanted, how) => moveTip(view, i, wanted, how)
  tip.onpointerdown = (event) => {
    if (event.button !== 0) return
    view.dragging = true
    const { left, top } = view.picture.getBoundingClientRect()
    const toPicture = ({ clientX, clientY }) => [clientX - left, clientY - top]
    const end = () => {
      view.dragging = false
      paint(view)
    }
    dragTip(event, tip, { space: view.space, at, toPicture, move, end })
  }
  tip.onkeydown = (event) => {
    const undo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z"
    if (undo) send(view, { kind: event.shiftKey ? "redo" : "undo" })
    if (undo || nudgeTip(event, at(), move)) event.preventDefault()
  }
}

function moveTip(view, i, wanted, { gesture, done, now }) {
  const arrow = current(view)[i]
  const cells = smallestChange(arrow, rowsOf(arrow.from), view.data.dimensions, wanted)
  send(view, { kind: "edit", id: arrow.from, cells, gesture, done }, now)
  change([[arrow.from, cells]], !done)
  if (done) view.told.textContent = inWords(view, current(view)[i])
}

// --- the positions of the elements ---

function paint(view) {
  const size = sizeOf(view.picture)
  if (!view.data || !size.width) return
  const arrows = current(view)
  if (!view.dragging)
    view.space = spaceOf(
      arrows.map(({ at }) => at),
      size,
    )
  const [grid, axes, foot] = view.grid
  grid.setAttribute("d", gridPath(view.space, false))
  axes.setAttribute("d", gridPath(view.space, true))
  foot.setAttribute("d", footPath(view.space, arrows.at(-1).at, arrows[view.data.beside].at))
  const { width, height, em } = view.space
  set(view.axes[0], { x: width - 2, y: height + 1.1 * em })
  set(view.axes[1], { x: 2, y: -0.4 * em })
  const names = arrows.map((arrow, i) => ({ at: namePlace(view.space, arrow.at), tokens: together(arrows, i) }))
  const tips = arrows.map((arrow) => place(view.space, arrow.at))
  view.ticks.replaceChildren(
    ...ticksBeside(names, tips, view.space).map(({ x, y, text, anchor }) =>
      Object.assign(shape("text", { x, y, "text-anchor": anchor }), { textContent: text }),
    ),
  )
  arrows.forEach((arrow, i) => paintArrow(view, arrow, view.arrows[i], names[i].tokens))
}

/** Return the tokens of all arrows with the same tip, if this arrow is the first of them, and "" for the others. */
function together(arrows, i) {
  const same = arrows.filter(
    ({ letter, at }) =>
      letter === arrows[i].letter && at.every((number, d) => Math.abs(number - arrows[i].at[d]) < 1e-9),
  )
  return same[0] === arrows[i] ? same.map(({ token }) => token).join(", ") : ""
}

function paintArrow(view, arrow, { shaft, head, name, tip }, tokens) {
  shaft.setAttribute("d", shaftPath(view.space, arrow.at))
  head.setAttribute("d", headPath(view.space, arrow.at))
  const [x, y] = namePlace(view.space, arrow.at)
  set(name, { x, y })
  const letter = shape("tspan", { class: "letter" })
  letter.textContent = tokens && arrow.letter
  const owner = shape("tspan", { class: "owner", dy: 4 })
  owner.textContent = tokens
  name.replaceChildren(letter, owner)
  if (!tip) return
  const [u, v] = place(view.space, arrow.at)
  set(tip, { cx: u, cy: v, r: view.space.em, "aria-valuenow": arrow.at[0], "aria-valuetext": inWords(view, arrow) })
}

function inWords(view, { at }) {
  return at.map((number, d) => `${view.data.axes[d]}: ${show(number, view.data.digits)}`).join(", ")
}

/** Return the size of the picture and of a letter in pixels. The picture is not scaled, so letters keep their size. */
function sizeOf(picture) {
  const { width, height } = picture.getBoundingClientRect()
  return { width, height, em: parseFloat(getComputedStyle(picture).fontSize) }
}
