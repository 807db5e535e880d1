// Words: the component that draws a sentence of buttons. A press chooses the word whose attention the picture shows.

import { show } from "./numbers.js"
import { element } from "./elements.js"
import { component } from "./component.js"
import { noEvents, send, takeAnswer } from "./events.js"
import { hasMoved } from "./pointer.js"
import { ASKED, GUESS, LARGE, SCENE } from "./stage.js"
import { followPending, join, learn, rowsOf } from "./store.js"
import { drawEnds, setEnds } from "./ends.js"
import { boxesOf, drawPulls } from "./pulls.js"
import { takesInWords } from "./takes.js"

const CLOSING = /^[.,;:!?]/ // no space before these characters

export default component({ mount, update, leave })

function mount(parentElement) {
  const root = parentElement.querySelector(".words")
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg")
  picture.setAttribute("aria-hidden", "true")
  const view = { root, picture, ...noEvents(), plan: "", looked: null }
  view.lines = element("div", { className: "lines" })
  view.takes = element("p", { className: "takes", role: "status" })
  view.how = element("p", { className: "how" })
  view.ends = element("div", { className: "ends" })
  root.append(element("div", { className: "picture" }, picture, view.lines), view.ends, view.takes, view.how)
  view.observer = new ResizeObserver(() => {
    view.boxes = null
    drawLines(view)
  })
  view.observer.observe(view.lines)
  view.waiting = new MutationObserver(() => wait(view))
  view.waiting.observe(document.documentElement, { attributeFilter: [ASKED] })
  view.part = join(view, () => follow(view))
  view.lookAway = () => look(view, null)
  document.addEventListener(SCENE, view.lookAway)
  wait(view)
  return view
}

/** Hide the shares while a scene asks its question. On a phone, hide them only if its owner has to guess. */
function wait(view) {
  const asked = document.documentElement.getAttribute(ASKED)
  view.root.classList.toggle("waiting", asked === GUESS || (asked !== null && matchMedia(LARGE).matches))
}

/** Show what the word with this index attends to or, if `place` is null, what the chosen word attends to. */
function look(view, place) {
  if (view.looked === place) return
  view.looked = place
  if (view.data) paint(view)
}

/** Show the weights that the browser has computed, while a number is in the hand. */
function follow(view) {
  view.data.weights = rowsOf(view.data.id)
  view.root.classList.add("following")
  paint(view)
}

function leave(view) {
  view.part()
  view.observer.disconnect()
  view.waiting.disconnect()
  document.removeEventListener(SCENE, view.lookAway)
}

function update(view, data) {
  takeAnswer(view, data)
  view.root.classList.remove("following")
  view.shows = [data.id]
  view.served = new Map([[data.id, { values: data.weights, shape: [data.weights.length, data.weights[0].length] }]])
  learn(view)
  if (followPending().changed.has(data.id)) data.weights = rowsOf(data.id)
  const plan = JSON.stringify([
    data.pieces.map(({ text, token, cells }) => cells.length || [text, token]),
    data.answers,
  ])
  if (plan !== view.plan) draw(view)
  view.plan = plan
  if (view.putEnds)
    setEnds(
      view,
      data.pieces.find(({ ends }) => ends.length),
    )
  paint(view)
}

// --- the words ---

function draw(view) {
  const { pieces, answers } = view.data
  const asking = element(
    "div",
    { className: "sentence", role: "group", "aria-label": "Choose the word that asks" },
    ...pieces.map((piece) => drawPiece(view, piece)),
  )
  const answering =
    answers && element("div", { className: "sentence answers" }, ...answers.map((text) => word("span", text)))
  view.lines.replaceChildren(...[asking, answering].filter(Boolean))
  view.boxes = null
  view.askers = [...asking.querySelectorAll(".asks")]
  view.answerers = answers ? [...answering.children] : view.askers
  view.said = asking.querySelector(".said")
  drawEnds(
    view,
    pieces.find(({ ends }) => ends.length),
  )
}

function drawPiece(view, { text, token, cells }) {
  if (token !== null) return asker(view, text, token)
  if (!cells.length)
    return element("span", { className: CLOSING.test(text) ? "plain close" : "plain", textContent: text })
  const button = element("button", { className: "said", type: "button" })
  button.onclick = () =>
    send(view, { kind: "edit", id: "x", cells: view.data.pieces.find((piece) => piece.cells.length).cells, done: true })
  return button
}

function asker(view, text, token) {
  const button = word("button", text, { type: "button" })
  button.classList.add("asks")
  // While the pointer is on a word, the picture shows what this word attends to. Then it shows the chosen word again.
  button.onpointermove = () => hasMoved() && look(view, token)
  button.onfocus = () => look(view, token)
  button.onpointerleave = button.onblur = () => look(view, null)
  button.onclick = () => {
    // The last word is the default, so the link does not name it: −1.
    send(view, { kind: "ask", word: token === view.askers.length - 1 ? -1 : token })
    paint(view)
  }
  return button
}

function word(tag, text, properties = {}) {
  const share = element("span", { className: "share", "aria-hidden": "true" })
  return element(
    tag,
    { className: "word", ...properties },
    share,
    element("span", { className: "text", textContent: text }),
  )
}

// --- the shares ---

function paint(view) {
  const { data, askers, answerers, said } = view
  const chosen = askers.at(view.pending.findLast((event) => event.kind === "ask")?.word ?? data.word)
  const asking = askers[view.looked] ?? chosen
  const at = askers.indexOf(asking)
  const weights = data.weights[at]
  const taken = answerers.map((each, i) => ({
    word: each,
    weight: weights[i],
    name: each === asking ? "itself" : textOf(each),
  }))
  for (const button of askers) button.ariaPressed = String(button === chosen)
  for (const button of askers) button.classList.toggle("asking", button === asking)
  for (const { word, weight } of taken) paintWord(word, weight, data.digits)
  for (const { word, weight, name } of taken)
    if (word.type)
      word.ariaLabel =
        `${textOf(word)}: “${textOf(asking)}” attends to ` +
        `${name === "itself" ? name : "it"} with ${show(weight, data.digits)}`
  const piece = data.pieces.find(({ cells }) => cells.length)
  if (said)
    said.replaceChildren(
      element("span", { className: "text", textContent: piece.text }),
      element("span", { className: "instead", textContent: `⇄ ${piece.instead}` }),
    )
  if (said) said.ariaLabel = `${piece.text}: say ${piece.instead} instead`
  const seen = hidesLater(data) ? taken.slice(0, at + 1) : taken
  view.takes.replaceChildren(...takesInWords(textOf(asking), seen, seen.length < taken.length, data.digits))
  view.how.textContent = piece
    ? `Touch another word to see what it attends to. Touch “${piece.text}” to make it “${piece.instead}”.`
    : "Touch another word to see what it attends to."
  view.drawing = [asking, taken]
  drawLines(view)
}

/** Return whether a mask hides later words: no word of the sentence has a weight on a word after it. */
function hidesLater({ weights, answers }) {
  return !answers && weights.every((row, i) => row.slice(i + 1).every((weight) => weight === 0))
}

function paintWord(word, weight, digits) {
  word.style.setProperty("--weight", weight)
  word.querySelector(".share").textContent = show(weight, digits)
}

function textOf(word) {
  return word.querySelector(".text").textContent
}

/** Draw the lines between the words, where the words are now. */
function drawLines(view) {
  if (!view.drawing) return
  view.boxes ??= boxesOf(view.picture, [...new Set([...view.askers, ...view.answerers])])
  drawPulls(view.picture, view.boxes, ...view.drawing)
}
