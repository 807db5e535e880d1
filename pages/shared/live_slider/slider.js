// Slider: the component that draws a slider whose number stands in formulas. While it moves, their matrices follow.

import { show } from "./numbers.js"
import { element } from "./elements.js"
import { uniqueId } from "./unique_id.js"
import { noEvents, send, takeAnswer } from "./events.js"
import { component } from "./component.js"
import { checkSoon, OTHERS, takeSettings } from "./store.js"
import { changeSetting } from "./hand.js"
import { atRest, onceAFrame } from "./pace.js"

export default component({ mount, update, leave })

function mount(parentElement) {
  const root = parentElement.querySelector(".live_slider")
  const view = { root, ...noEvents(), gesture: uniqueId(), served: new Map(), isUnsent: false }
  view.input = element("input", { type: "range", id: "number", "aria-describedby": "help" })
  view.label = element("label", { htmlFor: "number" })
  view.help = element("span", { id: "help", role: "tooltip" })
  view.why = element("button", { type: "button", textContent: "?", "aria-label": "Help", "aria-describedby": "help" })
  view.value = element("output", { htmlFor: "number", "aria-hidden": "true" })
  view.ends = [element("span"), element("span")]
  root.append(
    element("div", { className: "words" }, view.label, view.why, view.help),
    element("div", { className: "rail" }, view.value, view.input),
    element("div", { className: "ends", "aria-hidden": "true" }, ...view.ends),
  )
  view.show = onceAFrame(() => changeSetting(view.data.setting, view.input.valueAsNumber))
  view.tellAtRest = atRest(() => tell(view))
  view.input.oninput = () => move(view)
  view.input.onpointerup = () => tell(view)
  OTHERS.add(view)
  return view
}

function leave(view) {
  view.tellAtRest.forget()
  view.show.forget()
  OTHERS.delete(view)
  takeSettings()
}

/** Follow the visitor's hand. */
function move(view) {
  send(view, eventOf(view), false)
  view.isUnsent = true
  paint(view)
  view.show()
  view.tellAtRest()
}

/** Tell the server where the slider rests, unless it has heard this already. */
function tell(view) {
  view.tellAtRest.forget()
  if (view.isUnsent) send(view, eventOf(view))
  view.isUnsent = false
}

function eventOf(view) {
  return { kind: "set", name: view.data.name, value: view.input.valueAsNumber, gesture: view.gesture }
}

function update(view, data) {
  takeAnswer(view, data)
  takeSettings()
  checkSoon()
  const { low, high, step, label, help } = data
  Object.assign(view.input, { min: low, max: high, step })
  // An answer that is older than the last move does not push the slider back.
  view.input.value = view.pending.at(-1)?.value ?? data.value
  view.label.textContent = label
  view.help.textContent = help
  view.why.hidden = view.help.hidden = !help
  view.ends.forEach((end, n) => (end.textContent = written(view, [low, high][n])))
  paint(view)
}

/** Write the number above the slider's thumb, and colour the line before the thumb. */
function paint(view) {
  const { low, high } = view.data
  const value = view.input.valueAsNumber
  view.value.textContent = written(view, value)
  view.input.setAttribute("aria-valuetext", view.value.textContent)
  view.root.style.setProperty("--part", (value - low) / (high - low))
}

/** Return a number with as many decimals as a step of the slider has. */
function written({ data }, value) {
  return show(value, (String(data.step).split(".")[1] ?? "").length)
}
