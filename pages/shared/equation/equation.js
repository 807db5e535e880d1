// The component: draws lines of matrices and signs, keeps them in step with the server, and sends what the visitor does.

const VIEWS = new WeakMap()
const SELECTED = Symbol.for("attention-lab.selected") // shared by all equations of the page

function receive({ data: [data], parentElement, setStateValue }) {
  if (!VIEWS.has(parentElement)) VIEWS.set(parentElement, mount(parentElement))
  const view = VIEWS.get(parentElement)
  view.setStateValue = setStateValue
  update(view, data)
  return () => {
    // Streamlit also calls this for an update that the next one overtook: only what left the page is let go.
    if (parentElement.isConnected) return
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
  const view = { root, instance: identity(), sequence: 0, pending: [], values: new Map(), edited: new Map(), matrices: new Map(), light: null }
  const actions = actionsOf(view)
  const onLight = ({ detail }) => {
    view.light = detail
    relight(view)
  }
  const onReveal = (event) => !event.defaultPrevented && reveal(view) && event.preventDefault()
  document.addEventListener(LIGHT, onLight)
  document.addEventListener(REVEAL, onReveal)
  view.actions = actions
  view.unlisten = () => {
    document.removeEventListener(LIGHT, onLight)
    document.removeEventListener(REVEAL, onReveal)
    uncoverPage(view)
  }
  listen(root, actions)
  view.tools = toolbar(actions)
  return view
}

/** One listener a kind of event for the whole equation; each finds the cell that it concerns. */
function listen(root, actions) {
  const on = (type, react) =>
    root.addEventListener(type, (event) => {
      const cell = event.target.closest?.("td.cell")
      if (cell) react(event, cell)
    })
  on("pointermove", (_, cell) => cell.classList.contains("self") || actions.hover(...actions.place(cell))) // not for what comes to lie under a mouse at rest
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
    if (actions.fillable(cell)) return openInput(cell, actions)
    const touchAgain = event.pointerType === "touch" && cell.classList.contains("selected") && actions.editable(cell)
    if (touchAgain) openInput(cell, actions)
    else actions.select(...actions.place(cell))
  })
}

// --- from the server ---

function update(view, data) {
  const before = view.data?.epoch === data.epoch ? new Map([...view.values, ...view.edited]) : new Map()
  const shown = view.values
  if (view.data && view.data.generation !== data.generation) view.pending = []
  view.pending = view.pending.filter((event) => event.sequence > (data.applied[view.instance] ?? 0))
  view.data = data
  view.matrices = new Map(data.lines.flatMap((line) => line.items.filter((item) => item.values)).map((item) => [item.id, revived(item)]))
  view.pending.filter((event) => event.kind === "edit").forEach((event) => overlay(view, event))
  view.pending.filter((event) => event.kind === "fill").forEach((event) => overlayBlank(view, event))
  if (data.history) showTools(view, data.history)
  const plan = planOf(data.lines)
  if (plan !== view.plan) draw(view, data.lines)
  view.plan = plan
  const moved = !before.size || [...view.matrices].some(([id, { values }]) => differ(shown.get(id), values))
  for (const figure of figures(view)) fillFigure(view, figure, moved ? before.get(figure.dataset.id) : null)
  if (!view.pending.some((event) => event.kind === "edit")) view.edited.clear()
  view.values = new Map([...view.matrices].map(([id, matrix]) => [id, matrix.values]))
  fit(view)
  cover(view)
  shareSelection(view, data.selected)
  relight(view)
}

/** What decides how lines are drawn: all but their numbers. */
function planOf(lines) {
  const plain = (key, value) => (["values", "sums", "limit", "right"].includes(key) ? undefined : ["blank", "marks"].includes(key) ? Boolean(value) : value)
  return JSON.stringify(lines, plain)
}

/** JSON has no infinities: they travel as text. */
function revived(item) {
  const number = (value) => (typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value)
  const rows = (values) => values?.map((row) => row.map(number))
  const sums = Object.fromEntries(Object.entries(item.sums ?? {}).map(([side, values]) => [side, values.map(number)]))
  return { ...item, values: rows(item.values), right: rows(item.right), sums }
}

function showTools(view, history) {
  if (!view.tools.isConnected) view.root.prepend(view.tools)
  showHistory(view.tools, history)
}

function draw(view, lines) {
  const focused = focusedPlace(view)
  view.root.classList.toggle("abreast", view.data.abreast)
  view.root.querySelectorAll(":scope > .line").forEach((line) => line.remove())
  view.root.append(...lines.map((line) => drawLine(view, line)))
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
  if (matrix.blank) fillBlank(figure, matrix, view.data.digits)
  else fill(figure, matrix, view.data.digits, before)
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
  const before = JSON.stringify(globalThis[SELECTED])
  if (!selected) globalThis[SELECTED] = null
  else if (matrix) globalThis[SELECTED] = { self: { id, rows: [row, row + 1], columns: [column, column + 1] }, read: reads(matrix.reads, row, column) }
  else return
  if (JSON.stringify(globalThis[SELECTED]) !== before) document.dispatchEvent(new CustomEvent(LIGHT, { detail: view.light }))
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
