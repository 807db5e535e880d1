// Range: a slider in a panel. The server hears where it rests.

import { show } from "./numbers.js"
import { element } from "./elements.js"
import { atRest } from "./pace.js"

/** Return a slider for an item of a panel, with the function that shows new data in it. */
export function rangeOf(tell) {
  const input = element("input", { type: "range" })
  const value = element("output", { "aria-hidden": "true" })
  const ends = [element("span"), element("span")]
  const root = element(
    "div",
    { className: "range" },
    element("div", { className: "rail" }, value, input),
    element("div", { className: "ends", "aria-hidden": "true" }, ...ends),
  )
  const range = { root, input, value, ends, item: undefined, isUnsent: false }
  const rest = () => {
    range.tellAtRest.forget()
    if (range.isUnsent) tell(range.item.name, textAt(range))
    range.isUnsent = false
  }
  range.tellAtRest = atRest(rest)
  input.oninput = () => {
    range.isUnsent = true
    paintRange(range)
    range.tellAtRest()
  }
  input.onpointerup = input.onchange = rest
  range.show = (item) => showRange(range, item)
  return range
}

function showRange(range, item) {
  range.item = item
  const { low, high, step, label } = item
  Object.assign(range.input, { min: low, max: high, step, ariaLabel: label })
  if (!range.isUnsent) range.input.value = item.value
  range.ends.forEach((end, n) => (end.textContent = writtenAt(range, [low, high][n])))
  paintRange(range)
}

function textAt({ item, input }) {
  return item.texts?.[input.valueAsNumber] ?? String(input.valueAsNumber)
}

/** Return a number of the slider as it is written: with as many decimals as a step has, or in its own words. */
function writtenAt({ item }, value) {
  return item.shown?.[value] ?? show(value, (String(item.step).split(".")[1] ?? "").length)
}

/** Write the number above the slider's thumb, and colour the line before the thumb. */
function paintRange(range) {
  const { low, high } = range.item
  const value = range.input.valueAsNumber
  range.value.textContent = writtenAt(range, value)
  range.input.setAttribute("aria-valuetext", range.value.textContent)
  range.root.style.setProperty("--part", high > low ? (value - low) / (high - low) : 0)
}
