// The engine: what draws the components of a page. The page loads it once, or else each component would at every edit.

/** Draw the components of a kind from now on, and those that have come before and waited. */
export function draws(kind, style, receive) {
  const engine = (window[kind] ??= { waiting: new Set() })
  if (engine.receive) return // the page has one already, which knows its components
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  engine.receive = (sent) => (dress(sent.parentElement.getRootNode(), sheet), receive(sent))
  engine.waiting.forEach((start) => start())
  engine.waiting.clear()
}

function dress(root, sheet) {
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
