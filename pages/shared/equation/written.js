// Written: the arithmetic of a cell as LaTeX, as the server writes it (see `derivation` in notation/derivation.py), but
// with other numbers. The server sends the same text with holes for its numbers.

import { CALCULATE, numberOf } from "./formulas.js"

const HOLE = /\ue002(\d+),(\d)\ue003/g
const FIGURES = /70000(\d{4})0007/g // stands for the figures of a number: a text with the same shape has the same marks
const POWER = 4 // how tightly a power binds
const NEAR = 1e-9 // how far the calculation and the number in the cell may differ, measured by the greatest number

/**
 * Write the arithmetic that the server has sent. `numberAt` returns the present number of a part of its terms: a cell,
 * a number with a name, or a number. Return an object with the texts `formula` and `named` (null if columns have no
 * names), in which marks stand for figures; `figures`, to be put into the marks by `unmarked`; and whether the
 * calculation gives the number in the cell (`isRight`).
 */
export function writeArithmetic(sent, numberAt) {
  const { left, lines, note, terms, term, result, summands, digits } = sent
  const values = valuesOf(terms, numberAt)
  const figures = []
  const fill = (text) =>
    text.replace(HOLE, (hole, n, outer, at) => {
      const number = latexOf(values[n], digits)
      // An exponent stands at the last figure only, so the figures of a base are part of the shape of the text.
      return bracketed(text[at + hole.length] === "^" ? number : withMarks(number, figures), outer)
    })
  const full = lines.map(fill)
  const seen = valuesOf(terms, (part) => asShown(numberAt(part), digits))
  const [follows, addsUp] = summands.length && Number.isFinite(values[result]) ? nearness() : [true, true]
  const sign = (n) => ((n === full.length - 2 && !follows) || (n === full.length - 1 && !addsUp) ? "\\approx" : "=")
  const isNew = (line, n) => !n || unmarked(line, figures) !== unmarked(full[n - 1], figures)
  const steps = full.map((line, n) => (isNew(line, n) ? `&${sign(n)} ${line}` : "")).filter(Boolean)
  const body = steps.map((step, n) => `${n ? "" : left} ${step}`).join(" \\\\ ")
  return {
    formula: `\\begin{aligned} ${body}${fill(note)} \\end{aligned}`,
    named: sent.named && byName(sent.named, values, fill),
    figures,
    isRight: isNear(values[term], values[result], values),
  }

  function nearness() {
    const same = (a, b) => latexOf(a, digits) === latexOf(b, digits)
    const parts = summands.map((n) => asShown(values[n], digits))
    return [summands.every((n) => same(seen[n], values[n])), same(addedUp(parts), values[result])]
  }
}

/** Return a text with its figures in place of the marks. */
export function unmarked(text, figures) {
  return text.replace(FIGURES, (_, n) => figures[Number(n)])
}

/** Return the numbers of all terms. Each term comes after those in it. */
function valuesOf(terms, numberAt) {
  const values = []
  for (const term of terms) values.push(CALCULATE[term[0]] ? calculatedFrom(term, values) : numberAt(term))
  return values
}

function calculatedFrom([kind, ...places], values) {
  const parts = places.map((n) => values[n])
  return kind === "sum" ? addedUp(parts) : CALCULATE[kind](parts.map((part) => () => part))()
}

/** Add numbers almost without rounding, as the server does. */
function addedUp(numbers) {
  let [sum, lost] = [0, 0]
  for (const number of numbers) {
    const next = sum + number
    lost += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum
    sum = next
  }
  return Number.isFinite(lost) ? sum + lost : sum
}

function isNear(a, b, values) {
  const size = values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0)
  return Object.is(a, b) || a === b || Math.abs(a - b) <= NEAR * size
}

function byName({ products, some, none }, values, fill) {
  const present = products.filter(([n]) => values[n])
  return present.length ? some.replace("{}", () => present.map(([, text]) => fill(text)).join(" + ")) : none
}

/** Return a number as LaTeX with this many significant digits, as `number` in notation/numbers.py does. */
function latexOf(value, digits) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "\\text{NaN}" : value < 0 ? "-\\infty" : "\\infty"
  const [mantissa, exponent] = exponential(value, digits).split("e")
  const power = Number(exponent)
  return power < -4 || power >= digits
    ? `${Number(mantissa)} \\cdot 10^{${power}}`
    : String(Number(`${mantissa}e${exponent}`))
}

/** Return a number in exponential form. Exactly a half is rounded to an even digit, as Python does. */
function exponential(value, digits) {
  const [mantissa, exponent] = value.toExponential(50).split("e")
  const cut = mantissa.slice(0, mantissa.indexOf(".") + digits)
  const isHalf = /^50*$/.test(mantissa.slice(cut.length))
  return isHalf && /[02468]$/.test(cut) ? `${cut}e${exponent}` : value.toExponential(digits - 1)
}

function asShown(value, digits) {
  return Number.isFinite(value) ? Number(exponential(value, digits)) : value
}

function withMarks(text, figures) {
  return text.replace(/[\d.]+/, (found) => `70000${String(figures.push(found) - 1).padStart(4, "0")}0007`)
}

function bracketed(text, outer) {
  const isLoose = text.startsWith("-") || (text.includes("\\cdot") && Number(outer) >= POWER)
  return isLoose && Number(outer) ? `(${text})` : text
}

/**
 * Return a function for the present number of a part of terms. `rowsOf` returns the rows of a matrix, and `settings`
 * has numbers by name.
 */
export function presentNumbers(rowsOf, settings) {
  const rows = new Map()
  const matrix = (id) => rows.get(id) ?? rows.set(id, rowsOf(id)).get(id)
  return (part) => {
    if (!Array.isArray(part)) return numberOf(part)
    if (part[0] === ":") return settings.get(part[2]) ?? numberOf(part[1])
    const [, id, row, column, value] = part
    return matrix(id)?.[row]?.[column] ?? numberOf(value)
  }
}

/** Return the number that a part of terms had when the server wrote them. */
export function sentNumber(part) {
  return numberOf(Array.isArray(part) ? part.at(part[0] === ":" ? 1 : -1) : part)
}
