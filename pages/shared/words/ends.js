// Ends: a slider between two words that describe a token, such as sour and thirsty. Everything follows it.

import { element } from "./elements.js"
import { send } from "./events.js"
import { change } from "./hand.js"
import { atRest, onceAFrame } from "./pace.js"
import { uniqueId } from "./unique_id.js"

const [MOST, STEP] = [2, 0.1] // how much of a word there can be, and how finely the slider moves

/** Draw the slider for the part of the sentence that describes a token, or nothing if there is none. */
export function drawEnds(view, piece) {
  view.ends.replaceChildren()
  view.putEnds = null
  if (!piece) return
  const [right, left] = piece.ends // each has a word, and the row and column of x that says how much of it there is
  const input = element("input", { type: "range", min: -MOST, max: MOST, step: STEP })
  const shown = element("span", { className: "amount" })
  input.setAttribute("aria-label", `What “${view.askers[right.row].querySelector(".text").textContent}” is`)
  view.putEnds = (value) => {
    input.value = value
    shown.textContent = value ? `${Math.abs(value)} ${(value < 0 ? left : right).word}` : "0"
    input.setAttribute("aria-valuetext", shown.textContent)
  }
  listen(view, input, piece.ends)
  const word = (text) => element("span", { textContent: text, "aria-hidden": "true" })
  view.ends.append(word(left.word), input, word(right.word), shown)
}

/** Move the slider to the numbers of the server, unless the visitor is moving it. */
export function setEnds(view, { ends: [right, left] }) {
  if (!view.pending.length) view.putEnds(Number((right.value - left.value).toFixed(4)))
}

function listen(view, input, [right, left]) {
  let gesture = null
  const cells = () => [
    [right.row, right.column, Math.max(0, Number(input.value))],
    [left.row, left.column, Math.max(0, -Number(input.value))],
  ]
  const tell = (done, now) => send(view, { kind: "edit", id: "x", cells: cells(), gesture, done }, now)
  const show = onceAFrame(() => {
    view.putEnds(Number(input.value))
    change([["x", cells()]], true)
  })
  const tellAtRest = atRest(() => tell(false, true))
  input.oninput = () => {
    gesture ??= uniqueId()
    tell(false, false)
    show()
    tellAtRest()
  }
  input.onchange = () => {
    tellAtRest.forget()
    tell(true, true)
    gesture = null
  }
}
