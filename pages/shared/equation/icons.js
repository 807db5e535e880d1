// Icons: drawn here as pictures, because not every font has these icons.

const SVG = "http://www.w3.org/2000/svg"
const LINES = {
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M6 6h7v7H6zM3.5 10H3V3h7v.5",
  pen: "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7l2.3 2.3",
  undo: "M6 3L3 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H7",
  redo: "M10 3l3 3-3 3M13 6H6.5a3.5 3.5 0 0 0 0 7H9",
  reset: "M4.5 4.5A5 5 0 1 1 3 8M4.5 1.5v3h3",
}

/** Return an icon as high as a letter, in the colour of its text. A text beside it, or a label, says what it means. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg")
  const path = document.createElementNS(SVG, "path")
  svg.setAttribute("class", "icon")
  svg.setAttribute("viewBox", "0 0 16 16")
  svg.setAttribute("aria-hidden", "true")
  path.setAttribute("d", LINES[name])
  svg.append(path)
  return svg
}
