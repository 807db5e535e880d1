// Cover: in the presenter view a result stays blank until it is revealed, line by line.

import { element } from "./elements.js"
import { figures, find } from "./figures.js"
import { ASKED, COVERED, LARGE, RESULTS, REVEALED } from "./stage.js"

const COVERING = (globalThis[Symbol.for("attention-lab.covering")] ??= noneYet()) // equations, of the whole page

/** Forget what was revealed before this page was opened by a link. A page that is loaded again keeps it. */
function noneYet() {
  if (performance.getEntriesByType("navigation")[0]?.type === "navigate") sessionStorage.removeItem(RESULTS)
  return new Set()
}

/** What a line arrives at: the matrices after its first "=" or arrow, or those before an arrow that points back. */
function results({ items }) {
  const back = items.findIndex((item) => item.text === "←")
  const sign = items.findIndex((item) => item.arrow || item.text === "=")
  const arrived = back >= 0 ? items.slice(0, back) : sign >= 0 ? items.slice(sign + 1) : []
  return arrived.filter((item) => item.values && !item.editable).map((item) => item.id)
}

/** What each reveal shows: all at once what a scene lets wait, or else a line's results without those of lines before. */
function steps({ lines, waits }) {
  const here = new Set(lines.flatMap(({ items }) => items.map(({ id }) => id)))
  const waiting = waits.filter((id) => here.has(id)) // another state of the page may not show them
  if (waiting.length) return [waiting]
  const seen = new Set()
  const fresh = (id) => !seen.has(id) && seen.add(id)
  return lines.map((line) => results(line).filter(fresh)).filter((ids) => ids.length)
}

/** Cover what is not revealed yet; another scene covers anew. */
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

function turn(view, by) {
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
  const bracket = figure.querySelector("td.bracket") // as high as the cells, and beside the labels
  if (bracket) bracket.ariaHidden = hide ? null : "true"
  if (!hide) return
  const name = `Reveal ${view.matrices.get(figure.dataset.id).name}`
  const button = element("button", { className: "reveal", type: "button", "aria-label": name, textContent: "?" })
  button.onclick = () => reveal(view) && document.dispatchEvent(new CustomEvent(REVEALED))
  ;(bracket ?? figure).append(button)
}

/** Let the question marks stand in the middle of what waits. */
export function centreCovers(view) {
  for (const button of view.root.querySelectorAll(".reveal")) {
    const brackets = [...button.closest("figure").querySelectorAll("td.bracket")]
    if (!brackets.length) continue
    const [left, right] = brackets
    button.style.setProperty("--within", `${right.offsetLeft - left.offsetLeft - left.offsetWidth}px`)
  }
}

/** Show the next line's results; false where all are shown. */
export function reveal(view) {
  if (!view.covered || !matchMedia(LARGE).matches) return false
  const line = view.root.querySelector(".covered").closest(".line")
  turn(view, 1)
  line.scrollIntoView({ block: "nearest" })
  return true
}

/** Cover the last line's results again; false where none was revealed. */
export function coverAgain(view) {
  if (!view.cover || !view.revealed || !matchMedia(LARGE).matches) return false
  turn(view, -1)
  return true
}

/** Mark the cells whose numbers the sentence of a presented scene says, once it is shown. */
export function markSaid({ root, data }) {
  const shown = !document.documentElement.hasAttribute(ASKED)
  root.querySelectorAll("td.spoken").forEach((cell) => cell.classList.remove("spoken"))
  for (const [id, row, column] of shown ? data.said : []) {
    const figure = root.querySelector(`figure[data-id="${id}"]`)
    if (figure) find(figure, row, column)?.classList.add("spoken")
  }
}

/** Cover all results, as when the scene was opened first. */
export function coverAll(view) {
  view.revealed = 0
  cover(view)
}

/** An equation that left the page covers nothing. */
export function uncoverPage(view) {
  if (COVERING.delete(view)) markPage()
}
