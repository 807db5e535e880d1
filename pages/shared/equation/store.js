// Store: the numbers of all matrices of the page, shown or not. If one of them is changed, the store computes all that
// follows from it, by the formulas that the server has sent. What does not agree with the server is never computed.

import { compiled, idsIn, numberOf } from "./formulas.js"
import { EQUATIONS } from "./light.js"
import { markOlder } from "./older.js"

const CLOSE = 1e-9 // how far the browser and the server may differ, measured by the greatest number
const SETTINGS = new Map() // the numbers that a slider is changing, by name
const CHECK_AFTER = 300 // milliseconds after the last answer
const FOLLOWERS = new Set() // called with the ids of matrices that have changed

export const OTHERS = new Set() // the views of components that are no equations, but show numbers of the page

const STORE = { matrices: new Map(), order: [], isFresh: false, isMixed: false, old: new Set(), checking: 0 }

/**
 * Let a component that is no equation show numbers of the page: `react` is called after each change of a matrix in
 * `view.shows`, a list of ids. Return the function that ends this.
 */
export function join(view, react) {
  const follow = (changed) => view.shows?.some((id) => changed.has(id)) && react()
  FOLLOWERS.add(follow)
  OTHERS.add(view)
  return () => {
    FOLLOWERS.delete(follow)
    OTHERS.delete(view)
    forget()
  }
}

/** Tell the components that these matrices have changed. */
export function tellFollowers(changed) {
  for (const follow of FOLLOWERS) follow(changed)
}

/** Forget the formulas of the page, because an equation or another component has left it. */
export function forget() {
  STORE.isFresh = false
}

/** Take over an answer of the server for one equation: `view.served` has the numbers of its matrices, by id. */
export function learn(view) {
  const plan = JSON.stringify(view.data.formulas, withoutNumbers)
  if (plan !== view.formulasPlan) STORE.isFresh = false
  view.formulasPlan = plan
  if (STORE.isFresh) takeNumbers(view)
  checkSoon()
}

/** Find out soon whether the server has answered everything. */
function checkSoon() {
  clearTimeout(STORE.checking)
  STORE.checking = setTimeout(checkAgain, CHECK_AFTER)
}

/** Return whether numbers on the page have changed, and the server has not answered yet. */
export function isAhead() {
  return pendingEdits().length > 0 || SETTINGS.size > 0
}

/** Return the rows of a matrix as the store knows them, or undefined. */
export function rowsOf(id) {
  const found = matrices().get(id)
  if (!found?.values) return undefined
  const { values, rows, columns } = found
  return Array.from({ length: rows }, (_, r) => Array.from(values.subarray(r * columns, (r + 1) * columns)))
}

/** Return the ids of the shown matrices that have a formula which does not give their numbers. */
function deadIds() {
  return [...matrices().values()].filter((matrix) => matrix.shown && matrix.of && !matrix.isAlive).map(({ id }) => id)
}

/** Return the rows of all matrices that the store knows, by id. */
function allRows() {
  return Object.fromEntries([...matrices().keys()].map((id) => [id, rowsOf(id) ?? null]))
}

const oldIds = () => [...STORE.old]

globalThis[Symbol.for("attention-lab.numbers")] = { rowsOf, allRows, deadIds, oldIds } // for tests

/** Give a number that a formula calls by its name, such as "temperature", another value. Compute all that follows. */
export function recomputeSetting(name, value) {
  matrices()
  SETTINGS.set(name, value)
  return recompute(new Set(), usersOfSettings())
}

/** Let formulas use the numbers of the sliders that the server has not answered yet, and otherwise their own. */
export function takeSettings() {
  SETTINGS.clear()
  for (const { data, pending } of views())
    for (const { kind, value } of pending) if (kind === "set") SETTINGS.set(data.setting, value)
  checkSoon()
}

function usersOfSettings() {
  const isUser = ({ names }) => [...SETTINGS.keys()].some((name) => names.has(name))
  return new Set(STORE.order.filter(isUser).map(({ id }) => id))
}

