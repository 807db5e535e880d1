// Wall: small maps of all heads on one canvas. Arrow keys move over it, Enter or a press chooses a head, and a line
// below says which head it is.

import { element } from "./elements.js"
import { component } from "./component.js"
import { ARROWS, clamp } from "./arrows.js"

const LARGE = 640 // pixels; if there is less width, the layers are below each other
const GAP = 3 // pixels between maps
const LETTER = 0.8 // the size of the numbers, in letters of the page

export default component({ mount, update, leave })

function mount(parentElement) {
  const root = parentElement.querySelector(".wall")
  const canvas = element("canvas", { tabIndex: 0, role: "img" })
  const view = { root, canvas, image: new Image(), readout: element("output", { "aria-live": "polite" }), at: null }
  root.replaceChildren(element("div", { className: "frame" }, canvas), view.readout)
  view.image.onload = () => paint(view)
  view.observer = new ResizeObserver(() => view.data && (read(view), paint(view)))
  view.observer.observe(root)
  view.theme = new MutationObserver(() => paint(view)) // another theme needs other colours
  view.theme.observe(document.head, { childList: true, subtree: true })
  canvas.onpointermove = (event) => point(view, under(view, event))
  canvas.onpointerleave = canvas.onblur = () => point(view, null)
  canvas.onfocus = () => canvas.matches(":focus-visible") && point(view, view.data.chosen)
  canvas.onclick = (event) => choose(view, under(view, event))
  canvas.onkeydown = (event) => walk(view, event)
  return view
}

function leave(view) {
  view.observer.disconnect()
  view.theme.disconnect()
}

function choose(view, place) {
  view.setTriggerValue("chosen", place)
}

function update(view, data) {
  const address = `data:image/png;base64,${data.picture}`
  view.data = data
  view.canvas.setAttribute("aria-label", data.label)
  if (view.image.src !== address) view.image.src = address
  read(view)
  paint(view)
}

// --- arrangement ---

/** Return how the maps are arranged. If `wide`, each layer is a column. `pitch` is the distance between two maps. */
function plan({ root, data }) {
  const width = root.clientWidth
  const wide = width >= LARGE
  const [columns, rows] = wide ? [data.layers, data.heads] : [data.heads, data.layers]
  const letter = LETTER * parseFloat(getComputedStyle(document.documentElement).fontSize)
  const [left, top] = [Math.ceil(1.7 * letter), Math.ceil(1.4 * letter)] // room for the numbers of rows and columns
  return { wide, columns, rows, letter, left, top, pitch: Math.max(6, Math.floor((width - left) / columns)) }
}

function under(view, event) {
  const { wide, columns, rows, pitch, left, top } = plan(view)
  const column = clamp(Math.floor((event.offsetX - left) / pitch), columns)
  const row = clamp(Math.floor((event.offsetY - top) / pitch), rows)
  return wide ? [column, row] : [row, column]
}

function walk(view, event) {
  const step = ARROWS[event.key]
  const [layer, head] = view.at ?? view.data.chosen
  const [down, right] = step ? (plan(view).wide ? step : [step[1], step[0]]) : [0, 0]
  if (step) point(view, [clamp(layer + right, view.data.layers), clamp(head + down, view.data.heads)])
  else if (event.key === "Enter") choose(view, [layer, head])
  else return
  event.preventDefault()
}

function point(view, at) {
  if (String(at) === String(view.at)) return
  view.at = at
  read(view)
  paint(view)
}

/** Write which head is pointed at. If there is none, write how the maps are arranged. */
function read(view) {
  const { data, at } = view
  view.readout.textContent = at ? data.said[at[0]][at[1]] : plan(view).wide ? data.wide : data.narrow
}

// --- the picture ---

function paint(view) {
  const { canvas, root, data, image } = view
  if (!data || !root.clientWidth || !image.complete || !image.naturalWidth) return
  const shape = plan(view)
  const [width, height] = [shape.left + shape.columns * shape.pitch, shape.top + shape.rows * shape.pitch]
  const scale = devicePixelRatio || 1
  Object.assign(canvas, { width: width * scale, height: height * scale })
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` })
  showChosen(view, shape)
  const context = canvas.getContext("2d")
  context.scale(scale, scale)
  const colours = getComputedStyle(root)
  maps(context, view, shape)
  context.globalCompositeOperation = "source-in"
  context.fillStyle = colours.getPropertyValue("--weight").trim()
  context.fillRect(0, 0, width, height)
  context.globalCompositeOperation = "destination-over"
  frames(context, view, shape, colours.color)
  context.globalCompositeOperation = "source-over"
  marks(context, view, shape, colours)
}

/** Scroll to the map of the chosen head, once after each choice. This matters if not all maps fit. */
function showChosen(view, shape) {
  const key = String([view.data.chosen, shape.wide])
  if (view.shown === key) return
  view.shown = key
  const frame = view.canvas.parentElement
  frame.scrollTop = corner(shape, ...view.data.chosen)[1] - frame.clientHeight / 2
}

function corner({ wide, pitch, left, top }, layer, head) {
  const [column, row] = wide ? [layer, head] : [head, layer]
  return [left + column * pitch, top + row * pitch]
}

function each({ layers, heads }, draw) {
  for (let layer = 0; layer < layers; layer++) for (let head = 0; head < heads; head++) draw(layer, head)
}

function maps(context, { image, data }, shape) {
  const size = shape.pitch - GAP
  context.imageSmoothingEnabled = size < data.side
  each(data, (layer, head) => {
    const from = [layer * data.side, head * data.side, data.side, data.side]
    context.drawImage(image, ...from, ...corner(shape, layer, head), size, size)
  })
}

/** Draw a pale background for each map, so that a head in which no token attends to another is visible too. */
function frames(context, { data }, shape, ink) {
  context.globalAlpha = 0.07
  context.fillStyle = ink
  each(data, (layer, head) => context.fillRect(...corner(shape, layer, head), shape.pitch - GAP, shape.pitch - GAP))
  context.globalAlpha = 1
}

function marks(context, view, shape, colours) {
  const { data, at } = view
  context.fillStyle = context.strokeStyle = colours.color
  context.font = `${shape.letter}px ${colours.fontFamily}`
  numbers(context, data, shape)
  const outline = ([layer, head], thick) => {
    const [x, y] = corner(shape, layer, head)
    context.lineWidth = thick
    context.strokeRect(x - 1, y - 1, shape.pitch - GAP + 2, shape.pitch - GAP + 2)
  }
  outline(data.chosen, 3)
  if (at) outline(at, 1.5)
}

/** Write the numbers of layers and heads, counted from 0. If there is little room, write every second number. */
function numbers(context, data, { wide, pitch, letter, left, top }) {
  const [across, down] = wide ? [data.layers, data.heads] : [data.heads, data.layers]
  const middle = (pitch - GAP) / 2
  const step = pitch < 1.5 * letter ? 2 : 1
  context.textBaseline = "middle"
  context.textAlign = "center"
  for (let i = 0; i < across; i += step) context.fillText(i, left + i * pitch + middle, top / 2)
  context.textAlign = "right"
  for (let i = 0; i < down; i += step) context.fillText(i, left - letter / 3, top + i * pitch + middle)
}
