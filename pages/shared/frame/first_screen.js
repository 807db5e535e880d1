// First screen: it stands until the page below it is whole, and then leaves at once. A press on it is done afterwards.

import { drawParts } from "./first_parts.js"
import { untilWhole } from "./whole.js"

const LONGEST = 10_000 // milliseconds; then the page is shown in any case
const FIRST = document.getElementById("lab-first")

if (FIRST) stand(FIRST)

async function stand(first) {
  let pressed = null
  document.documentElement.dataset.labFirst = ""
  first.addEventListener("click", (event) => {
    const live = event.target.closest("[data-live]")
    pressed = live ? JSON.parse(live.dataset.live) : pressed
  })
  const end = drawParts(first)
  showPlace(first)
  document.fonts.load("1rem 'Source Sans'").then(() => showPlace(first)) // now the stations have their widths
  await untilWhole(LONGEST)
  delete document.documentElement.dataset.labFirst
  first.remove()
  end()
  if (pressed) press(...pressed)
}

/** Scroll the map to the present station, as the map itself does. */
function showPlace(first) {
  const list = first.querySelector(".map")?.shadowRoot?.querySelector("ol")
  const here = list?.querySelector("[aria-current]")
  if (here) list.scrollLeft = here.offsetLeft - (list.clientWidth - here.offsetWidth) / 2
}

function press(selector, text) {
  const live = [...document.querySelectorAll(selector)].find((each) => each.textContent.includes(text))
  live?.click()
}
