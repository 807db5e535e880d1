// Reads: find the cells that a cell is computed from, by the rules that reads.py derives. A cell that is not on the
// page is replaced by the cells that it is computed from.

const PARSED = new Map() // by rule

/**
 * Add to `found` the blocks of cells that `block` is computed from, and return it. A block has the id of a matrix and
 * half-open ranges of rows and columns. `rules` are the rules of the block's matrix. `hidden` has, by id, the shape and
 * the rules of matrices that may not be on the page. `isShown` says whether a block is on the page.
 */
export function addRead(found, rules, block, hidden, isShown) {
  for (const { id, rows, columns } of rules.map(parsed)) {
    const read = { id, rows: span(rows, block), columns: span(columns, block) }
    const key = [id, read.rows, read.columns].join()
    if (found.has(key)) continue
    const shown = isShown(read)
    found.set(key, shown ? read : null)
    const inside = !shown && hidden[id] && clipped(read, hidden[id][0])
    if (inside) addRead(found, hidden[id][1], inside, hidden, isShown)
  }
  return found
}

/** Return a rule such as "k[j,:]" as an id, the two ends of its rows, and the two ends of its columns. */
function parsed(rule) {
  if (!PARSED.has(rule)) {
    const [, id, rows, columns] = rule.match(/^([\w.]+)\[([^,]+),([^\]]+)\]$/)
    PARSED.set(rule, { id, rows: ends(rows), columns: ends(columns) })
  }
  return PARSED.get(rule)
}

/** Return the first and the last index of "j", "i+2", "3" or "4..8". For ":", which means all indices, return null. */
function ends(text) {
  if (text === ":") return null
  const [from, to] = text.split("..").map(endOf)
  return [from, to ? { ...to, offset: to.offset - 1 } : from]
}

function endOf(text) {
  const [, letter, number] = text.match(/^([ij])?([+-]?\d+)?$/)
  return { along: { i: "rows", j: "columns" }[letter], offset: Number(number ?? 0) }
}

/** Return the half-open range of indices between two ends, for all cells of a block together. */
function span(both, block) {
  if (!both) return [0, Infinity]
  const [from, to] = both
  const first = from.along ? block[from.along][0] : 0
  const last = to.along ? block[to.along][1] - 1 : 0
  return [first + from.offset, last + to.offset + 1]
}

/** Return the part of a block that is inside a matrix of this shape, or null if there is none. */
function clipped({ id, rows, columns }, [height, width]) {
  const part = { id, rows: within(rows, height), columns: within(columns, width) }
  return part.rows[0] < part.rows[1] && part.columns[0] < part.columns[1] ? part : null
}

function within([first, end], size) {
  return [Math.max(first, 0), Math.min(end, size)]
}

/** Return a block with one cell. */
export function blockOf(id, row, column) {
  return { id, rows: [row, row + 1], columns: [column, column + 1] }
}

/** Return whether a block contains the cell at this row and column. */
export function holds({ rows, columns }, row, column) {
  return row >= rows[0] && row < rows[1] && column >= columns[0] && column < columns[1]
}
