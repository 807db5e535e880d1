// Space: turn numbers into positions in the picture, and back. Both axes have the same unit, so that angles are true.

/** Return a space with room for all points and the origin. Sizes are in pixels; `em` is the size of a letter. */
export function spaceOf(points, { width, height, em }) {
  const all = [[0, 0], [1, 1], ...points]
  const edge = 2.2 * em // room for names
  const [xs, ys] = [0, 1].map((axis) => all.map((point) => point[axis]))
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const unit = Math.min((width - 3 * edge) / (right - left), (height - 2 * edge) / (high - low))
  const origin = [(width - unit * (left + right)) / 2, (height + unit * (low + high)) / 2]
  return { unit, origin, step: stepOf(unit), width, height, em }
}

export const place = ({ unit, origin }, [a, b]) => [origin[0] + unit * a, origin[1] - unit * b]

export const numbersAt = ({ unit, origin }, [x, y]) => [(x - origin[0]) / unit, (origin[1] - y) / unit]

/** Return the distance between grid lines: 1, 2 or 5 times a power of ten, and at least 25 pixels. */
function stepOf(unit) {
  const power = 10 ** Math.floor(Math.log10(25 / unit))
  return [1, 2, 5, 10].map((times) => times * power).find((step) => step * unit >= 25)
}
