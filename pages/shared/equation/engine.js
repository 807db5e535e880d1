// The engine draws the components of a page. The page loads it once, so that components do not send it with every edit.

/** Draw the components of a kind from now on, and also those that came earlier and have waited. */
export function draws(kind, style, receive) {
  const engine = (window[kind] ??= { waiting: new Set() })
  if (engine.receive) return // the page has an engine of this kind already, and it knows its components
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  engine.receive = (sent) => (dress(sent.parentElement.getRootNode(), sheet), receive(sent))
  engine.waiting.forEach((start) => start())
  engine.waiting.clear()
}

function dress(root, sheet) {
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
