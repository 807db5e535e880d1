// Boxes: the matrices of one head as boxes, a line for each step. After the answer, a press on a box chooses it.

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".boxes")
  const focused = [...root.querySelectorAll("button")].indexOf(parentElement.activeElement ?? root.getRootNode().activeElement)
  root.replaceChildren(...data.steps.map((step) => line(step, data.chosen, (name) => setTriggerValue("box", name))))
  root.querySelectorAll("button")[focused]?.focus()
}

/** Return one step: its boxes, and below them what the step computes, in words. */
function line({ said, items }, chosen, choose) {
  const step = made("div", { role: "group", ariaLabel: said }, ...items.map((item) => drawn(item, chosen, choose)))
  step.append(made("small", { className: "said", textContent: said }))
  return step
}

function drawn(item, chosen, choose) {
  if (item.sign) return made("span", { textContent: item.sign })
  const symbol = made("b", {}, item.base, ...(item.raised ? [made("sup", { textContent: item.raised })] : []))
  const shape = made("small", { textContent: `${item.shape}${item.learned ? " learned" : ""}` })
  const className = item.learned ? "box learned" : "box"
  if (chosen === null) return made("span", { className }, symbol, shape)
  const button = made("button", { type: "button", className, title: item.said }, symbol, shape)
  button.ariaPressed = String(item.name === chosen)
  button.onclick = () => choose(item.name)
  return button
}

function made(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}
