// Equipment: what a page does once it is drawn, besides drawing.

import { refuseLongTexts } from "./long_text.js"
import { watchHues } from "./hues.js"
import { holdPages } from "./next_page.js"
import { VERSION } from "./constants.js"

const LAB = Symbol.for("attention-lab")
const ARRIVED = Symbol.for("attention-lab.arrived") // the page that was opened last
const CLOSES = '[class*="st-key-tool-"], [class*="st-key-present"]'
const SETTLED = 4000 // milliseconds in which a new page grows to its full height

let closing = 0 // the timer that closes the list of further tools

if (!globalThis[LAB]) {
  refuseLongTexts(document)
  holdPages()
  watchHues()
  document.addEventListener("click", closeTools, true) // first, because a click on a switch comes no further
}
globalThis[LAB] = { version: VERSION, arrive }

/** Close the list of further tools once a tool of it opens a dialog or the presenter view, which it would cover. */
function closeTools({ target }) {
  if (target.closest('[data-testid="stPopoverBody"]') && target.closest(CLOSES))
    closing = closing || setTimeout(pressMore) // once the tool has been pressed, and once, for a name and its switch
}

/** Press the list's button as a mouse does: after a press of no pointer, a dialog would not take the focus. */
function pressMore() {
  closing = 0
  document.querySelector(".st-key-more button")?.dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 1 }))
}

/** Mark the entry of the menu with the page that is drawn, and show the task that a link opens. */
function arrive({ entry }) {
  document.documentElement.dataset.labEntry = entry
  if (window[ARRIVED] !== location.pathname && new URLSearchParams(location.search).has("task")) showTask()
  window[ARRIVED] = location.pathname
}

/** Scroll to the task that a link opens. Repeat this while the page grows, until the visitor does something. */
function showTask() {
  const growing = new ResizeObserver(() => document.getElementById("try-it")?.scrollIntoView())
  const rest = () => growing.disconnect()
  growing.observe(document.querySelector("[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]"))
  for (const type of ["wheel", "touchstart", "pointerdown", "keydown"])
    window.addEventListener(type, rest, { once: true })
  setTimeout(rest, SETTLED)
}
