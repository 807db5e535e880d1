// Formulas: compute a matrix from its formula, and find the cells that a cell is computed from. The server writes a
// formula as lists (see `as_data` in attention_core/arithmetic/formula_data.py): ["sum", ["#", "n", 3, …]] and so on.

const OF_ONE = { exp: Math.exp, log: Math.log, root: Math.sqrt, sin: Math.sin, cos: Math.cos }
const OF_TWO = {
  difference: (a, b) => a - b,
  quotient: (a, b) => a / b,
  power: (a, b) => a ** b,
  share: (part, total) => (total > 0 || Number.isNaN(total) ? part / total : 0),
}
const OF_MANY = { sum: (a, b) => a + b, product: (a, b) => a * b, maximum: Math.max, greatest: Math.max }
const START = { sum: 0, product: 1, maximum: -Infinity, greatest: -Infinity }

const WHOLE = {
  "+": (a, b) => a + b,
  "*": (a, b) => a * b,
  "//": (a, b) => Math.floor(a / b),
  "%": (a, b) => a % b,
}

/** Return a number of the server. Infinities and NaN come as texts, because JSON does not have them. */
export function numberOf(value) {
  return typeof value === "string" ? Number(value.replace("inf", "Infinity")) : value
}

/**
 * Return a function that computes the whole matrix with a formula into an array, row by row. `read` returns a
 * matrix by its id: an object with its `values`, row by row, and its number of `columns`. `setting` returns the
 * present number with a name, such as "temperature", or undefined if it is the formula's own.
 */
export function compiled({ of, shape: [rows, columns] }, read, setting) {
  const [i, j, run] = [{ n: 0 }, { n: 0 }, { n: 0 }]
  const cell = compile(of, { i, j, setting }, { read, setting, run, columns })
  return (into) => {
    run.n++
    for (i.n = 0; i.n < rows; i.n++) for (j.n = 0; j.n < columns; j.n++) into[i.n * columns + j.n] = cell()
  }
}

function compile(term, letters, all) {
  if (!Array.isArray(term)) return constant(numberOf(term))
  const [kind, ...parts] = term
  if (kind === "@") return entry(parts, letters, all.read)
  if (kind === ":") return () => all.setting(term[2]) ?? numberOf(term[1]) // both may change
  if (kind === "$") return known(parts[0], parts[1], letters)
  if (kind === "?") {
    const chosen = known(parts[0], parts[1], letters)
    const [yes, no] = parts.slice(2).map((part) => compile(part, letters, all))
    return () => (chosen() ? yes() : no())
  }
  const isFold = parts.length === 1 && parts[0][0] === "#"
  const terms = () => parts.flatMap((part) => spread(part, letters, all))
  const compute = isFold ? folded(kind, parts[0], letters, all) : calculated(kind, terms())
  const found = kind === "greatest" ? () => orNothing(compute()) : compute
  return isFold ? onceALine(term, found, letters, all) : found
}

/** Return a function that computes an operation on terms. */
function calculated(kind, terms) {
  const [a, b] = terms
  if (kind in OF_ONE) return () => OF_ONE[kind](a())
  if (kind in OF_TWO) return () => OF_TWO[kind](a(), b())
  return () => terms.reduce((found, term) => OF_MANY[kind](found, term()), START[kind])
}

/** Return the greatest of several numbers, or 0 if all are −∞: then nothing is subtracted from them. */
function orNothing(greatest) {
  return greatest === -Infinity ? 0 : greatest
}

function constant(value) {
  return () => value
}

function entry([ids, part, row, column], letters, read) {
  const [matrices, h, r, c] = [ids.map(read), ...[part, row, column].map((index) => place(index, letters))]
  const [first] = matrices
  if (matrices.length === 1) return () => first.values[r() * first.columns + c()]
  return () => {
    const { values, columns } = matrices[h()]
    return values[r() * columns + c()]
  }
}

function known(numbers, index, letters) {
  const at = index.map((each) => place(each, letters))
  return () => numberOf(at.reduce((inside, each) => inside[each()], numbers))
}

function place(index, letters) {
  if (typeof index === "number") return constant(index)
  if (typeof index === "string") return ((letter) => () => letter.n)(letters[index])
  const [kind, first, second] = index
  if (kind === ":") return () => letters.setting(second) ?? index[1] // both may change
  if (kind === "[]") return ((at) => () => first[at()])(place(second, letters))
  const [a, b] = [place(first, letters), place(second, letters)]
  return () => WHOLE[kind](a(), b())
}

/** Return the terms that a part of an operation stands for: several, if it is one for each number of a letter. */
function spread(part, letters, all) {
  if (part[0] !== "#") return [compile(part, letters, all)]
  const [, letter, n, of] = part
  return Array.from({ length: n }, (_, number) => compile(of, { ...letters, [letter]: { n: number } }, all))
}

/** Return a sum or a maximum over a letter as a loop. Where `present` is 0, the term is left out. */
function folded(kind, [, letter, n, of, present], letters, all) {
  const own = { n: 0 }
  const inside = { ...letters, [letter]: own }
  const term = of[0] === "#" ? folded(kind, of, inside, all) : compile(of, inside, all)
  const stays = present && compile(present, inside, all)
  return () => {
    let found = START[kind]
    for (own.n = 0; own.n < n; own.n++) if (!stays || stays() !== 0) found = OF_MANY[kind](found, term())
    return found
  }
}

