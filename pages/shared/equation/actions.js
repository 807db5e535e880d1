// Actions: what a visitor can do to a cell. Each action is shown at once and sent to the server.

import { BOUNDS } from "./constants.js"
import { COPY_AS, decimalsFor, parseBlock, parseNumber, show } from "./numbers.js"
import { element } from "./elements.js"
import { send } from "./events.js"
import { titleOf, transposedAsShown } from "./layout.js"
import { showAt } from "./run.js"
import { checkedEntry, entryOf, fillable, fillBlank, overlayBlank, writeBlank } from "./blank.js"
import { dropInput } from "./edit.js"
import { change, sayWhatFollowed } from "./hand.js"
import { figures, placeOf } from "./figures.js"
import { handIsKnown } from "./hint.js"
import { atRest } from "./pace.js"
import { uniqueId } from "./unique_id.js"
import { chosenIn, EQUATIONS, isSelected, lightOut, lightUp, setSelected } from "./light.js"
import { placeCard } from "./card.js"

export function actionsOf(view) {
  const matrix = (id) => view.matrices.get(id)
  const matrixOf = (cell) => matrix(cell.closest("figure").dataset.id)
  const value = (cell) => matrixOf(cell).values[cell.dataset.row][cell.dataset.column]
  function edit(cell, block) {
    const [id, row, column] = placeOf(cell)
    const { transposed } = matrix(id)
    const at = (r, c) => (transposed ? [row + c, column + r] : [row + r, column + c])
    const cells = block.flatMap((line, r) => line.map((number, c) => [...at(r, c), number]))
    handIsKnown()
    view.preview = null
    showPreview(false)
    send(view, { kind: "edit", id, cells, done: true })
    change([[id, cells]])
    sayWhatFollowed(spoken(id, cells[0]), id)
  }

  function spoken(id, [row, column, number]) {
    return `${titleOf(matrix(id), row, column)}: ${show(number, decimalsFor([[number]], view.data.digits))}`
  }

  /**
   * Return two functions that change a number while the hand moves: `put` shows what follows from it, and `end` lets it
   * go. The server hears of it when the hand rests, and at the end.
   */
  function grasp(cell) {
    const [id, row, column] = placeOf(cell)
    const gesture = uniqueId()
    let last = null
    handIsKnown()
    view.root.classList.add("hand")
    const tell = (value, done, now) =>
      send(view, { kind: "edit", id, cells: [[row, column, value]], gesture, done }, now)
    const tellAtRest = atRest(() => tell(last, false, true))
    const put = (value) => {
      last = value
      tell(value, false, false)
      change([[id, [[row, column, value]]]], true)
      tellAtRest()
    }
    const end = (value) => {
      tellAtRest.forget()
      tell(value, true, true)
      view.root.classList.remove("hand")
      change([[id, [[row, column, value]]]])
      sayWhatFollowed(spoken(id, [row, column, value]), id)
    }
    return { put, end }
  }

  /** Show what would follow from a text in an open field. If the text is null, show what followed before. */
  function preview(cell, text) {
    const [id, row, column] = placeOf(cell)
    if (!matrix(id).editable || (text === null && !view.preview)) return
    const before = view.preview?.before ?? value(cell)
    const cells = [[row, column, numberIn(text) ?? before]]
    view.preview = text === null ? null : { id, cells, before }
    showPreview(text !== null)
    change([[id, cells]], text !== null)
  }

  function numberIn(text) {
    try {
      return text === null ? null : parseNumber(text, BOUNDS)
    } catch {
      return null // an unfinished number, such as “-”
    }
  }

  const put = (cell, block) => (fillable(matrixOf(cell)) ? fillIn(view, cell, block) : edit(cell, block))

  function type(cell, input) {
    try {
      const taken = fillable(matrixOf(cell)) ? checkedEntry(input.value, BOUNDS) : parseNumber(input.value, BOUNDS)
      complainAt(cell, "")
      put(cell, [[taken]])
      return true
    } catch (error) {
      input.setAttribute("aria-invalid", "true")
      complainAt(cell, error.message)
      return false
    }
  }

  function paste(cell, text) {
    try {
      const block = parseBlock(text, BOUNDS)
      checkFits(cell, block)
      complainAt(cell, "")
      dropInput(cell)
      put(cell, fillable(matrixOf(cell)) ? block.map((row) => row.map(entryOf)) : block)
      cell.focus()
    } catch (error) {
      complainAt(cell, error.message)
    }
  }

  /** Select a number in a figure. If this number is selected already, end its selection. */
  function select(figure, id, row, column) {
    const selected = isSelected(id, row, column) ? null : { id, row, column }
    chosenIn(figure)
    choose(selected)
  }

  function choose(selected) {
    setSelected(selected)
    if (!selected) placeCard() // this closes the card at once
    send(view, { kind: "select", place: selected && [selected.id, selected.row, selected.column] })
  }

  return {
    matrix,
    matrixOf,
    value,
    edit,
    grasp,
    preview,
    type,
    paste,
    select,
    lightOut,
    place: placeOf,
    deselect: () => choose(null),
    isSelected,
    complain: complainAt,
    editable: (cell) => matrixOf(cell).editable || fillable(matrixOf(cell)),
    scrubbable: (cell) => matrixOf(cell).editable,
    fillable: (cell) => fillable(matrixOf(cell)),
    written: (cell) => matrixOf(cell).blank?.[cell.dataset.row][cell.dataset.column] ?? String(value(cell)),
    clear: (cell) => fillIn(view, cell, [[""]]),
    takeBack: (cell, kind) => send(view, matrixOf(cell).blank ? { kind, id: matrixOf(cell).id } : { kind }),
    label: (cell) => titleOf(matrixOf(cell), cell.dataset.row, cell.dataset.column),
    number: (number) => (Number.isInteger(number) ? show(number, 0) : show(number, Math.max(4, view.data.digits))),
    hover: (id, row, column) => lightUp(view, id, row, column),
    redraw: (cell) => {
      const matrix = matrixOf(cell)
      if (matrix.blank) writeBlank(cell, matrix, view.data.digits)
      else showAt(cell, value(cell), decimalsFor(matrix.values, view.data.digits))
    },
    send: (event) => send(view, event),
    copy: (id, format) => copyText(COPY_AS[format](transposedAsShown(matrix(id)))),
  }
}

