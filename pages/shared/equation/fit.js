// Fit: make an equation fit the width of its page and, if it is presented, also the height of the window.

import { centreCovers } from "./cover.js"
import { ALL, LARGE, roomOnStage } from "./stage.js"
import { fitAligned, fitLine, inStep, itemsOf, overflows } from "./line.js"
import { PHONE } from "./heads.js"
import { markSlides } from "./slides.js"
import { enlarge, fitRoom, isWhole } from "./stage_fit.js"
import { figures } from "./figures.js"

// The equation of a presented scene gets denser if it takes more than this share of the window's height, because the
// scene's title and words need the rest. First its rows get tighter, then still tighter; at last it has column names in
// its first line only, and short captions.
const DENSER = { dense: 0.68, denser: 0.68, terse: 0.74 }
const LEAST = 11 // pixels: smaller numbers cannot be read
const WAITING = (globalThis[Symbol.for("attention-lab.to-fit")] ??= new Set()) // all equations that wait to be fitted

/**
 * Fit an equation. If only its numbers are new, wait until the browser has laid out all equations, or do nothing if
 * no cell has become wider.
 */
export function fitSoon(view, anew) {
  const before = view.widths
  view.widths = widthsOf(view)
  if (anew || view.data.present) return fit(view, anew)
  if (view.widths === before) return
  if (!WAITING.size) requestAnimationFrame(fitWaiting)
  WAITING.add(view)
}

/** Return a text that changes with the widths of cells, and if a matrix gets or loses the pen beside its name. */
function widthsOf(view) {
  return figures(view)
    .map(({ dataset, room }) => [dataset.use, room?.wide].join())
    .join(" ")
}

function fitWaiting() {
  const views = [...WAITING]
  WAITING.clear() // cleared before fitting, so that later equations get a frame of their own even after an error
  inStep(views.flatMap((view) => stepsToFit(view, false)))
  views.forEach(({ root }) => markSlides(root))
}

/** Fit an equation. If it was drawn anew or has another width, begin from its full size. */
function fit(view, anew) {
  const { root, data } = view
  view.fitting ??= watch(view)
  const onStage = data.present && matchMedia(LARGE).matches
  root.classList.toggle("presented", data.present)
  if (onStage && data.staged && !anew && view.fitted === stageLook(view)) return
  if (onStage && data.staged) fitStage(view)
  else {
    loosen(view, anew)
    if (onStage) tighten(view, (share) => root.offsetHeight <= share * innerHeight)
  }
  markSlides(root)
  centreCovers(view)
}

/**
 * Fit the equation of a presented scene into the window: make it as dense as necessary, then as large as possible. If
 * it becomes small, try names that lie flat above wider columns, which take less height than names that lean.
 */
function fitStage(view) {
  const leaning = fitNames(view, "leaning")
  if (leaning < 1 && view.root.querySelector(".leans") && fitNames(view, "flat") <= leaning) fitNames(view, "leaning")
  view.fitted = stageLook(view)
}

/** Fit a presented equation whose names of columns lie flat, or lean where they must. Return by how much it grows. */
function fitNames(view, names) {
  const { root } = view
  loosen(view, true, names)
  tighten(view, () => isWhole(root, roomOnStage(root)))
  return fitRoom(root, () => fitWidth(view, true))
}

/** Give an equation its usual size and density again. */
function loosen(view, anew, names) {
  view.root.classList.remove(...Object.keys(DENSER))
  view.root.classList.toggle("flat", names === "flat")
  enlarge(view.root, 1)
  fitWidth(view, anew)
}

/** Make an equation denser until `fits` returns true for the share of the height that it may take. */
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

/** Return generators that make an equation fit: one for all of its lines together, or one for each line. */
function stepsToFit(view, anew) {
  const { root, data } = view
  const look = lookOf(view)
  const fresh = anew || data.present || look !== view.fitted
  view.fitted = look
  if (!root.clientWidth) return [] // not on the screen
  const lines = [...root.querySelectorAll(".line")]
  const least = data.present ? 1 : LEAST / rem()
  const wide = (box) => fresh || overflows(box)
  if (!data.aligned || matchMedia(PHONE).matches)
    return lines.filter((line) => wide(itemsOf(line))).map((line) => fitLine(line, least))
  const pairs = [...root.querySelectorAll(".pair")]
  return pairs.some(wide) ? [fitBoard(root, lines, pairs, least)] : []
}

/** Make aligned lines fit. If they are too wide even when they are small, do not align them. */
function* fitBoard(root, lines, pairs, least) {
  root.classList.add("aligned")
  if (yield* fitAligned(lines, pairs, least)) return
  root.classList.remove("aligned")
  inStep(lines.map((line) => fitLine(line, least)))
}

/** Return a text with all that the size of an equation depends on, apart from its contents. */
function lookOf({ root, data }) {
  return [root.clientWidth, rem(), data.present && innerHeight].join()
}

/** Return a text with all that the size of a presented equation depends on. */
function stageLook({ root, widths }) {
  return [window.innerWidth, rem(), Math.round(roomOnStage(root)), widths].join()
}

function rem() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize)
}

/** Fit again when the window or the font size changes, and when letters come late. */
function watch(view) {
  const look = () => (view.data.present && view.data.staged ? stageLook(view) : lookOf(view))
  const again = () => view.root.isConnected && look() !== view.fitted && fit(view, false)
  const observer = new ResizeObserver(() => requestAnimationFrame(again))
  observer.observe(view.root)
  const all = document.querySelector(ALL) // missing while only the first screen of a page stands
  if (all) observer.observe(all) // the words above a presented equation take some of its height
  watchLetters(view)
  return observer
}

/** Fit again when letters come late that are wider than those before. */
function watchLetters(view) {
  let before = roomOf(view)
  const again = () => {
    if (!view.root.isConnected) return document.fonts.removeEventListener("loadingdone", again)
    if (roomOf(view) !== before) fit(view, true)
    before = roomOf(view)
  }
  document.fonts.addEventListener("loadingdone", again)
}

function roomOf({ root }) {
  return [root, ...root.querySelectorAll("figure, .sign")].map((box) => [box.offsetWidth, box.offsetHeight]).join()
}
