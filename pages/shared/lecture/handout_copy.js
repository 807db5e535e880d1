// Handout copy: write what a page shows as HTML that another page can show: elements, their shadow trees, their styles.

const VOID = new Set(["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"])
const LEFT_OUT = new Set(["script", "link"])
const PLACED = new Set(["class", "colspan", "rowspan", "role", "scope"]) // attributes that never contain a number
const PHONE = /@media \((min-width: \d+px|width >= \d+px)\)/g // paper is narrower, but must show the same

/**
 * Return an element with all of its content as HTML, also its shadow tree. With `asks`, covered results are left out.
 */
export function markup(node, asks = false) {
  if (node.nodeType === Node.TEXT_NODE)
    return asks && isCovered(node.parentElement) ? blank(node.data) : escaped(node.data)
  if (node.nodeType !== Node.ELEMENT_NODE || LEFT_OUT.has(node.localName)) return ""
  const tag = node.localName
  const written = [...node.attributes].filter(({ name }) => !asks || !tells(node, name))
  const attributes = written.map(({ name, value }) => ` ${name}="${escaped(value)}"`).join("")
  if (VOID.has(tag)) return `<${tag}${attributes}>`
  const content = tag === "style" ? wide(node.textContent || rules(node.sheet)) : children(node, asks)
  return `<${tag}${attributes}>${shadow(node.shadowRoot, asks)}${content}</${tag}>`
}

function shadow(root, asks) {
  if (!root) return ""
  const adopted = root.adoptedStyleSheets.map((sheet) => `<style>${wide(rules(sheet))}</style>`).join("")
  return `<template shadowrootmode="open">${adopted}${children(root, asks)}</template>`
}

function children(node, asks = false) {
  return [...node.childNodes].map((child) => markup(child, asks)).join("")
}

/** Return whether an attribute may contain the answer, because it belongs to a button or to something covered. */
function tells(element, name) {
  if (PLACED.has(name) || element.matches(".reveal")) return false
  return element.localName === "button" || isCovered(element)
}

function isCovered(element) {
  return Boolean(element) && !element.checkVisibility({ visibilityProperty: true })
}

/** Return a text of the same width without its words and numbers, so that nothing moves. */
function blank(text) {
  return escaped(text.replace(/\p{L}/gu, "n").replace(/[\d−∞]/g, "0"))
}

/** Return the content of an element as HTML, with its formulas in MathML, which needs no fonts. */
export function withMathML(element) {
  const copy = element?.cloneNode(true)
  for (const formula of copy?.querySelectorAll(".katex") ?? []) formula.replaceWith(formula.querySelector("math"))
  return copy ? children(copy) : ""
}

/** Return all styles of this page, as they apply in a wide window. */
export function styles() {
  return wide([...document.styleSheets].map(rules).join("\n"))
}

/**
 * Return CSS rules with all fonts whose name contains `family`. The fonts are in the rules: a saved page has no server.
 */
export async function fonts(family) {
  const all = [...document.styleSheets].map(rules).join("\n").match(/@font-face \{[^}]*\}/g) ?? []
  const wanted = all.filter((rule) => rule.includes(family))
  return (await Promise.all(wanted.map(withFont))).join("\n")
}

async function withFont(rule) {
  const address = rule.match(/url\("([^"]+)"\)/)?.[1]
  if (!address) return rule
  const font = await (await fetch(address)).blob()
  const reader = new FileReader()
  const read = new Promise((done) => (reader.onload = done))
  reader.readAsDataURL(font)
  await read
  return rule.replace(address, reader.result)
}

function wide(rules) {
  return rules.replace(PHONE, "@media all")
}

function rules(sheet) {
  try {
    return [...sheet.cssRules].map(({ cssText }) => absolute(cssText, sheet.href)).join("\n")
  } catch {
    return "" // the browser does not let scripts read the rules of another site
  }
}

function absolute(text, href) {
  const from = href ?? document.baseURI
  return text.replace(/url\("(?!data:|https?:)([^"]+)"\)/g, (_, path) => `url("${new URL(path, from)}")`)
}

function escaped(text) {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;")
}