/**
 * Put edits over the numbers of the server, and compute all that follows from them. `edits` has pairs: the id of a
 * matrix, and its new cells as (row, column, number). Return the ids of the matrices that have changed, and of those
 * that would change but cannot be computed here.
 */
export function followEdits(edits) {
  matrices()
  const changed = new Set()
  for (const [id, cells] of edits) {
    const matrix = STORE.matrices.get(id)
    if (!matrix?.values) continue
    for (const [row, column, value] of cells)
      if (row < matrix.rows && column < matrix.columns) matrix.values[row * matrix.columns + column] = value
    changed.add(id)
  }
  return recompute(changed, usersOfSettings())
}

/**
 * Put the edits and settings that the server has not answered over the numbers that it has just sent. Return as
 * `followEdits`.
 */
export function followPending() {
  takeSettings()
  const edits = pendingEdits()
  if (!edits.length && !SETTINGS.size) return { changed: new Set(), old: new Set() }
  // Some matrices have numbers of the server now, and others still those of the hand: so all that follow are computed.
  STORE.isMixed = true
  const found = followEdits(edits)
  STORE.isMixed = false
  return found
}

/** Compute every matrix that reads one of `changed`, and those in `first`, each after the matrices that it reads. */
function recompute(changed, first) {
  const isEdit = changed.size > 0
  const old = (STORE.old = new Set())
  for (const matrix of STORE.order) {
    const isOld = (isEdit && isLost(matrix)) || matrix.reads.some((id) => old.has(id))
    if (!isOld && !first.has(matrix.id) && !matrix.reads.some((id) => changed.has(id))) continue
    if (isOld || !matrix.isAlive) old.add(matrix.id)
    else if (renew(matrix) || STORE.isMixed) changed.add(matrix.id)
  }
  return { changed, old }
}

/** Return whether an edit may change a matrix in a way that the browser does not know. */
function isLost({ of, reads, isAlive, follows }) {
  return follows || (of && !isAlive && reads.some((id) => !STORE.matrices.get(id)?.values))
}

/** Compute a matrix. Return whether a number has changed. */
function renew(matrix) {
  matrix.compute(matrix.spare)
  const isSame = matrix.spare.every((value, n) => Object.is(value, matrix.values[n]))
  ;[matrix.values, matrix.spare] = [matrix.spare, matrix.values]
  return !isSame
}

// --- from the server ---

/** Return all matrices by id. If the page has other formulas than before, read them first. */
function matrices() {
  if (!STORE.isFresh) build()
  return STORE.matrices
}

/** Return the equations of the page and the other components that show numbers, as far as they have any. */
function views() {
  return [...EQUATIONS, ...OTHERS].filter((view) => view.data)
}

/** Return the edits that the server has not answered yet, and the number in an open field: matrix ids and cells. */
export function pendingEdits() {
  const events = views().flatMap((view) => [...view.pending.filter(({ kind }) => kind === "edit"), view.preview])
  return events.filter(Boolean).map(({ id, cells }) => [id, cells])
}

function build() {
  Object.assign(STORE, { matrices: new Map(), order: [], isFresh: true })
  for (const view of views())
    for (const [id, formula] of Object.entries(view.data.formulas))
      if (!STORE.matrices.has(id)) STORE.matrices.set(id, newMatrix(id, formula))
  for (const view of views()) for (const [id, matrix] of view.served) takeShown(id, matrix)
  for (const matrix of STORE.matrices.values()) sort(matrix, new Set())
  const settings = [...SETTINGS]
  SETTINGS.clear() // the numbers of the server come from the formulas' own
  for (const matrix of STORE.order) check(matrix)
  for (const [name, value] of settings) SETTINGS.set(name, value)
}

/** Read everything again when nothing is on the way, because the answers for several equations come one by one. */
function checkAgain() {
  if (isAhead()) return
  markOlder(false)
  build()
}

