// Typeset: draw formulas with the KaTeX that Streamlit has loaded for its own texts, so that they look the same.

const LOADED = 'link[rel="modulepreload"][href*="/rehype-katex."]' // Streamlit's script, if it has drawn a formula
const ATTRIBUTES = { className: "class", ariaHidden: "aria-hidden" }
const KATEX = { transform: null, isAsked: false }

/** Load KaTeX, if the page has it and it is not loaded yet. */
export function loadTypesetting() {
  const link = document.querySelector(LOADED)
  if (KATEX.isAsked || !link) return
  KATEX.isAsked = true
  import(link.href).then((module) => (KATEX.transform = module.default({})))
}

export function canTypeset() {
  return Boolean(KATEX.transform)
}

/** Return a formula on a line of its own as HTML. */
export function displayed(latex) {
  return typeset([formulaNode("math-display", latex)])
}

/** Return a line of Markdown as HTML. It may have formulas between dollars, and words between asterisks. */
export function inLine(markdown) {
  return typeset(
    markdown.split(/(\$[^$]*\$|\*[^*]*\*)/).map((part) => {
      if (part.startsWith("$")) return formulaNode("math-inline", part.slice(1, -1))
      return part.startsWith("*") ? elementNode("em", [textNode(part.slice(1, -1))]) : textNode(part)
    }),
  )
}

function typeset(children) {
  const tree = { type: "root", children }
  KATEX.transform(tree, { message: () => {} })
  return tree.children.map(htmlOf).join("")
}

function formulaNode(kind, latex) {
  return elementNode("code", [textNode(latex)], { className: ["language-math", kind] })
}

function elementNode(tagName, children, properties = {}) {
  return { type: "element", tagName, properties, children }
}

function textNode(value) {
  return { type: "text", value }
}

function htmlOf({ type, tagName, properties, children, value }) {
  if (type === "text") return escaped(value)
  const written = Object.entries(properties).map(
    ([name, given]) => ` ${ATTRIBUTES[name] ?? name}="${escaped([given].flat().join(" "))}"`,
  )
  return `<${tagName}${written.join("")}>${children.map(htmlOf).join("")}</${tagName}>`
}

function escaped(value) {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")
}
