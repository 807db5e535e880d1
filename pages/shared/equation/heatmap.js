// Heatmap: a picture in place of cells, for a large matrix. Arrow keys move over it, and a line below shows the number.

import { LONGEST_EDITABLE_SIDE } from "./constants.js"
import { element } from "./elements.js"
import { ARROWS, clamp } from "./arrows.js"
import { layout } from "./layout.js"
import { strength } from "./cell.js"
import { hasMoved } from "./pointer.js"

const LONGEST_SIDE = 280 // pixels: three heatmaps fit beside each other
const MOST_LABELS = 32 // on one side; more labels would make the picture too large
const LETTER = 13 / 16 // the size of labels beside a heatmap, in letters of the page

export function isHeatmap(matrix) {
  return matrix.values.length > LONGEST_EDITABLE_SIDE || matrix.values[0].length > LONGEST_EDITABLE_SIDE
}

export function heatmap(matrix, actions) {
  const shape = layout(matrix)
  const name = `${matrix.name}, ${shape.rows} by ${shape.columns}, as a heatmap; arrow keys read its numbers`
  const canvas = element("canvas", { tabIndex: 0, role: "img", "aria-label": name })
  const readout = element("output", { className: "readout", "aria-live": "polite" })
  const letter = Math.round(LETTER * parseFloat(getComputedStyle(document.documentElement).fontSize))
  const [rowLabels, columnLabels] = [labels(shape.rowLabels), labels(shape.columnLabels)]
  const size = { width: side(shape.columns, columnLabels, letter), height: side(shape.rows, rowLabels, letter) }
  canvas.width = shape.columns * size.width
  canvas.height = shape.rows * size.height
  const view = { canvas, readout, shape, size, at: [0, 0], heads: [rowLabels, columnLabels] }
  canvas.onpointermove = (event) =>
    hasMoved() &&
    point(view, actions, matrix.id, [Math.floor(event.offsetY / size.height), Math.floor(event.offsetX / size.width)])
  canvas.onpointerleave = () => leave(view, actions)
  canvas.onclick = () => actions.select(canvas.closest("figure"), matrix.id, ...shape.at(...view.at))
  canvas.onkeydown = (event) => walk(view, actions, matrix.id, event)
  canvas.onfocus = () => point(view, actions, matrix.id, view.at)
  canvas.onblur = () => leave(view, actions)
  const above = element("div", { className: "above", "aria-hidden": "true" }, ...columnLabels)
  const beside = element("div", { className: "beside", "aria-hidden": "true" }, ...rowLabels)
  const picture = element(
    "div",
    { className: "labelled" },
    columnLabels.length ? above : "",
    rowLabels.length ? beside : "",
    canvas,
  )
  const lengths = { "--letter": letter, "--wide": size.width, "--high": size.height }
  for (const [length, pixels] of Object.entries(lengths)) picture.style.setProperty(length, `${pixels}px`)
  const heat = element("div", { className: "heat" }, element("div", { className: "scroll" }, picture), readout)
  return Object.assign(heat, { view })
}

/** Return the labels of a heatmap's columns, and a function that returns a column's width, in letters of the page. */
export function columnsOfHeatmap(matrix) {
  const { columnLabels } = layout(matrix)
  return { columnLabels: columnLabels.length > MOST_LABELS ? [] : columnLabels, columnWidth: () => LETTER }
}

/** Return the labels along one side, if there is room for them. The line below the picture shows them in any case. */
function labels(texts) {
  const label = (text) => element("span", { title: text }, element("span", { textContent: text }))
  return texts.length > MOST_LABELS ? [] : texts.map(label)
}

/** Return the side of a cell in pixels. With labels, a cell is as high as a line of letters. */
function side(cells, labels, letter) {
  return labels.length ? letter + 2 : Math.max(2, Math.min(12, Math.floor(LONGEST_SIDE / cells)))
}

function point(view, actions, id, [r, c]) {
  view.at = [clamp(r, view.shape.rows), clamp(c, view.shape.columns)]
  actions.hover(id, ...view.shape.at(...view.at))
  const [row, column] = view.shape.at(...view.at)
  const value = actions.number(actions.matrix(id).values[row][column])
  const names = [named(view.shape.rowLabels, view.at[0]), named(view.shape.columnLabels, view.at[1])]
  view.readout.textContent = `${names.join(", ")}: ${value}`
  markHeads(view, view.at)
}

/** Return the name of a row or column: its label (with its number if others have the same label), or its number. */
function named(labels, place) {
  const label = labels[place]
  if (label === undefined) return `${place + 1}`
  return labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label} (${place + 1})`
}

/** Highlight the labels of the row and the column `at`. If `at` is null, highlight none. */
function markHeads(view, at) {
  view.heads.forEach((heads, axis) => heads.forEach((head, place) => head.classList.toggle("at", place === at?.[axis])))
}

function leave(view, actions) {
  view.readout.textContent = ""
  markHeads(view, null)
  actions.lightOut()
}

function walk(view, actions, id, event) {
  const step = ARROWS[event.key]
  const select = () => actions.select(view.canvas.closest("figure"), id, ...view.shape.at(...view.at))
  if (step) walkOn(view, actions, id, step, select)
  else if (event.key === "Enter") select()
  else return
  event.preventDefault()
}

/** Move to another cell of the picture. If the present cell is selected, select the new cell instead. */
function walkOn(view, actions, id, [down, right], select) {
  const before = view.shape.at(...view.at)
  point(view, actions, id, [view.at[0] + down, view.at[1] + right])
  const moved = before.join() !== view.shape.at(...view.at).join()
  if (moved && actions.isSelected(id, ...before)) select()
}

/**
 * Draw the numbers as colours. `glow` says how each cell is lit up. `lit` is a text that changes with it. Drawing is
 * slow, so draw only if something changed.
 */
export function paint(figure, matrix, glow, lit) {
  const { view } = figure.querySelector(".heat")
  const { width, height } = view.size
  const context = view.canvas.getContext("2d")
  const colours = getComputedStyle(figure)
  const [surface, positive, negative, ink] = ["--surface", "--positive", "--negative", "--ink"].map((name) =>
    colours.getPropertyValue(name).trim(),
  )
  const look = [surface, positive, negative, ink, lit].join()
  if (view.values === matrix.values && view.look === look) return
  Object.assign(view, { values: matrix.values, look })
  context.clearRect(0, 0, view.canvas.width, view.canvas.height)
  for (let r = 0; r < view.shape.rows; r++) {
    for (let c = 0; c < view.shape.columns; c++) {
      const [row, column] = view.shape.at(r, c)
      const value = matrix.values[row][column]
      const box = [c * width, r * height, width, height]
      context.globalAlpha = 1
      context.fillStyle = surface
      context.fillRect(...box)
      context.globalAlpha = strength(value, matrix)
      context.fillStyle = value < 0 ? negative : positive
      context.fillRect(...box)
      if (glow(row, column)) outline(context, ink, box)
    }
  }
}

function outline(context, ink, [x, y, width, height]) {
  context.globalAlpha = 0.7
  context.strokeStyle = ink
  context.strokeRect(x + 0.5, y + 0.5, width - 1, height - 1)
}
