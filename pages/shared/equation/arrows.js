// Arrows: the keys that move from cell to cell, as far as the edge.

export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

/** The place nearest to `place` among the places from 0 to `many` − 1. */
export function clamp(place, many) {
  return Math.max(0, Math.min(many - 1, place))
}
