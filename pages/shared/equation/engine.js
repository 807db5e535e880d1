// Engine: the code that draws the components of a page. It is loaded once, so components do not send it with each edit.

/** Draw the components of this kind: those that have waited for the engine, and all later ones. */
export function draws(kind, style, receive) {
  const engine = (window[kind] ??= { waiting: new Set() })
  if (engine.receive) return // the page has an engine of this kind already, and it knows its components
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style)
  engine.receive = (sent) => {
    dress(sent.parentElement.getRootNode(), sheet)
    return receive(sent)
  }
  engine.waiting.forEach((start) => start())
  engine.waiting.clear()
}

function dress(root, sheet) {
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