/** Leave the given numbers and those with a name out of formulas: without them, formulas say what the page computes. */
function withoutNumbers(key, value) {
  if (key === "given") return undefined
  return Array.isArray(value) && value[0] === ":" ? value.slice(2) : value
}

/** Give the numbers with a name in one formula to the same formula with other numbers. */
function copyNamed(from, into) {
  if (!Array.isArray(from) || !Array.isArray(into)) return
  if (from[0] === ":") into[1] = from[1]
  else from.forEach((part, n) => copyNamed(part, into[n]))
}

/** Take over the numbers of one equation. */
function takeNumbers(view) {
  for (const [id, { of, given }] of Object.entries(view.data.formulas)) {
    const known = STORE.matrices.get(id)
    copyNamed(of, known.of)
    if (given && !known.shown) known.values = Float64Array.from(given.flat(), numberOf)
  }
  for (const [id, { values }] of view.served) {
    const known = STORE.matrices.get(id)
    if (known?.values?.length === values.length * values[0].length) known.values = Float64Array.from(values.flat())
  }
}

function newMatrix(id, { shape, of, given, follows = false }) {
  const [rows, columns] = shape
  const values = given ? Float64Array.from(given.flat(), numberOf) : null
  const reads = of ? [...new Set(idsIn(of))].filter((each) => each !== id) : []
  const names = new Set(namesIn(of))
  return { id, shape, rows, columns, of, reads, names, follows, values, shown: false, isAlive: false }
}

/** Take over the numbers of a shown matrix. If two equations show different numbers under one id, both stay still. */
function takeShown(id, { values, shape, blank }) {
  if (blank) return
  const isWhole = values.length === shape[0] && values[0].length === shape[1]
  const known = STORE.matrices.get(id) ?? newMatrix(id, { shape })
  STORE.matrices.set(id, known)
  const numbers = isWhole && shape.join() === known.shape.join() ? Float64Array.from(values.flat()) : null
  known.isTorn ||= !numbers || (known.shown && !agree(numbers, known.values, known.values))
  Object.assign(known, { shown: true, values: numbers })
}

function sort(matrix, above) {
  if (matrix.isSorted || above.has(matrix.id)) return
  above.add(matrix.id)
  for (const id of matrix.reads) if (STORE.matrices.has(id)) sort(STORE.matrices.get(id), above)
  above.delete(matrix.id)
  matrix.isSorted = true
  STORE.order.push(matrix)
}

/** Find out whether the formula of a matrix gives the numbers that the server has sent. Compute those it has not. */
function check(matrix) {
  const read = matrix.reads.map((id) => STORE.matrices.get(id))
  if (!matrix.of || matrix.isTorn || isPartly(matrix.of) || read.some((each) => !each?.values)) return
  matrix.compute = compiled(matrix, (id) => STORE.matrices.get(id), (name) => SETTINGS.get(name))
  matrix.spare = new Float64Array(matrix.rows * matrix.columns)
  matrix.values ??= new Float64Array(matrix.rows * matrix.columns)
  if (!matrix.shown) renew(matrix)
  else matrix.compute(matrix.spare)
  matrix.isAlive = !matrix.shown || agree(matrix.spare, matrix.values, ...read.map(({ values }) => values))
}

function agree(numbers, others, ...scales) {
  const size = Math.max(...[others, ...scales].map(greatest))
  return numbers?.length === others?.length && numbers.every((value, n) => isClose(value, others[n], size))
}

function isClose(a, b, size) {
  return Object.is(a, b) || a === b || Math.abs(a - b) <= CLOSE * size
}

function greatest(values) {
  return values?.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0) ?? 0
}

/** Return whether a formula knows an array that was too large to be sent. */
function isPartly(term) {
  if (!Array.isArray(term)) return false
  return ((term[0] === "$" || term[0] === "?") && term[1] === null) || term.some(isPartly)
}

/** Return the names of the numbers in a formula. */
function namesIn(term) {
  if (!Array.isArray(term)) return []
  return term[0] === ":" ? [term[2]] : term.flatMap(namesIn)
}
