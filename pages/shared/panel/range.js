// Range: a slider in a panel. The server hears where it rests. If its number stands in formulas, all that follows moves
// with the hand.

import { show } from "./numbers.js"
import { element } from "./elements.js"
import { OTHERS } from "./store.js"
import { changeSetting, sayWhatFollowed } from "./hand.js"
import { atRest, onceAFrame } from "./pace.js"

/** Return a slider for an item of a panel, with the function that shows new data in it. */
export function rangeOf(tell, view) {
  const input = element("input", { type: "range" })
  const value = element("output", { "aria-hidden": "true" })
  const ends = [element("span"), element("span")]
  const root = element(
    "div",
    { className: "range" },
    element("div", { className: "rail" }, value, input),
    element("div", { className: "ends", "aria-hidden": "true" }, ...ends),
  )
  const range = { root, input, value, ends, tell, item: undefined, isUnsent: false, setting: settingOf(view) }
  const move = onceAFrame(() => changeSetting(range.item.setting, input.valueAsNumber))
  range.tellAtRest = atRest(() => tellRange(range))
  input.oninput = () => {
    range.isUnsent = true
    paintRange(range)
    if (range.item.setting) {
      tell(range.item.name, input.valueAsNumber, false)
      move()
    }
    range.tellAtRest()
  }
  input.onpointerup = input.onchange = () => tellRange(range)
  range.show = (item) => showRange(range, item)
  range.leave = () => {
    range.tellAtRest.forget()
    move.forget()
    OTHERS.delete(range.setting)
  }
  return range
}

/** Return what the store of the page's numbers knows of a slider: the setting, and where the hand has moved it. */
function settingOf(view) {
  return {
    data: {},
    served: new Map(),
    get pending() {
      return view.pending.filter(({ kind, name }) => kind === "set" && name === this.data.name)
    },
  }
}

function tellRange(range) {
  range.tellAtRest.forget()
  const { item, input } = range
  if (range.isUnsent) range.tell(item.name, item.setting ? input.valueAsNumber : textAt(range))
  if (range.isUnsent && item.setting) {
    changeSetting(item.setting, input.valueAsNumber) // a key is let go before the next frame
    sayWhatFollowed(`${item.label}: ${range.value.textContent}`)
  }
  range.isUnsent = false
}

function showRange(range, item) {
  range.item = item
  range.setting.data = { ...item, formulas: {} }
  if (item.setting) OTHERS.add(range.setting)
  const { low, high, step, label, help } = item
  Object.assign(range.input, { min: low, max: high, step, ariaLabel: label, ariaDescription: help })
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
