// The engine: draws every equation of the page. It comes once, where each equation would bring it along with every edit.

import { ENGINE, STYLE } from "./constants.js"
import { watchCards } from "./card.js"
import { receive } from "./equation.js"

const SHEET = new CSSStyleSheet()
SHEET.replaceSync(STYLE)

export function startEngine() {
  const engine = (window[ENGINE] ??= { waiting: new Set() })
  if (engine.receive) return // the page has one already, which knows its equations
  watchCards()
  engine.receive = (component) => (dress(component.parentElement.getRootNode()), receive(component))
  engine.waiting.forEach((start) => start())
  engine.waiting.clear()
}

function dress(root) {
  if (!root.adoptedStyleSheets.includes(SHEET)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, SHEET]
}
