// Cover: in the presenter view, results stay hidden until the presenter reveals them, line by line.

import { element } from "./elements.js"
import { figures, find } from "./figures.js"
import { ASKED, COVERED, isOpenedByLink, LARGE, RESULTS, REVEALED } from "./stage.js"

const COVERING = (globalThis[Symbol.for("attention-lab.covering")] ??= noneYet()) // equations with covers

/** Return an empty set. If a link opened this page, forget what was revealed before; after a reload, keep it. */
function noneYet() {
  if (isOpenedByLink()) sessionStorage.removeItem(RESULTS)
  return new Set()
}

/** Return the ids of a line's results: the matrices after its first "=" or arrow, or those before a "←". */
function results({ items }) {
  const back = items.findIndex((item) => item.text === "←")
  const sign = items.findIndex((item) => item.arrow || item.text === "=")
  const arrived = back >= 0 ? items.slice(0, back) : sign >= 0 ? items.slice(sign + 1) : []
  return arrived.filter((item) => item.values && !item.editable).map((item) => item.id)
}

/**
 * Return, for each press that reveals something, the ids of the matrices that it reveals. If the scene names some
 * matrices, the first press reveals all of them. Otherwise each press reveals the new results of one line.
 */
function steps({ lines, waits }) {
  const here = new Set(lines.flatMap(({ items }) => items.map(({ id }) => id)))
  const waiting = waits.filter((id) => here.has(id)) // in another state, the page may not show all of them
  if (waiting.length) return [waiting]
  const seen = new Set()
  const fresh = (id) => !seen.has(id) && seen.add(id)
  return lines.map((line) => results(line).filter(fresh)).filter((ids) => ids.length)
}

/** Cover the results that are not revealed yet. When another scene opens, all results are covered again. */
export function cover(view) {
  if (!view.data.cover && !view.cover) return
  if (view.cover !== view.data.cover) view.revealed = kept()[view.data.cover] ?? 0
  view.cover = view.data.cover
  const hidden = new Set(view.cover ? steps(view.data).slice(view.revealed).flat() : [])
  view.covered = hidden.size
  view.root.classList.toggle("covering", hidden.size > 0)
  view.root.classList.toggle("guessing", view.data.guessing)
  for (const figure of figures(view)) coverFigure(view, figure, hidden.has(figure.dataset.id))
  centreCovers(view)
  markSaid(view)
  COVERING[hidden.size ? "add" : "delete"](view)
  markPage()
}

function kept() {
  return JSON.parse(sessionStorage.getItem(RESULTS) ?? "{}")
}

function changeRevealed(view, by) {
  view.revealed += by
  sessionStorage.setItem(RESULTS, JSON.stringify({ ...kept(), [view.cover]: view.revealed }))
  cover(view)
}

function markPage() {
  document.documentElement.toggleAttribute(COVERED, COVERING.size > 0)
}

function coverFigure(view, figure, hide) {
  figure.classList.toggle("covered", hide)
  figure.querySelector(".reveal")?.remove()
  const bracket = figure.querySelector("td.bracket") // as high as the cells, without the labels
  if (bracket) bracket.ariaHidden = hide ? null : "true"
  if (!hide) return
  const name = `Reveal ${view.matrices.get(figure.dataset.id).name}`
  const button = element("button", { className: "reveal", type: "button", "aria-label": name, textContent: "?" })
  button.onclick = () => reveal(view) && document.dispatchEvent(new CustomEvent(REVEALED))
  ;(bracket ?? figure).append(button)
}

/** Put each question mark into the middle of the numbers that it covers. */
export function centreCovers(view) {
  for (const button of view.root.querySelectorAll(".reveal")) {
    const brackets = [...button.closest("figure").querySelectorAll("td.bracket")]
    if (!brackets.length) continue
    const [left, right] = brackets
    button.style.setProperty("--within", `${right.offsetLeft - left.offsetLeft - left.offsetWidth}px`)
  }
}

/** Show the results of the next line. Return false if all are shown. */
export function reveal(view) {
  if (!view.covered || !matchMedia(LARGE).matches) return false
  const line = view.root.querySelector(".covered").closest(".line")
  changeRevealed(view, 1)
  if (!view.data.staged) line.scrollIntoView({ block: "nearest" }) // a presented equation fits the window
  return true
}

/** Cover the results of the last revealed line again. Return false if none was revealed. */
export function coverAgain(view) {
  if (!view.cover || !view.revealed || !matchMedia(LARGE).matches) return false
  changeRevealed(view, -1)
  return true
}

/** Mark the cells whose numbers are in the sentence of a presented scene, once the sentence is shown. */
export function markSaid({ root, data }) {
  const shown = !document.documentElement.hasAttribute(ASKED)
  root.querySelectorAll("td.spoken").forEach((cell) => cell.classList.remove("spoken"))
  for (const [id, row, column] of shown ? data.said : []) {
    const figure = root.querySelector(`figure[data-id="${id}"]`)
    if (figure) find(figure, row, column)?.classList.add("spoken")
  }
}

/** Cover all results again, as they were when the scene opened. */
export function coverAll(view) {
  view.revealed = 0
  cover(view)
}

/** Remove an equation that has left the page from the equations with covered results. */
export function uncoverPage(view) {
  if (COVERING.delete(view)) markPage()
}
