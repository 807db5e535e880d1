// Change: find the smallest change of a matrix that moves the tip of an arrow to a point.

const DIGITS = 4 // the digits of an edited number

/**
 * Return the new cells of a matrix w with which x · w is `wanted` in two dimensions. Each row changes in proportion to
 * its number in x. `rows` has the numbers of w.
 */
export function smallestChange({ x, at }, rows, dimensions, wanted) {
  const square = x.reduce((sum, number) => sum + number * number, 0)
  return x.flatMap((number, row) =>
    number === 0
      ? []
      : dimensions.map((dimension, d) => [
          row,
          dimension,
          Number((rows[row][dimension] + (number * (wanted[d] - at[d])) / square).toFixed(DIGITS)),
        ]),
  )
}

/** Return whether an arrow can be dragged: its matrix can be edited, and its token has a number other than 0. */
export function movable({ x, from }, editable) {
  return editable.includes(from) && x.some((number) => number !== 0)
}
