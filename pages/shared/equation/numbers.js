// Numbers: read numbers from texts in three formats, and write numbers as texts.

export const MINUS = "\u2212"

/** Return the number in a text: 2, -0.5, 1e-3 or 1/3, also with a true minus sign. If there is none, throw an error. */
export function parseNumber(text, [low, high]) {
  const plain = text.trim().replaceAll(MINUS, "-")
  const fraction = plain.match(/^([^/]+)\/([^/]+)$/)
  const value = fraction ? plainNumber(fraction[1]) / plainNumber(fraction[2]) : plainNumber(plain)
  if (!Number.isFinite(value)) {
    const held = text.trim() ? `you typed “${text.trim()}”` : "this cell is empty"
    throw new Error(`A cell must hold one number, but ${held}. Type 2, -0.5, 1e-3 or 1/3.`)
  }
  if (value < low || value > high) {
    throw new Error(`A cell must hold ${low} to ${high}, but you typed ${plain}. Type a number in this range.`)
  }
  return value
}

function plainNumber(text) {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : NaN
}

/** Return the rows of a pasted block of numbers from a spreadsheet, from CSV, or from a NumPy print-out. */
export function parseBlock(text, bounds) {
  const numpy = /[[(]/.test(text)
  const lines = numpy ? numpyLines(text) : text.replace(/\s+$/, "").split(/\r?\n/)
  const separator = numpy ? /[\s,]+/ : (["\t", ";", ","].find((mark) => text.includes(mark)) ?? /\s+/)
  const rows = lines.map((line, r) =>
    (separator === "\t" ? line : line.trim()).split(separator).map((cell, c) => {
      try {
        return parseNumber(cell, bounds)
      } catch (error) {
        throw new Error(`Row ${r + 1}, column ${c + 1} of the pasted block. ${error.message}`)
      }
    }),
  )
  if (!rows.length)
    throw new Error(
      `A NumPy print-out has its rows in square brackets, but “${text.trim()}” has none. ` + `Write [[1, 2], [3, 4]].`,
    )
  if (rows.some((row) => row.length !== rows[0].length)) {
    const lengths = rows.map((row) => row.length).join(", ")
    throw new Error(`Pasted rows must be equally long, but they have ${lengths} numbers. Add or remove numbers.`)
  }
  return rows
}

function numpyLines(text) {
  const body = text.replace(/^[^[(]*array/, "").replace(/dtype\s*=.*$/, "")
  return [...body.matchAll(/\[([^[\]]+)\]/g)].map((match) => match[1].replace(/^[\s,]+|[\s,]+$/g, ""))
}

/** Return how many decimals a matrix needs so that every number is exact, but at most `digits`. */
export function decimalsFor(values, digits) {
  for (let decimals = 0; decimals < digits; decimals++) {
    if (values.flat().every((v) => !Number.isFinite(v) || Number(v.toFixed(decimals)) === v)) return decimals
  }
  return digits
}

/** Return a number as a text. Whole numbers get no decimals, so an exact 0 differs from a rounded 0.00. */
export function show(value, decimals) {
  if (Number.isNaN(value)) return "NaN"
  if (!Number.isFinite(value)) return value < 0 ? `${MINUS}∞` : "∞"
  if (Math.abs(value) >= 1e7) return value.toExponential(2).replace("+", "").replaceAll("-", MINUS)
  const text = Number.isInteger(value) ? String(value) : value.toFixed(decimals)
  return text.replace(/^-(?=[0.]+$)/, "").replace("-", MINUS)
}

/** Return the invisible text after a number that puts the decimal points of a column below each other. */
export function padding(text, decimals) {
  if (!decimals || text.includes("e")) return ""
  const point = text.indexOf(".")
  return point < 0 ? `.${"0".repeat(decimals)}` : "0".repeat(Math.max(0, decimals - (text.length - point - 1)))
}

function python(value) {
  return Number.isFinite(value) ? String(value) : Number.isNaN(value) ? "np.nan" : value < 0 ? "-np.inf" : "np.inf"
}

export const COPY_AS = {
  NumPy: (values) => `np.array([${values.map((row) => `[${row.map(python).join(", ")}]`).join(",\n          ")}])`,
  TSV: (values) => values.map((row) => row.join("\t")).join("\n"),
  LaTeX: (values) =>
    `\\begin{bmatrix}\n${values.map((row) => row.map((v) => latex(v)).join(" & ")).join(" \\\\\n")}\n\\end{bmatrix}`,
}

function latex(value) {
  if (Number.isFinite(value)) return String(Number(value.toPrecision(6)))
  return Number.isNaN(value) ? "\\text{NaN}" : value < 0 ? "-\\infty" : "\\infty"
}