/** Compute what is the same for a whole row or column only once in it, such as the sum of a row of powers. */
function onceALine(term, compute, letters, all) {
  const used = lettersIn(term)
  if (used.size > 1 || [...used].some((letter) => letter !== "i" && letter !== "j")) return compute
  const letter = letters[[...used][0]] ?? { n: 0 }
  const [found, when] = [[], []]
  return () => {
    if (when[letter.n] !== all.run.n) {
      found[letter.n] = compute()
      when[letter.n] = all.run.n
    }
    return found[letter.n]
  }
}

/** Return the letters of a formula that no "#" inside it counts through. */
function lettersIn(term) {
  if (typeof term === "string") return new Set(/^[a-z]\d*$/.test(term) ? [term] : [])
  if (!Array.isArray(term)) return new Set()
  const [kind, ...parts] = term
  const found = new Set(withLetters(kind, parts).flatMap((part) => [...lettersIn(part)]))
  if (kind === "#") found.delete(parts[0])
  return found
}

/** Return the parts of an operation or of a choice in which letters may stand. */
function withLetters(kind, parts) {
  if (kind === ":") return []
  if (kind === "@") return parts.slice(1)
  return kind === "$" || kind === "?" ? [...parts[1], ...parts.slice(2)] : parts
}

/** Return the ids of the matrices that stand in a formula. */
export function idsIn(term) {
  if (!Array.isArray(term)) return []
  return term[0] === "@" ? term[1] : term.flatMap(idsIn)
}

// --- which cells a block of cells is computed from ---

/**
 * Add to `found` the blocks of cells that `block` is computed from, and return it. A block has the id of a matrix and
 * half-open ranges of rows and columns. `formulas` has the formulas by id. `isShown` says whether a block is on the
 * page: a block that is not is replaced by those that it is computed from.
 */
export function addRead(found, term, block, formulas, isShown) {
  for (const read of blocksIn(term, { i: block.rows, j: block.columns })) {
    const key = [read.id, read.rows, read.columns].join()
    if (found.has(key) || read.id === block.id) continue
    const shown = isShown(read)
    found.set(key, shown ? read : null)
    const formula = formulas.get(read.id)
    const inside = !shown && formula?.of && clipped(read, formula.shape)
    if (inside) addRead(found, formula.of, inside, formulas, isShown)
  }
  return found
}

/** Return the blocks that a formula reads if its letters stand for ranges of numbers. */
function blocksIn(term, ranges) {
  if (!Array.isArray(term)) return []
  const [kind, ...parts] = term
  if (kind === "@") return entriesAt(parts, ranges)
  if (kind === ":" || kind === "$") return []
  if (kind === "#") return blocksIn(parts[2], { ...ranges, [parts[0]]: [0, parts[1]] })
  if (kind === "?")
    return eachCell(parts, ranges).flatMap((at) => branchesIn(parts, at).flatMap((part) => blocksIn(part, at)))
  return parts.flatMap((part) => blocksIn(part, ranges))
}

function entriesAt([ids, part, row, column], ranges) {
  const [[from, to], rows, columns] = [part, row, column].map((index) => range(index, ranges))
  return ids.slice(from, to).map((id) => ({ id, rows, columns }))
}

/** Return the ranges of a choice cell by cell, because each cell may take another branch. */
function eachCell([numbers, index], ranges) {
  const several = index.find((each) => typeof each === "string" && ranges[each][1] - ranges[each][0] > 1)
  if (!numbers || !several || !Number.isFinite(ranges[several][1])) return [ranges]
  const [from, to] = ranges[several]
  const cells = Array.from({ length: to - from }, (_, n) => ({ ...ranges, [several]: [from + n, from + n + 1] }))
  return cells.flatMap((at) => eachCell([numbers, index], at))
}

/** Return the branches of a choice that some cell of the ranges takes. */
function branchesIn([numbers, index, yes, no], ranges) {
  const spans = index.map((each) => range(each, ranges))
  if (!numbers || spans.some(([from, to]) => to - from !== 1)) return [yes, no]
  return [spans.reduce((inside, [from]) => inside[from], numbers) ? yes : no]
}

function range(index, ranges) {
  if (typeof index === "number") return [index, index + 1]
  if (index === ":") return [0, Infinity]
  if (typeof index === "string") return ranges[index]
  const [kind, first, second] = index
  if (kind === ":") return [first, first + 1]
  if (kind === "[]") {
    const numbers = first.slice(...range(second, ranges))
    return [Math.min(...numbers), Math.max(...numbers) + 1]
  }
  const [[a, b], [c, d]] = [range(first, ranges), range(second, ranges)]
  if (kind === "+") return [a + c, b + d - 1]
  if (kind === "*") return [a * c, (b - 1) * (d - 1) + 1]
  const [low, high] = [Math.floor(a / c), Math.floor((b - 1) / c)]
  if (kind === "//") return [low, high + 1]
  return low === high ? [a % c, ((b - 1) % c) + 1] : [0, c]
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
