// Light: a cell and all that it reads, across every equation of the page, with no round trip.

const LIGHT = "attention-lab:light"

/** The cells that a rule such as "k[j,:]" names for row i and column j, as half-open ranges. */
function range(term, i, j) {
  if (term === ":") return [0, Infinity]
  const match = term.match(/^(i|j)?([+-]?\d+)?$/)
  const start = (match[1] === "i" ? i : match[1] === "j" ? j : 0) + Number(match[2] ?? 0)
  return [start, start + 1]
}

function reads(rules, i, j) {
  return rules.map((rule) => {
    const [, id, row, column] = rule.match(/^([\w.]+)\[([^,]+),([^\]]+)\]$/)
    return { id, rows: span(row, i, j), columns: span(column, i, j) }
  })
}

/** One term, or "from..to" for a block of rows or columns. */
function span(text, i, j) {
  const [from, to] = text.split("..")
  return to === undefined ? range(from, i, j) : [range(from, i, j)[0], range(to, i, j)[0]]
}

function within(target, row, column) {
  return row >= target.rows[0] && row < target.rows[1] && column >= target.columns[0] && column < target.columns[1]
}

function lightUp(matrix, row, column) {
  const self = { id: matrix.id, rows: [row, row + 1], columns: [column, column + 1] }
  document.dispatchEvent(new CustomEvent(LIGHT, { detail: { self, read: reads(matrix.reads, row, column) } }))
}

function lightOut() {
  document.dispatchEvent(new CustomEvent(LIGHT, { detail: null }))
}

/** "self", "read" or nothing: how a cell is lit by what is hovered or, failing that, by what is selected. */
function glow(light, id, row, column) {
  if (!light) return ""
  if (light.self.id === id && within(light.self, row, column)) return "self"
  return light.read.some((target) => target.id === id && within(target, row, column)) ? "read" : ""
}
