// Cover: in the presenter view a result stays blank until it is revealed, line by line.

import { element } from "./elements.js"
import { figures } from "./figures.js"

export const REVEAL = "attention-lab:reveal"
const REVEALED = "attention-lab:revealed" // by a press on the cover itself
export const COVER = "attention-lab:cover" // the last result again
export const LARGE = "(min-width: 700px)" // a phone in the audience shows the page as usual
const COVERING = (globalThis[Symbol.for("attention-lab.covering")] ??= new Set()) // equations, of the whole page
const COVERED = "data-lab-covered" // on the page while something is: what follows the equation would give it away
const KEPT = "attention-lab.revealed" // by scene, how much of it is revealed: a reload and a way back keep that

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
  for (const figure of figures(view)) coverFigure(view, figure, hidden.has(figure.dataset.id))
  COVERING[hidden.size ? "add" : "delete"](view)
  markPage()
}

function kept() {
  return JSON.parse(sessionStorage.getItem(KEPT) ?? "{}")
}

function turn(view, by) {
  view.revealed += by
  sessionStorage.setItem(KEPT, JSON.stringify({ ...kept(), [view.cover]: view.revealed }))
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

/** An equation that left the page covers nothing. */
export function uncoverPage(view) {
  if (COVERING.delete(view)) markPage()
}
