// First parts: the beginning of the lesson on the first screen. It is drawn by the same code as the page, and shown
// when its formulas and its numbers are there.

/** Draw the parts of the first screen. Return a function that ends them. */
export function drawParts(first) {
  const parts = first.querySelector(".parts")
  if (!parts) return () => {}
  const figures = [...parts.querySelectorAll("[data-symbol]")].map(drawFigure)
  const fonts = ["1rem 'Source Sans'", "700 1rem 'Source Sans'"].map((font) => document.fonts.load(font))
  Promise.all([typeset(parts), ...fonts])
    .then(() => document.fonts.ready) // the names of matrices have letters of their own, by which equations are fitted
    .then(() => requestAnimationFrame(() => parts.classList.add("drawn")))
  return () => figures.forEach((end) => end?.())
}

/** Draw a component from its data, as Streamlit would. It tells the server nothing. */
function drawFigure(host) {
  const data = JSON.parse(host.querySelector("script").textContent)
  const { kind, symbol } = host.dataset
  const root = host.attachShadow({ mode: "open" })
  const parentElement = document.createElement("div")
  parentElement.innerHTML = `<div class="${kind}"></div>`
  root.append(parentElement)
  const told = { setStateValue() {}, setTriggerValue() {} }
  return window[Symbol.for(symbol)].receive({ data, parentElement, ...told })
}

/** Set the formulas of the texts with the code that Streamlit sets its formulas with. */
async function typeset(parts) {
  const formulas = [...parts.querySelectorAll(".tex")]
  if (!formulas.length) return
  const { default: plugin } = await import(new URL(parts.dataset.katex, document.baseURI).href)
  const transform = plugin()
  for (const formula of formulas) {
    const math = formula.matches(".display") ? "math-display" : "math-inline"
    const code = { type: "element", tagName: "code", properties: { className: ["language-math", math] } }
    const tree = { type: "root", children: [{ ...code, children: [{ type: "text", value: formula.textContent }] }] }
    transform(tree, { message() {} })
    formula.replaceChildren(...tree.children.map((each) => nodeOf(each)))
  }
  await Promise.all(KATEX_FONTS.map((font) => document.fonts.load(font)))
}

const KATEX_FONTS = ["1rem KaTeX_Main", "italic 1rem KaTeX_Math", "italic 1rem KaTeX_Main"]
const SVG = "http://www.w3.org/2000/svg"
const MATHML = "http://www.w3.org/1998/Math/MathML"
const SPACES = { svg: SVG, path: SVG, line: SVG, math: MATHML }
const CAMEL = ["viewBox", "preserveAspectRatio"]
const NAMES = { className: "class", ariaHidden: "aria-hidden" }

/** Return a node of the page for a node of a tree that Streamlit's formulas are made of. */
function nodeOf({ type, value, tagName, properties, children }, space = null) {
  if (type === "text") return document.createTextNode(value)
  const within = SPACES[tagName] ?? space
  const node = within ? document.createElementNS(within, tagName) : document.createElement(tagName)
  for (const [name, given] of Object.entries(properties ?? {})) {
    const own = NAMES[name] ?? (CAMEL.includes(name) ? name : name.toLowerCase())
    node.setAttribute(own, Array.isArray(given) ? given.join(" ") : given)
  }
  node.append(...children.map((child) => nodeOf(child, within)))
  return node
}