/** Make what follows from a typed number pale, in all equations, until the number is entered. */
function showPreview(isTyped) {
  for (const view of EQUATIONS) view.root.classList.toggle("preview", isTyped)
}

function checkFits(cell, block) {
  const [row, table] = [cell.parentElement, cell.closest("tbody")]
  const room = [
    table.rows.length - row.sectionRowIndex,
    row.querySelectorAll("td.cell").length - [...row.querySelectorAll("td.cell")].indexOf(cell),
  ]
  if (block.length <= room[0] && block[0].length <= room[1]) return
  throw new Error(
    `A pasted block must fit from this cell on, but it is ${block.length}×${block[0].length}, ` +
      `and there is room for ${room.join("×")}. Start further up and left, or copy less.`,
  )
}

/** Write below a cell what is wrong with its entry. An empty text removes the message. */
function complainAt(cell, text) {
  const figure = cell.closest("figure")
  figure.querySelector(".problem")?.remove()
  figure.querySelector(".invalid")?.classList.remove("invalid")
  cell.classList.toggle("invalid", Boolean(text))
  if (!text) return
  const problem = element("p", { className: "problem", role: "alert", textContent: text })
  figure.append(problem)
  placeBelow(problem, cell, figure)
}

/** Place a message below a cell, and so far to the left that all of it is on the page. */
function placeBelow(problem, cell, figure) {
  const around = figure.getBoundingClientRect()
  const enlarged = around.width / figure.offsetWidth
  const { left, bottom } = cell.getBoundingClientRect()
  const room = document.documentElement.clientWidth - problem.getBoundingClientRect().width - 8
  problem.style.left = `${(Math.min(left, room) - around.left) / enlarged}px`
  problem.style.top = `${(bottom - around.top) / enlarged + 4}px`
}

async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  // Plain http has no clipboard interface, so we copy from a field that is on the page for a moment.
  const field = element("textarea", { value: text })
  document.body.append(field)
  field.select()
  document.execCommand("copy")
  field.remove()
}

/** Write texts into a blank matrix, beginning at one of its cells. The server stores them. */
function fillIn(view, cell, texts) {
  const { id } = cell.closest("figure").dataset
  const matrix = view.matrices.get(id)
  const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)]
  const at = (r, c) => (matrix.transposed ? [row + c, column + r] : [row + r, column + c])
  const cells = texts.flatMap((line, r) => line.map((text, c) => [...at(r, c), text]))
  overlayBlank(view, { id, cells })
  figures(view)
    .filter((figure) => figure.dataset.id === id)
    .forEach((figure) => fillBlank(figure, view.matrices.get(id), view.data.digits))
  send(view, { kind: "fill", id, cells })
}
