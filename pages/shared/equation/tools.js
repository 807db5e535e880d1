// Tools: undo, redo, back to the example. They are above the first equation and act on the edits of the whole page.

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
    // A button with `disabled` would lose the keyboard's focus after the last step, so it is disabled for ARIA only.
    button.onclick = () => button.ariaDisabled === "true" || actions.send({ kind })
    return button
  })
  const edited = element("span", { className: "edited", role: "status" })
  return element("div", { className: "tools", role: "toolbar", "aria-label": "Your changes" }, ...buttons, edited)
}

/** Enable the tools that have something to do. */
export function showHistory(bar, history) {
  for (const button of bar.querySelectorAll("button")) button.ariaDisabled = String(!history[button.dataset.kind])
  bar.querySelector(".edited").textContent = history.reset ? "Changed from the example." : ""
}
