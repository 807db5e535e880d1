// Arrows: the arrow keys, which move from cell to cell and stop at the edge of a matrix.

export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

/** Return the number nearest to `place` among the whole numbers from 0 to `many` − 1. */
export function clamp(place, many) {
  return Math.max(0, Math.min(many - 1, place))
}
