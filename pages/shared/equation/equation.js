// The component: draws lines of matrices and signs, keeps them in step with the server, and sends what the visitor does.

const VIEWS = new WeakMap()
const SELECTED = Symbol.for("attention-lab.selected") // shared by all equations of the page

export default function ({ data, parentElement, setStateValue }) {
  if (!VIEWS.has(parentElement)) VIEWS.set(parentElement, mount(parentElement))
  const view = VIEWS.get(parentElement)
  view.setStateValue = setStateValue
  update(view, data)
  return () => {
    view.unlisten()
    VIEWS.delete(parentElement)
  }
}

/** An identity without the crypto interface, which plain-http lecture networks do not have. */
function identity() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`
}

function mount(parentElement) {
  const root = parentElement.querySelector(".equation")
  const view = { root, instance: identity(), sequence: 0, pending: [], values: new Map(), matrices: new Map(), light: null }
  const actions = actionsOf(view)
  const onLight = ({ detail }) => {
    view.light = detail
    relight(view)
  }
  document.addEventListener(LIGHT, onLight)
  view.actions = actions
  view.unlisten = () => document.removeEventListener(LIGHT, onLight)
  listen(root, actions)
  return view
}

/** One listener a kind of event for the whole equation; each finds the cell that it concerns. */
function listen(root, actions) {
  const on = (type, react) =>
    root.addEventListener(type, (event) => {
      const cell = event.target.closest?.("td.cell")
      if (cell) react(event, cell)
    })
  on("pointerover", (_, cell) => actions.hover(...actions.place(cell)))
  on("pointerout", () => lightOut())
  on("focusin", (_, cell) => {
    cell.closest("table").querySelectorAll("td.cell").forEach((other) => (other.tabIndex = other === cell ? 0 : -1))
    actions.hover(...actions.place(cell))
  })
  on("focusout", () => lightOut())
  on("keydown", (event, cell) => onKey(event, cell, actions))
  on("pointerdown", (event, cell) => onPointerDown(event, cell, actions))
  on("paste", (event, cell) => onPaste(event, cell, actions))
  on("dblclick", (event, cell) => actions.editable(cell) && !cell.querySelector("input") && openInput(cell, actions))
  on("click", (event, cell) => {
    if (event.target.tagName === "INPUT" || cell.dataset.dragged) return void (cell.dataset.dragged = "")
    const touchAgain = event.pointerType === "touch" && cell.classList.contains("selected") && actions.editable(cell)
    if (touchAgain) openInput(cell, actions)
    else actions.select(...actions.place(cell))
  })
}

// --- from the server ---

function update(view, data) {
  const before = view.data?.epoch === data.epoch ? view.values : new Map()
  if (view.data && view.data.generation !== data.generation) view.pending = []
  view.pending = view.pending.filter((event) => event.sequence > (data.applied[view.instance] ?? 0))
  view.data = data
  view.matrices = new Map(data.lines.flatMap((line) => line.items.filter((item) => item.values)).map((item) => [item.id, revived(item)]))
  view.pending.filter((event) => event.kind === "edit").forEach((event) => overlay(view, event))
  const plan = JSON.stringify(data.lines, (key, value) => (["values", "sums", "limit", "right"].includes(key) ? undefined : value))
  if (plan !== view.plan) draw(view, data.lines)
  view.plan = plan
  for (const figure of figures(view)) fillFigure(view, figure, before.get(figure.dataset.id))
  view.values = new Map([...view.matrices].map(([id, matrix]) => [id, matrix.values]))
  shareSelection(view, data.selected)
  relight(view)
}

/** JSON has no infinities: they travel as text. */
function revived(item) {
  const number = (value) => (typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value)
  const rows = (values) => values?.map((row) => row.map(number))
  return { ...item, values: rows(item.values), right: rows(item.right) }
}

function draw(view, lines) {
  const focused = focusedPlace(view)
  view.root.classList.toggle("abreast", view.data.abreast)
  view.root.replaceChildren(...lines.map((line) => drawLine(view, line)))
  view.root.querySelectorAll("table").forEach((table) => (table.querySelector("td.cell").tabIndex = 0))
  if (focused) find(view, ...focused)?.focus()
}

function drawLine(view, line) {
  const label = line.label ? element("p", { className: "label" }, ...symbol(line.label)) : ""
  const terms = line.items.reduce((groups, item) => {
    // A sign stays with the matrix that follows it when a line breaks.
    const last = groups.at(-1)
    if (last && !last.at(-1).values) last.push(item)
    else groups.push([item])
    return groups
  }, [])
  const drawn = terms.map((group) => element("div", { className: "term" }, ...group.map((item) => drawItem(view, item))))
  return element("div", { className: "line" }, label, element("div", { className: "items" }, ...drawn))
}

function drawItem(view, item) {
  if (item.values) return matrixFigure({ ...item, values: view.matrices.get(item.id).values }, view.actions)
  return element("span", { className: item.arrow ? "sign arrow" : "sign" }, ...symbol(item.text))
}

function fillFigure(view, figure, before) {
  const matrix = view.matrices.get(figure.dataset.id)
  if (isHeatmap(matrix)) return
  fill(figure, matrix, view.data.digits, before)
}

function overlay(view, { id, cells }) {
  const matrix = view.matrices.get(id)
  if (!matrix) return
  matrix.values = matrix.values.map((row) => [...row])
  for (const [row, column, value] of cells) matrix.values[row][column] = value
}

function figures(view) {
  return [...view.root.querySelectorAll("figure")]
}

function find(view, id, row, column) {
  return view.root.querySelector(`figure[data-id="${id}"] td[data-row="${row}"][data-column="${column}"]`)
}

function focusedPlace(view) {
  const cell = view.root.querySelector("td.cell:focus")
  return cell && view.actions.place(cell)
}

// --- light and selection ---

function shareSelection(view, selected) {
  const matrix = selected && view.matrices.get(selected.id)
  const { id, row, column } = selected ?? {}
  if (!selected) globalThis[SELECTED] = null
  else if (matrix) globalThis[SELECTED] = { self: { id, rows: [row, row + 1], columns: [column, column + 1] }, read: reads(matrix.reads, row, column) }
  else return
  document.dispatchEvent(new CustomEvent(LIGHT, { detail: null }))
}

function relight(view) {
  const selected = globalThis[SELECTED]
  const light = view.light ?? selected
  for (const figure of figures(view)) {
    const { id } = figure.dataset
    if (figure.querySelector("canvas")) paint(figure, view.matrices.get(id), light)
    for (const cell of figure.querySelectorAll("td.cell")) {
      const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)]
      const lit = glow(light, id, row, column)
      cell.classList.toggle("self", lit === "self")
      cell.classList.toggle("read", lit === "read")
      const chosen = Boolean(selected && selected.self.id === id && within(selected.self, row, column))
      cell.classList.toggle("selected", chosen)
      if (chosen) cell.setAttribute("aria-selected", "true")
      else cell.removeAttribute("aria-selected")
    }
  }
}

// --- to the server ---

function send(view, event, now = true) {
  const same = (other) => event.gesture && other.gesture === event.gesture
  view.pending = [...view.pending.filter((other) => !same(other)), { ...event, sequence: ++view.sequence }]
  if (now) view.setStateValue("events", { instance: view.instance, generation: view.data.generation, list: view.pending })
}

function actionsOf(view) {
  const matrix = (id) => view.matrices.get(id)
  const matrixOf = (cell) => matrix(cell.closest("figure").dataset.id)
  const place = (cell) => [cell.closest("figure").dataset.id, Number(cell.dataset.row), Number(cell.dataset.column)]
  const value = (cell) => matrixOf(cell).values[cell.dataset.row][cell.dataset.column]
  const redrawAll = (id, before) => figures(view).filter((figure) => figure.dataset.id === id).forEach((figure) => fillFigure(view, figure, before))
  const complain = (cell, text) => complainAt(cell, text)

  function edit(cell, block, { gesture, send: now = true } = {}) {
    const [id, row, column] = place(cell)
    const { transposed } = matrix(id)
    const at = (r, c) => (transposed ? [row + c, column + r] : [row + r, column + c])
    const cells = block.flatMap((line, r) => line.map((number, c) => [...at(r, c), number]))
    const before = matrix(id).values
    overlay(view, { id, cells })
    redrawAll(id, before)
    view.values.set(id, matrix(id).values)
    send(view, { kind: "edit", id, cells, gesture }, now)
  }

  function type(cell, input) {
    try {
      const number = parseNumber(input.value, matrixOf(cell).bounds)
      complain(cell, "")
      input.remove()
      edit(cell, [[number]])
      return true
    } catch (error) {
      input.setAttribute("aria-invalid", "true")
      complain(cell, error.message)
      return false
    }
  }

  function paste(cell, text) {
    try {
      const block = parseBlock(text, matrixOf(cell).bounds)
      checkFits(cell, block)
      complain(cell, "")
      cell.querySelector("input")?.remove()
      edit(cell, block)
      cell.focus()
    } catch (error) {
      complain(cell, error.message)
    }
  }

  function select(id, row, column) {
    const chosen = globalThis[SELECTED]?.self
    const again = id === null || (chosen && chosen.id === id && within(chosen, row, column))
    const selected = again ? null : { id, row, column }
    shareSelection(view, selected)
    send(view, { kind: "select", place: selected && [id, row, column] })
  }

  return {
    matrix, matrixOf, place, value, edit, type, paste, select, complain,
    editable: (cell) => matrixOf(cell).editable,
    label: (cell) => `${matrixOf(cell).name}, row ${Number(cell.dataset.row) + 1}, column ${Number(cell.dataset.column) + 1}`,
    hover: (id, row, column) => lightUp(matrix(id), row, column),
    redraw: (cell) => write(cell, value(cell), decimalsFor(matrixOf(cell).values, view.data.digits)),
    send: (event) => send(view, event),
    copy: (id, format) => copyText(COPY_AS[format](matrix(id).values)),
  }
}

function checkFits(cell, block) {
  const [row, table] = [cell.parentElement, cell.closest("tbody")]
  const room = [table.rows.length - row.sectionRowIndex, row.querySelectorAll("td.cell").length - [...row.querySelectorAll("td.cell")].indexOf(cell)]
  if (block.length <= room[0] && block[0].length <= room[1]) return
  throw new Error(`A pasted block must fit from this cell on; got ${block.length}×${block[0].length}, room for ${room.join("×")}: start further up and left, or copy less.`)
}

/** Say below the matrix what is wrong with an entry, or take that back. */
function complainAt(cell, text) {
  const figure = cell.closest("figure")
  figure.querySelector(".problem")?.remove()
  cell.classList.toggle("invalid", Boolean(text))
  if (text) figure.append(element("p", { className: "problem", role: "alert", textContent: text }))
}

async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // Plain http has no clipboard interface: copy from a field that stands on the page for a moment.
  const field = element("textarea", { value: text })
  document.body.append(field)
  field.select()
  document.execCommand("copy")
  field.remove()
}
