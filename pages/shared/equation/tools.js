// Tools: undo, redo, back to the example; they take back the edits of the whole page, beside its first equation.

import { element } from "./elements.js"
import { icon } from "./icons.js"

const TOOLS = [
  ["undo", "Undo", "Take back the last change (Ctrl+Z in a matrix)"],
  ["redo", "Redo", "Do it again (Ctrl+Y in a matrix)"],
  ["reset", "Back to the example", "Take back all changes"],
]

export function toolbar(actions) {
  const buttons = TOOLS.map(([kind, name, title]) => {
    const button = element("button", { type: "button", title }, icon(kind), ` ${name}`)
    button.dataset.kind = kind
    // A button that is really disabled would lose the keyboard's focus with the last step.
    button.onclick = () => button.ariaDisabled === "true" || actions.send({ kind })
    return button
  })
  const edited = element("span", { className: "edited", role: "status" })
  return element("div", { className: "tools", role: "toolbar", "aria-label": "Your changes" }, ...buttons, edited)
}

/** Say which of the tools there is something to do for. */
export function showHistory(bar, history) {
  for (const button of bar.querySelectorAll("button")) button.ariaDisabled = String(!history[button.dataset.kind])
  bar.querySelector(".edited").textContent = history.reset ? "Changed from the example." : ""
}
