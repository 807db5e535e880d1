// Layout: where the cells of a matrix stand on the page.

/** The cells as they stand on the page: one row of them, or all; swapped where a matrix is shown transposed. */
export function layout(matrix) {
  const only = matrix.onlyRow
  const one = only !== null
  const [rows, columns] = [one ? 1 : matrix.values.length, matrix.values[0].length]
  const rowLabels = one ? matrix.rowLabels.slice(only, only + 1) : matrix.rowLabels
  const full = one ? [1, matrix.shape[1]] : matrix.shape
  const at = (r, c) => [one ? only : r, c]
  return matrix.transposed
    ? { rows: columns, columns: rows, rowLabels: matrix.columnLabels, columnLabels: rowLabels, full: [...full].reverse(), at: (r, c) => at(c, r) }
    : { rows, columns, rowLabels, columnLabels: matrix.columnLabels, full, at }
}

/** 3×4, or what is shown of a matrix too large to send. */
export function shapeText({ rows, columns, full }) {
  const whole = full.join("×")
  return rows === full[0] && columns === full[1] ? whole : `${whole}, first ${rows}×${columns}`
}

/** A row and a column, as they stand on the page. */
export function shown({ transposed }, place) {
  return transposed ? place.toReversed() : place
}

/** Scores, row 1, column 2: a number by its place, as it stands on the page. */
export function titleOf(matrix, row, column) {
  const [r, c] = shown(matrix, [row, column])
  return `${matrix.name}, row ${Number(r) + 1}, column ${Number(c) + 1}`
}

export function transposedAsShown({ transposed, values }) {
  return transposed ? values[0].map((_, c) => values.map((row) => row[c])) : values
}
