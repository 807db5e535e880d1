// Options: a group of buttons in a panel. One of them is chosen, or each of them is pressed or not.

import { element, symbol } from "./elements.js"

/** Return a group of buttons for an item of a panel, with the function that shows new data in it. */
export function optionsOf(tell) {
  const root = element("div", { className: "options" })
  const group = { root, item: undefined, buttons: [] }
  root.onkeydown = (event) => moveFocus(group, event)
  group.show = (item) => showOptions(group, item, tell)
  return group
}

function showOptions(group, item, tell) {
  const isOne = item.sends === "one"
  group.item = item
  group.root.role = isOne ? "radiogroup" : "group"
  group.root.ariaLabel = item.label
  while (group.buttons.length > item.options.length) group.buttons.pop().remove()
  item.options.forEach((option, n) => {
    const made = (group.buttons[n] ??= group.root.appendChild(element("button", { type: "button" })))
    if (made.dataset.label !== option.label) label(made, option.label)
    made.onclick = () => press(group, option, tell)
    if (isOne) made.role = "radio"
    else made.removeAttribute("role")
  })
  paintOptions(group)
}

function label(button, text) {
  button.dataset.label = text
  button.replaceChildren(...partsOf(text))
}

/** Return the parts of a label. Between dollar signs it has the symbol of a matrix, and d_model is a symbol as well. */
export function partsOf(text) {
  return text
    .split(/(\$[^$]*\$|d_model)/)
    .flatMap((part, n) => (n % 2 ? symbol(part.replaceAll("$", "")) : part))
}

/** Show at once what a press changes, and tell the server. */
function press(group, option, tell) {
  const { sends, options } = group.item
  const isOne = sends.startsWith("one")
  if (sends === "one" && option.on) return
  for (const each of options) if (each === option ? true : isOne) each.on = each === option && !option.on
  paintOptions(group)
  if (sends === "each") tell(option.name, option.on ? "on" : "off")
  else tell(option.name, options.filter(({ on }) => on).map(({ text }) => text).join("."))
}

function paintOptions({ item, buttons }) {
  const isOne = item.sends === "one"
  const first = Math.max(0, item.options.findIndex(({ on }) => on))
  item.options.forEach(({ on }, n) => {
    buttons[n].setAttribute(isOne ? "aria-checked" : "aria-pressed", on)
    buttons[n].removeAttribute(isOne ? "aria-pressed" : "aria-checked")
    buttons[n].tabIndex = !isOne || n === first ? 0 : -1
  })
}

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/** Move along the group with the arrow keys. Where one option is chosen, the option with the focus is chosen. */
function moveFocus({ item, buttons, root }, event) {
  const at = buttons.indexOf(root.getRootNode().activeElement)
  const step = STEPS[event.key]
  if (!step || at < 0 || event.altKey || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  const next = buttons[(at + step + buttons.length) % buttons.length]
  next.focus()
  if (item.sends === "one") next.click()
}
