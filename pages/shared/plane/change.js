// Change: find the smallest change of a matrix that moves the tip of an arrow to a point, and move all arrows by it.

const DIGITS = 4 // the digits of an edited number

/**
 * Return the new cells of a matrix w with which x · w is `wanted`. Each row changes in proportion to its number in x.
 */
export function smallestChange({ x, at }, columns, dimensions, wanted) {
  const square = x.reduce((sum, number) => sum + number * number, 0)
  return x.flatMap((number, row) =>
    number === 0
      ? []
      : dimensions.map((dimension, d) => [
          row,
          dimension,
          Number((columns[row][d] + (number * (wanted[d] - at[d])) / square).toFixed(DIGITS)),
        ]),
  )
}

/** Return the arrows and the columns of the matrices after the edits that the server has not answered yet. */
export function changed({ arrows, weights, dimensions }, edits) {
  const moved = arrows.map((arrow) => ({ ...arrow, at: [...arrow.at] }))
  const columns = Object.fromEntries(Object.entries(weights).map(([id, rows]) => [id, rows.map((row) => [...row])]))
  for (const { id, cells } of edits)
    for (const [row, dimension, value] of cells) {
      const d = dimensions.indexOf(dimension)
      const difference = value - columns[id][row][d]
      columns[id][row][d] = value
      for (const arrow of moved) if (arrow.from === id) arrow.at[d] += arrow.x[row] * difference
    }
  return { arrows: moved, weights: columns }
}

/** Return whether an arrow can be dragged: its matrix can be edited, and its token has a number other than 0. */
export function movable({ x, from }, weights) {
  return from in weights && x.some((number) => number !== 0)
}
