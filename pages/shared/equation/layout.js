// Layout: in which row and column the page shows each cell of a matrix, and with which labels.

/**
 * Return how many rows and columns the page shows, and their labels: all rows or one row, with rows and columns swapped
 * if the matrix is transposed. `at` returns the row and column in the matrix for a row and column on the page.
 */
export function layout(matrix) {
  const only = matrix.onlyRow
  const one = only !== null
  const [rows, columns] = [one ? 1 : matrix.values.length, matrix.values[0].length]
  const rowLabels = one ? matrix.rowLabels.slice(only, only + 1) : matrix.rowLabels
  const full = one ? [1, matrix.shape[1]] : matrix.shape
  const at = (r, c) => [one ? only : r, c]
  return matrix.transposed
    ? {
        rows: columns,
        columns: rows,
        rowLabels: matrix.columnLabels,
        columnLabels: rowLabels,
        full: [...full].reverse(),
        at: (r, c) => at(c, r),
      }
    : { rows, columns, rowLabels, columnLabels: matrix.columnLabels, full, at }
}

/** Return the shape as a text, such as 3×4. For a matrix that is too large to send, it says which part is shown. */
export function shapeText({ rows, columns, full }) {
  const whole = full.join("×")
  return rows === full[0] && columns === full[1] ? whole : `${whole}, first ${rows}×${columns}`
}

/** Return a row and a column of a matrix as the page shows them. */
export function shown({ transposed }, place) {
  return transposed ? place.toReversed() : place
}

/** Return the name of a number with its row and column on the page: Scores, row 1, column 2. */
export function titleOf(matrix, row, column) {
  const [r, c] = shown(matrix, [row, column])
  return `${matrix.name}, row ${Number(r) + 1}, column ${Number(c) + 1}`
}

export function transposedAsShown({ transposed, values }) {
  return transposed ? values[0].map((_, c) => values.map((row) => row[c])) : values
}
