// Matrix: one matrix as a table: brackets, name and shape above, token labels beside rows, sums in the margins.

import { COPY_AS, decimalsFor, show } from "./numbers.js"
import { element, symbol } from "./elements.js"
import { icon } from "./icons.js"
import { layout, shapeText } from "./layout.js"
import { LOOKS, mark, same, strength } from "./cell.js"
import { runTo, showAt } from "./run.js"
import { fillable } from "./blank.js"
import { columnHead, PHONE, widthOfLabels } from "./heads.js"
import { heatmap, isHeatmap, columnsOfHeatmap } from "./heatmap.js"
import { cellWidth, keepRoom } from "./room.js"

const ROOM_ON_PHONE = 18 // letters
const FINGER = 2.75 // the least width of a cell on a phone, in letters, as in equation.css
const BLANK = 3.4 // the width of a cell to be filled in, in letters, as in equation.css
const GUESSED = "→" // a label that begins with this arrow is the next word that a model expects

export function matrixFigure(matrix, actions) {
  const shape = layout(matrix)
  const heading = element(
    "figcaption",
    {},
    element("span", { className: "symbol" }, ...symbol(matrix.symbol)),
    element("span", { className: "shape", textContent: shapeText(shape) }),
    element("span", { className: "pen" }, icon("pen")),
    matrix.blank ? "" : copyMenu(matrix, actions),
  )
  const body = isHeatmap(matrix) ? heatmap(matrix, actions) : table(matrix, shape)
  const figure = element("figure", { className: classesOf(matrix) }, heading, body)
  figure.dataset.id = matrix.id
  figure.classList.toggle("many", hasMany(matrix, shape))
  figure.style.setProperty("--words", widthOfLabels(shape.rowLabels).toFixed(2))
  figure.style.setProperty("--names", widthOfLabels(shape.columnLabels).toFixed(2))
  Object.assign(figure, isHeatmap(matrix) ? columnsOfHeatmap(matrix) : columnsOf(figure, matrix, shape))
  showUse(figure, matrix)
  return figure
}

/** Return whether a matrix has too many columns for a phone, if each is as wide as a finger. */
function hasMany({ sums }, { columns, rowLabels }) {
  const others = widthOfLabels(rowLabels) + (sums?.rows ? FINGER : 0)
  return columns * FINGER + others > ROOM_ON_PHONE
}

/** Return the labels of a figure's columns, and a function that returns a column's width, in letters of its cells. */
function columnsOf(figure, matrix, shape) {
  const least = () => (!hasMany(matrix, shape) && matchMedia(PHONE).matches ? FINGER : 0)
  const columnWidth = () => (matrix.blank ? BLANK : Math.max(least(), cellWidth(figure.room)))
  return { columnLabels: shape.columnLabels, columnWidth }
}

function classesOf({ tint, hue, blank }) {
  return ["matrix", tint, hue && `of-${hue}`, blank && "blank"].filter(Boolean).join(" ")
}

/** Show whether visitors can change the numbers of a drawn matrix, also in the table's name for screen readers. */
export function showUse(figure, matrix) {
  const use = matrix.editable ? "edit" : fillable(matrix) ? "fill in" : ""
  if (figure.dataset.use === use) return
  figure.dataset.use = use
  figure.classList.toggle("editable", matrix.editable)
  Object.assign(figure.querySelector(".pen"), { hidden: !use, title: use && `You can ${use} this matrix` })
  const { rows, columns } = layout(matrix)
  const said = { edit: ", editable", "fill in": ", to be filled in" }[use] ?? ""
  figure.querySelector("table")?.setAttribute("aria-label", `${matrix.name}, ${rows} by ${columns}${said}`)
}

function table(matrix, shape) {
  const numbers = Array.from({ length: shape.columns }, (_, c) => c)
  const grid = element("table", { role: "grid" })
  if (shape.columnLabels.length) grid.append(element("thead", {}, headRow(matrix, shape, numbers)))
  const body = element("tbody")
  for (let r = 0; r < shape.rows; r++) {
    const label = shape.rowLabels[r]
    const row = element(
      "tr",
      {},
      label === undefined
        ? ""
        : element("th", {
            scope: "row",
            className: label.startsWith(GUESSED) && "guess",
            title: label,
            textContent: label,
          }),
    )
    if (r === 0) row.append(bracket("left", shape.rows))
    for (const c of numbers) row.append(dataCell(matrix, shape, r, c))
    if (r === 0) row.append(bracket("right", shape.rows))
    if (matrix.sums?.rows) row.append(element("td", { className: "sum right" }))
    body.append(row)
  }
  grid.append(body)
  if (matrix.sums?.columns) grid.append(element("tfoot", {}, footRow(matrix, shape, numbers)))
  return element("div", { className: "scroll" }, grid)
}

function bracket(side, rows) {
  return element("td", { className: `bracket ${side}`, rowSpan: rows, "aria-hidden": "true" })
}

/** Return an empty cell for the first or last row, above or below labels and brackets. */
function gap() {
  return element("td", { "aria-hidden": "true" })
}

function headRow(matrix, shape, numbers) {
  const labels = numbers.map((c) => columnHead(shape.columnLabels[c]))
  const sign = element("span", { textContent: "Σ" })
  const sum = matrix.sums?.rows ? element("th", { scope: "col", className: "sum" }, sign) : ""
  return element("tr", {}, shape.rowLabels.length ? gap() : "", gap(), ...labels, gap(), sum)
}

function footRow(matrix, shape, numbers) {
  const label = shape.rowLabels.length ? element("th", { scope: "row", className: "sum", textContent: "Σ" }) : ""
  const total = matrix.sums.all ? [gap(), element("td", { className: "sum below all" })] : []
  return element("tr", {}, label, gap(), ...numbers.map(() => element("td", { className: "sum below" })), ...total)
}

