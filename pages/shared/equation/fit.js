// Fit: an equation fits the width of its page, and while it is presented the height of the window as well.

import { centreCovers } from "./cover.js"
import { ALL, LARGE, roomOnStage } from "./stage.js"
import { fitAligned, fitLine, inStep, itemsOf, overflows, PHONE } from "./line.js"
import { enlarge, fitRoom, isWhole } from "./stage_fit.js"
import { widthsOf } from "./widths.js"

// If a board takes more than this share of the window's height, whose rest is for the title of a scene and its words:
// first tighter rows, then still tighter ones, then column names in its first line only, and captions of one line.
const DENSER = { dense: 0.68, denser: 0.68, terse: 0.74 }
const LEAST = 11 // pixels: numbers that are smaller cannot be read
const WAITING = (globalThis[Symbol.for("attention-lab.to-fit")] ??= new Set()) // equations of the whole page

/**
 * Fit an equation. If only its numbers are new, this waits until the browser has laid out all equations; and if the
 * numbers take as much room as those before, there is nothing to fit.
 */
export function fitSoon(view, anew) {
  const before = view.widths
  view.widths = widthsOf(view)
  if (anew || view.data.present) return fit(view, anew)
  if (view.widths === before) return
  if (!WAITING.size) requestAnimationFrame(fitWaiting)
  WAITING.add(view)
}

function fitWaiting() {
  const views = [...WAITING]
  WAITING.clear() // before they are fitted: what comes next waits for a frame of its own, whatever happens here
  inStep(views.flatMap((view) => stepsToFit(view, false)))
}

/** Fit an equation, from the beginning if it was drawn anew or has another width. */
function fit(view, anew) {
  const { root, data } = view
  view.fitting ??= watch(view)
  const onStage = data.present && matchMedia(LARGE).matches
  root.classList.toggle("presented", data.present)
  if (onStage && data.staged && !anew && view.fitted === stageLook(view)) return
  root.classList.remove(...Object.keys(DENSER))
  enlarge(root, 1)
  fitWidth(view, anew)
  if (onStage) data.staged ? fitStage(view) : tighten(view, (share) => root.offsetHeight <= share * innerHeight)
  centreCovers(view)
}

/** Let what a scene is about fit the window: as tight as it must be, then as large as it can be. */
function fitStage(view) {
  const { root } = view
  tighten(view, () => isWhole(root, roomOnStage(root)))
  fitRoom(root, () => fitWidth(view, true))
  view.fitted = stageLook(view)
}

/** Make a board tighter until it fits. */
function tighten(view, fits) {
  for (const [degree, share] of Object.entries(DENSER)) {
    if (fits(share)) return
    view.root.classList.add(degree)
    fitWidth(view, true)
  }
}

function fitWidth(view, anew) {
  inStep(stepsToFit(view, anew))
}

/** The steps that let an equation fit, for all of its lines together or for each. */
function stepsToFit(view, anew) {
  const { root, data } = view
  const look = lookOf(view)
  const fresh = anew || data.present || look !== view.fitted
  view.fitted = look
  if (!root.clientWidth) return [] // not on the screen
  const lines = [...root.querySelectorAll(".line")]
  const least = data.present ? 1 : LEAST / rem()
  const wide = (box) => fresh || overflows(box)
  if (!data.aligned || matchMedia(PHONE).matches) return lines.filter((line) => wide(itemsOf(line))).map((line) => fitLine(line, least))
  const pairs = [...root.querySelectorAll(".pair")]
  return pairs.some(wide) ? [fitBoard(root, lines, pairs, least)] : []
}

/** Let aligned lines fit; those that are too wide even when they are small stand each for itself. */
function* fitBoard(root, lines, pairs, least) {
  root.classList.add("aligned")
  if (yield* fitAligned(lines, pairs, least)) return
  root.classList.remove("aligned")
  inStep(lines.map((line) => fitLine(line, least)))
}

/** What the size of an equation depends on, beside what stands in it. */
function lookOf({ root, data }) {
  return [root.clientWidth, rem(), data.present && innerHeight].join()
}

/** What the size of an equation on the stage depends on. */
function stageLook({ root, widths }) {
  return [window.innerWidth, rem(), Math.round(roomOnStage(root)), widths].join()
}

function rem() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize)
}

/** Fit again when type or window have changed, and when letters have come that take other room than those before. */
function watch(view) {
  const look = () => (view.data.present && view.data.staged ? stageLook(view) : lookOf(view))
  const again = () => view.root.isConnected && look() !== view.fitted && fit(view, false)
  const observer = new ResizeObserver(() => requestAnimationFrame(again))
  observer.observe(view.root)
  observer.observe(document.querySelector(ALL)) // words above a presented board leave it less room
  if (document.fonts.status === "loading") {
    const before = roomOf(view)
    document.fonts.ready.then(() => roomOf(view) !== before && fit(view, true))
  }
  return observer
}

function roomOf({ root }) {
  return [root, ...root.querySelectorAll("figure, .sign")].map((box) => [box.offsetWidth, box.offsetHeight]).join()
}
