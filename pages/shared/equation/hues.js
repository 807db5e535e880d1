// Hues: give the letters of queries, keys, values and weights their hue in formulas, in code and where the text names
// them. The browser paints them over the text (CSS Custom Highlight), so that no element of Streamlit's page changes.

import { HUES } from "./constants.js"
import { element } from "./elements.js"

const LETTERS = { Q: "query", K: "key", V: "value", A: "weight" }
const TOKENS = ".katex-html .mord, pre, strong, em, th"
const RAISED = ".msupsub" // a small letter there counts something, as in d_k
const MENU = "[data-testid=stSidebar]"
const KINDS = {
  query: { formula: /^(Q|q)$/, code: /\b(?:[wb]_)?q(?:_heads)?\b/g, word: /^quer(?:y|ies)$/i },
  key: { formula: /^(K|k)$/, code: /\b(?:[wb]_)?k(?:_heads)?\b/g, word: /^keys?$/i },
  value: { formula: /^(V|v)$/, code: /\b(?:[wb]_)?v(?:_heads)?\b/g, word: /^values?$/i },
  weight: { formula: /^(A|a)$/, code: /\bweights\b/g, word: /^(?:attention )?weights?$/i },
}
const THEMED = ".equipment" // on every page; it knows the colours of the theme
const SOON = 120 // milliseconds after the last change of the page

/** Return the parts of a symbol with the letters of queries, keys, values and weights in their hue. */
export function withHues(parts) {
  const coloured = (letter) =>
    LETTERS[letter] ? element("span", { className: `of-${LETTERS[letter]}`, textContent: letter }) : letter
  for (const part of parts) if (LETTERS[part.textContent]) part.className = `of-${LETTERS[part.textContent]}`
  return parts.flatMap((part) => (typeof part === "string" ? part.split(/\b([QKVA])\b/).map(coloured) : part))
}

/** Begin to colour the page, and colour it again after each change. Called once for the whole page. */
export function watchHues() {
  if (!globalThis.CSS?.highlights) return
  let waiting = 0
  const soon = () => {
    clearTimeout(waiting)
    waiting = setTimeout(colourPage, SOON)
  }
  new MutationObserver(soon).observe(document.documentElement, { childList: true, subtree: true, characterData: true })
  soon()
}

function colourPage() {
  const themed = document.querySelector(THEMED)
  if (!themed) return
  const found = Object.keys(KINDS).map((hue) => [hue, []])
  for (const token of document.body.querySelectorAll(TOKENS)) {
    if (token.closest(MENU)) continue
    for (const [hue, ranges] of found) ranges.push(...rangesIn(token, KINDS[hue]))
  }
  const colours = getComputedStyle(themed)
  for (const [hue, ranges] of found) {
    if (!isSame(CSS.highlights.get(`lab-${hue}`), ranges)) CSS.highlights.set(`lab-${hue}`, new Highlight(...ranges))
    const { style } = document.documentElement
    const colour = colours.getPropertyValue(`--st-${HUES[hue]}-color`)
    // only if it has changed, because the browser would compute the style of all elements anew
    if (style.getPropertyValue(`--lab-${hue}`) !== colour) style.setProperty(`--lab-${hue}`, colour)
  }
}

function isSame(highlight, ranges) {
  const places = (all) => [...all].flatMap((range) => [range.startContainer, range.startOffset, range.endOffset])
  const [before, now] = [places(highlight ?? []), places(ranges)]
  return before.length === now.length && before.every((each, n) => each === now[n])
}

function rangesIn(token, { formula, code, word }) {
  if (token.matches("pre")) return textsOf(token).flatMap((text) => matchesIn(text, code))
  const [text] = token.childNodes
  if (token.childNodes.length !== 1 || text.nodeType !== Node.TEXT_NODE) return []
  if (!token.matches(".mord")) return word.test(text.data.trim()) ? [rangeOf(text, 0, text.length)] : []
  const isIndex = token.closest(RAISED) && text.data === text.data.toLowerCase()
  return formula.test(text.data) && !isIndex ? [rangeOf(text, 0, text.length)] : []
}

function textsOf(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const texts = []
  while (walker.nextNode()) texts.push(walker.currentNode)
  return texts
}

/** Return the ranges of the names in a text of code that match a pattern, outside of comments. */
function matchesIn(text, pattern) {
  const isCode = ({ index }) => !text.data.slice(text.data.lastIndexOf("\n", index) + 1, index).includes("#")
  const found = [...text.data.matchAll(pattern)].filter(isCode)
  return found.map(({ index, 0: { length } }) => rangeOf(text, index, index + length))
}

function rangeOf(text, start, end) {
  const range = new Range()
  range.setStart(text, start)
  range.setEnd(text, end)
  return range
}