function dataCell(matrix, shape, r, c) {
  const [row, column] = shape.at(r, c)
  const cell = element("td", { className: `cell ${edgeOf(matrix, r, c)}`, role: "gridcell", tabIndex: -1 })
  Object.assign(cell.dataset, { row, column })
  return cell
}

/** Return the class of a cell at the edge of a block, such as a head: a line there says which block it is. */
function edgeOf({ blocks, transposed }, r, c) {
  const [along, across] = transposed ? [r, c] : [c, r]
  if (!blocks || across !== 0) return ""
  return `block-${Math.floor(along / blocks) % 8} ${transposed ? "edge-left" : "edge-top"}`
}

/** Write numbers, tints and marks into a drawn matrix. `before` has the numbers before the last change, or null. */
export function fill(figure, matrix, { digits, grows, held }, before) {
  SPOTS.delete(figure)
  const decimals = decimalsFor(matrix.values, digits)
  figure.grows ||= grows
  keepRoom(figure, matrix, { decimals, digits, held })
  for (const cell of figure.querySelectorAll("td.cell")) {
    const { row, column } = cell.dataset
    const value = matrix.values[row][column]
    if (before !== null) mark(cell, before?.[row]?.[column], value)
    const right = matrix.right?.[row][column]
    const look = [value, decimals, matrix.limit, right, cell.dataset.was].join()
    if (LOOKS.get(cell) === look) continue // the cell shows this already
    LOOKS.set(cell, look)
    if (!cell.querySelector("input")) runTo(cell, value, decimals)
    cell.style.setProperty("--strength", strength(value, matrix))
    cell.classList.toggle("negative", value < 0)
    cell.classList.toggle("damaged", right !== undefined && !same(right, value))
    cell.title = titleOfCell(cell, matrix)
  }
  fillSums(figure, matrix, digits)
}

const SPOTS = new WeakMap() // by figure: its cells and what they show, while a number is in the hand

/** Write the numbers of a matrix that have changed while the hand moves. Decimals never become fewer. */
export function moveNumbers(figure, matrix, digits) {
  const known = SPOTS.get(figure) ?? spotsOf(figure)
  SPOTS.set(figure, known)
  const decimals = Math.max(known.decimals, decimalsFor(matrix.values, Math.max(digits, matrix.decimals)))
  const isWider = decimals > known.decimals
  known.decimals = decimals
  keepRoom(figure, matrix, { decimals, digits, held: true })
  for (const spot of known.spots) {
    const value = matrix.values[spot.row][spot.column]
    if (!isWider && Object.is(value, spot.value)) continue
    spot.value = value
    rewrite(spot, value, strength(value, matrix), decimals)
    spot.cell.title = titleOfCell(spot.cell, matrix)
  }
  fillSums(figure, matrix, digits)
}

function spotsOf(figure) {
  const cells = [...figure.querySelectorAll("td.cell")]
  const spots = cells.map((cell) => ({ cell, row: Number(cell.dataset.row), column: Number(cell.dataset.column) }))
  return { spots, decimals: Math.max(...cells.map((cell) => shownDecimals(cell))) }
}

function shownDecimals({ textContent, dataset: { padding = "" } }) {
  return `${textContent}${padding}`.split(".")[1]?.length ?? 0
}

function rewrite({ cell }, value, strong, decimals) {
  LOOKS.delete(cell)
  if (!cell.querySelector("input")) showAt(cell, value, decimals)
  cell.style.setProperty("--strength", strong.toFixed(3))
  cell.classList.toggle("negative", value < 0)
}

/** Return what a cell says while the pointer rests on it: its labels, its exact number, and what it was before. */
function titleOfCell({ classList, dataset: { row, column, was } }, matrix) {
  const now = `${matrix.symbol} = ${matrix.values[row][column]}`
  const right = classList.contains("damaged") && `right: ${matrix.right[row][column]}`
  return [labelWords(matrix, row, column), now, was && `was ${was}`, right].filter(Boolean).join("\n")
}

/** Return the labels of a row and a column, such as “it, thirsty”. Labels that are only numbers are left out. */
function labelWords(matrix, row, column) {
  const words = [matrix.rowLabels[row], matrix.columnLabels[column]].filter((label) => label && !/^\d+$/.test(label))
  return words.join(", ")
}

function fillSums(figure, matrix, digits) {
  const put = (cells, values) =>
    cells.forEach((cell, i) => {
      const text = same(values[i], 1) ? "1" : show(values[i], digits)
      if (cell.textContent === text) return
      cell.textContent = text
      cell.classList.toggle("one", same(values[i], 1))
    })
  if (matrix.sums?.rows) put(figure.querySelectorAll("td.sum.right"), matrix.sums.rows)
  if (matrix.sums?.columns)
    put(figure.querySelectorAll("td.sum.below"), [...matrix.sums.columns, ...(matrix.sums.all ?? [])])
}

function copyMenu(matrix, actions) {
  const buttons = Object.keys(COPY_AS).map((format) => element("button", { type: "button", textContent: format }))
  const menu = element("details", { className: "copy" })
  menu.append(element("summary", { title: "Copy", "aria-label": `Copy ${matrix.name}` }, icon("copy")))
  menu.append(element("div", {}, ...buttons))
  buttons.forEach((button) => {
    button.onclick = () => {
      actions.copy(matrix.id, button.textContent)
      menu.open = false
      menu.firstChild.focus()
    }
  })
  menu.onkeydown = (event) => {
    if (event.key !== "Escape" || !menu.open) return
    menu.open = false
    menu.firstChild.focus()
  }
  return menu
}
