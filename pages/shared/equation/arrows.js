// Arrows: the keys that walk over cells, and the edge where the walk ends.

export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

/** The place that is nearest to `place` among so many. */
export function clamp(place, many) {
  return Math.max(0, Math.min(many - 1, place))
}
