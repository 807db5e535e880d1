// The engine: what draws the components of a page. It comes once, where each would bring it along with every edit.

/** Let a page draw the components of a kind, in a style, from now on; those that came before have waited for it. */
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
