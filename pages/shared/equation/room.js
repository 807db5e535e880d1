// Room: how wide the cells of a matrix are, and where the decimal point stands in them. Both follow from the numbers
// alone, without asking the browser. All widths are measured in digits, which are all equally wide.

import { padding, show } from "./numbers.js"

const DIGIT = 0.5 // the width of a digit, in letters
const [POINT, MINUS_SIGN] = [0.5, 1.1]
const BESIDE = 0.4 // the space on each side of the numbers, in letters, as in equation.css
const SPARE = 0.5 // how far a number may reach into the space beside the numbers
const NARROWEST = 2
const SMALLEST_LETTERS = 0.7 // the smallest letters in a matrix, before its cells become wider

/**
 * Give all cells of a matrix the same width, with its numbers in their middle. If its numbers may change (`grows`),
 * there is room for a sign and another decimal. A width never changes for longer numbers: they become smaller if there
 * is no room. Only much longer numbers get wider cells. While a number is `held`, the points stay where they are if
 * there is room, so that only what changes moves.
 */
export function keepRoom(figure, matrix, { decimals, digits, held }) {
  const block = numbersOf(matrix, decimals)
  const isNew = !figure.room || figure.room.wide + 2 * SPARE < SMALLEST_LETTERS * widthOf(block)
  if (isNew) figure.room = roomFor(block, matrix, digits - decimals, figure.grows)
  const size = Math.min(1, (figure.room.wide + 2 * SPARE) / widthOf(block))
  const right = spaceAfter(block, figure.room, size, held)
  const look = [figure.room.wide, size, right].join()
  if (look === figure.room.look) return
  figure.room.look = look
  figure.style.setProperty("--wide", `${(DIGIT * figure.room.wide).toFixed(3)}em`)
  figure.style.setProperty("--size", size.toFixed(3))
  figure.style.setProperty("--right", `${(DIGIT * right).toFixed(3)}em`)
}

/** Return the width of a cell, in letters. */
export function cellWidth({ wide }) {
  return DIGIT * wide + 2 * BESIDE
}

/** Return the widths of the widest numbers before and after their decimal points, and whether one has a sign. */
function numbersOf({ values, onlyRow }, decimals) {
  const after = decimals ? POINT + decimals : 0
  const rows = onlyRow === null ? values : [values[onlyRow]]
  const texts = new Set(rows.flat().map((value) => show(value, decimals)))
  const widths = [...texts].map((text) => lengthOf(text + padding(text, decimals)) - after)
  return { before: Math.max(...widths), after, isSigned: rows.flat().some((value) => value < 0) }
}

function widthOf({ before, after }) {
  return before + after
}

function lengthOf(text) {
  return [...text].reduce((width, letter) => width + (letter === "." ? POINT : /\d/.test(letter) ? 1 : MINUS_SIGN), 0)
}

function roomFor(block, { tint }, more, grows) {
  const sign = block.isSigned || tint === "weight" ? 0 : MINUS_SIGN
  const decimal = more <= 0 ? 0 : block.after ? 1 : POINT + 1
  const side = grows ? Math.max(0, Math.max(sign, decimal) - SPARE) : 0
  const wide = Math.max(NARROWEST, widthOf(block) + 2 * side)
  return { wide, point: (wide - widthOf(block)) / 2 + block.after }
}

/** Return the space after the numbers. If a number is held, the point stays where it was, if the numbers then fit. */
function spaceAfter(block, room, size, held) {
  const [before, after] = [size * block.before, size * block.after]
  const stays = held && before <= room.wide - room.point + SPARE && after <= room.point + SPARE
  if (!stays) room.point = (room.wide - before - after) / 2 + after
  return room.point - after
}
