// One matrix as a table: brackets, name and shape above, token labels beside rows, sums in the margins.

/** An element with properties, attributes (data-…, aria-…, role) and children. */
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue
    if (name.includes("-") || name === "role" || name === "scope") made.setAttribute(name, value)
    else made[name] = value
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""))
  return made
}

/** W^Q, d_k, head_1^T: letters with raised and lowered parts. */
function symbol(text) {
  const parts = text.split(/([\^_](?:\{[^}]*\}|[^\s^_]+))/).filter(Boolean)
  return parts.map((part) => {
    const inner = part.replace(/^[\^_]\{?|\}$/g, "")
    if (part[0] === "^") return element("sup", { textContent: inner === "T" ? "⊤" : inner })
    return part[0] === "_" ? element("sub", { textContent: inner }) : part
  })
}

/** The cells as they stand on the page: one row of them, or all; swapped where a matrix is shown transposed. */
function layout(matrix) {
  const only = matrix.onlyRow
  const one = only !== null
  const [rows, columns] = [one ? 1 : matrix.values.length, matrix.values[0].length]
  const rowLabels = one ? matrix.rowLabels.slice(only, only + 1) : matrix.rowLabels
  const full = one ? [1, matrix.shape[1]] : matrix.shape
  const at = (r, c) => [one ? only : r, c]
  return matrix.transposed
    ? { rows: columns, columns: rows, rowLabels: matrix.columnLabels, columnLabels: rowLabels, full: [...full].reverse(), at: (r, c) => at(c, r) }
    : { rows, columns, rowLabels, columnLabels: matrix.columnLabels, full, at }
}

/** 3×4, or what is shown of a matrix too large to send. */
function shapeText({ rows, columns, full }) {
  const whole = full.join("×")
  return rows === full[0] && columns === full[1] ? whole : `${whole}, first ${rows}×${columns}`
}

function matrixFigure(matrix, actions) {
  const shape = layout(matrix)
  const heading = element(
    "figcaption",
    {},
    element("span", { className: "symbol" }, ...symbol(matrix.symbol)),
    element("span", { className: "shape", textContent: shapeText(shape) }),
    matrix.editable || fillable(matrix) ? element("span", { className: "pen", title: `You can ${fillable(matrix) ? "fill in" : "edit"} this matrix`, textContent: "✎" }) : "",
    matrix.blank ? "" : copyMenu(matrix, actions),
  )
  const body = isHeatmap(matrix) ? heatmap(matrix, actions) : table(matrix, shape)
  const figure = element("figure", { className: `matrix ${matrix.tint}${matrix.editable ? " editable" : ""}${matrix.blank ? " blank" : ""}` }, heading, body)
  figure.dataset.id = matrix.id
  return figure
}

