// Panel: the component that draws controls beside each other. What is pressed is shown at once, and told to the server.

import { element } from "./elements.js"
import { noEvents, send, takeAnswer } from "./events.js"
import { component } from "./component.js"
import { takeSettings } from "./store.js"
import { optionsOf, partsOf } from "./options.js"
import { rangeOf } from "./range.js"
import { stayInPlace } from "./stay.js"

export default component({ mount, update, leave })

const KINDS = { options: optionsOf, range: rangeOf, list: listOf, switch: switchOf, button: buttonOf, line: lineOf }
const NAMELESS = new Set(["button", "line"]) // these have no name above them

function mount(parentElement) {
  return { root: parentElement.querySelector(".panel"), ...noEvents(), controls: new Map() }
}

function leave({ controls }) {
  for (const { leave } of controls.values()) leave?.()
  takeSettings()
}

function update(view, data) {
  takeAnswer(view, data)
  takeSettings()
  if (view.pending.length) return // an answer that is older than the last press shows nothing that is pressed
  const kept = new Set()
  for (const [n, item] of data.items.entries()) {
    const key = [item.kind, item.name, { button: item.label, line: n }[item.kind]].join(" ")
    if (!view.controls.has(key)) view.controls.set(key, controlOf(view, item))
    const control = view.controls.get(key)
    control.describe(item)
    control.show(item)
    kept.add(key)
  }
  for (const [key, { frame, leave }] of [...view.controls].filter(([key]) => !kept.has(key))) {
    leave?.()
    frame.remove()
    view.controls.delete(key)
  }
  putInOrder(view.root, [...kept].map((key) => view.controls.get(key).frame))
}

/** Put children in order. A child that is in its place is not moved, because it would lose the focus. */
function putInOrder(root, frames) {
  frames.forEach((frame, n) => root.children[n] !== frame && root.insertBefore(frame, root.children[n] ?? null))
}

/** Return a control with its name and its help above it. */
function controlOf(view, { kind, setting, bare }) {
  const eventOf = (value) => (typeof value === "number" ? { kind: "set", value } : { kind: "choose", text: value })
  const tell = (name, value, now = true) => {
    if (now) stayInPlace(control.frame)
    send(view, { ...eventOf(value), name, gesture: name }, now)
  }
  const control = KINDS[kind](tell, view)
  const name = element("span", { className: "name" })
  if (kind === "switch") name.onclick = () => control.root.click()
  const help = element("span", { role: "tooltip" })
  const why = element("button", { type: "button", className: "why", textContent: "?", "aria-label": "Help" })
  const words = element("div", { className: "words" }, name, why, help)
  const className = `item of-${kind}${setting ? " live" : ""}${bare ? " bare" : ""}`
  control.frame = element("div", { className }, NAMELESS.has(kind) || bare ? null : words, control.root)
  control.describe = (item) => {
    name.replaceChildren(...partsOf(item.label ?? ""))
    help.textContent = item.help ?? ""
    why.hidden = help.hidden = !item.help
    why.ariaDescription = item.help ?? ""
  }
  return control
}

function listOf(tell) {
  const root = element("select")
  const show = ({ name, label, options }) => {
    root.ariaLabel = label
    root.replaceChildren(...options.map(({ text, label }) => element("option", { value: text, textContent: label })))
    root.value = options.find(({ on }) => on)?.text ?? ""
    root.onchange = () => tell(name, root.value)
  }
  return { root, show }
}

function switchOf(tell) {
  const root = element("button", { type: "button", role: "switch" }, element("span", { className: "knob" }))
  const show = ({ name, label, on }) => {
    root.ariaLabel = label
    root.ariaChecked = on
    root.onclick = () => {
      root.ariaChecked = root.ariaChecked !== "true"
      tell(name, root.ariaChecked === "true" ? "on" : "off")
    }
  }
  return { root, show }
}

function buttonOf(tell) {
  const root = element("button", { type: "button", className: "press" })
  const show = ({ label, icon: picture, sets, disabled }) => {
    const drawn = element("span", { className: "picture", "aria-hidden": "true", textContent: picture })
    root.replaceChildren(...(picture ? [drawn] : []), label)
    root.ariaDisabled = disabled
    root.onclick = () => disabled || sets.forEach(([name, text]) => tell(name, text))
  }
  return { root, show }
}

function lineOf() {
  return { root: element("div"), show: () => {} }
}
