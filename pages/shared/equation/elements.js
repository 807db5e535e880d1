// Elements: make elements of the page from properties and text.

/** Return a new element with properties, attributes (data-…, aria-…, role) and children. */
export function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue
    if (name.includes("-") || name === "role" || name === "scope") made.setAttribute(name, value)
    else made[name] = value
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== ""))
  return made
}

/** Return the parts of a symbol such as W^Q, d_k or head_1^T: texts, and elements for raised and lowered parts. */
export function symbol(text) {
  const parts = text.split(/([\^_](?:\{[^}]*\}|[^\s^_]+))/).filter(Boolean)
  return parts.map((part) => {
    const inner = part.replace(/^[\^_]\{?|\}$/g, "")
    if (part === "^T") return element("sup", { className: "roman", textContent: "⊤" })
    const className = /^\d+$/.test(inner) ? "roman" : ""
    if (part[0] === "^") return element("sup", { className, textContent: inner })
    return part[0] === "_" ? element("sub", { className, textContent: inner }) : part
  })
}