function table(matrix, shape) {
  const numbers = Array.from({ length: shape.columns }, (_, c) => c)
  const use = matrix.editable ? ", editable" : fillable(matrix) ? ", to be filled in" : ""
  const name = `${matrix.name}, ${shape.rows} by ${shape.columns}${use}`
  const counted = !matrix.sums?.rows && shape.columnLabels.every((label, c) => label === String(c + 1))
  const grid = element("table", { role: "grid", "aria-label": name, className: counted && "counted" })
  if (shape.columnLabels.length) grid.append(element("thead", {}, headRow(matrix, shape, numbers)))
  const body = element("tbody")
  for (let r = 0; r < shape.rows; r++) {
    const label = shape.rowLabels[r]
    const row = element("tr", {}, label === undefined ? "" : element("th", { scope: "row", title: label, textContent: label }))
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

/** An empty place in the first or last row, above or below labels and brackets. */
function gap() {
  return element("td", { "aria-hidden": "true" })
}

function headRow(matrix, shape, numbers) {
  const labels = numbers.map((c) => element("th", { scope: "col", title: shape.columnLabels[c], textContent: shape.columnLabels[c] }))
  const sum = matrix.sums?.rows ? element("th", { scope: "col", className: "sum", textContent: "Σ" }) : ""
  return element("tr", {}, shape.rowLabels.length ? gap() : "", gap(), ...labels, gap(), sum)
}

function footRow(matrix, shape, numbers) {
  const label = shape.rowLabels.length ? element("th", { scope: "row", className: "sum", textContent: "Σ" }) : ""
  return element("tr", {}, label, gap(), ...numbers.map(() => element("td", { className: "sum below" })))
}

function dataCell(matrix, shape, r, c) {
  const [row, column] = shape.at(r, c)
  const block = matrix.blocks ? `block-${Math.floor((matrix.transposed ? r : c) / matrix.blocks) % 8}` : ""
  const cell = element("td", { className: `cell ${block}`, role: "gridcell", tabIndex: -1 })
  Object.assign(cell.dataset, { row, column })
  return cell
}

const LOOKS = new WeakMap() // by cell: what its look was made from

/** Put numbers, tints and marks into a drawn matrix; `before` holds the numbers until the last change, null where nothing changed. */
function fill(figure, matrix, digits, before) {
  const decimals = decimalsFor(matrix.values, digits)
  for (const cell of figure.querySelectorAll("td.cell")) {
    const { row, column } = cell.dataset
    const value = matrix.values[row][column]
    if (before !== null) mark(cell, before?.[row]?.[column], value)
    const right = matrix.right?.[row][column]
    const look = [value, decimals, matrix.limit, right, cell.dataset.was].join()
    if (LOOKS.get(cell) === look) continue // to write again what stands there costs time
    LOOKS.set(cell, look)
    if (!cell.querySelector("input")) write(cell, value, decimals)
    cell.style.setProperty("--strength", strength(value, matrix))
    cell.classList.toggle("negative", value < 0)
    const damaged = right !== undefined && !same(right, value)
    cell.classList.toggle("damaged", damaged)
    cell.title = [`${matrix.symbol} = ${value}`, cell.dataset.was && `was ${cell.dataset.was}`, damaged && `right: ${right}`].filter(Boolean).join("\n")
  }
  fillSums(figure, matrix, digits)
}

function write(cell, value, decimals) {
  const text = show(value, decimals)
  cell.textContent = text
  cell.dataset.padding = padding(text, decimals)
}

function same(a, b) {
  return Object.is(a, b) || Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b))
}

function strength(value, matrix) {
  if (Number.isNaN(value)) return 0
  return Number.isFinite(value) ? Math.min(1, Math.abs(value) / (matrix.limit || 1)) : 0
}

/** Let a cell that changed glow, once a change, and keep what it held. */
function mark(cell, old, value) {
  const was = old === undefined || alike(old, value) ? "" : String(old)
  if (was === (cell.dataset.was ?? "")) return
  cell.dataset.was = was
  // Another animation of the same look starts anew; the same one would have to be taken away and laid out first.
  if (cell.classList.contains("changed")) cell.classList.toggle("again")
  cell.classList.toggle("changed", Boolean(was))
}

/** The same number, where minus zero is zero. */
function alike(a, b) {
  return a === b || (Number.isNaN(a) && Number.isNaN(b))
}

function differ(before, after) {
  return before?.length !== after.length || after.some((row, r) => row.some((value, c) => !alike(value, before[r][c])))
}

function fillSums(figure, matrix, digits) {
  const put = (cells, values) =>
    cells.forEach((cell, i) => {
      cell.textContent = same(values[i], 1) ? "1" : show(values[i], digits)
      cell.classList.toggle("one", same(values[i], 1))
    })
  if (matrix.sums?.rows) put(figure.querySelectorAll("td.sum.right"), matrix.sums.rows)
  if (matrix.sums?.columns) put(figure.querySelectorAll("td.sum.below"), matrix.sums.columns)
}

function copyMenu(matrix, actions) {
  const buttons = Object.keys(COPY_AS).map((format) => element("button", { type: "button", textContent: format }))
  const menu = element("details", { className: "copy" })
  menu.append(element("summary", { title: "Copy", "aria-label": `Copy ${matrix.name}`, textContent: "⧉" }))
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
