// Shapes: the SVG paths of the grid, of the arrows with their names, and of the angle between two arrows.

import { place } from "./space.js"

const SVG = "http://www.w3.org/2000/svg"
const HEAD = 0.8 // the length of an arrow's head, in letters

export function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag)
  set(made, attributes)
  made.append(...children)
  return made
}

export function set(element, attributes) {
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value))
}

const line = ([x, y], [u, v]) => `M ${x} ${y} L ${u} ${v}`

/** Return the path of both axes if `axes`, and otherwise the path of the lines at every step. */
export function gridPath(space, axes) {
  const {
    origin: [x, y],
    width,
    height,
  } = space
  if (axes) return line([0, y], [width, y]) + line([x, 0], [x, height])
  const gap = space.step * space.unit
  const from = (start, end) =>
    Array.from({ length: Math.floor(end / gap) + 2 }, (_, i) => (start % gap) + (i - 1) * gap).filter(
      (at) => at >= 0 && at <= end,
    )
  return (
    from(x, width)
      .map((at) => line([at, 0], [at, height]))
      .join("") +
    from(y, height)
      .map((at) => line([0, at], [width, at]))
      .join("")
  )
}

/** Return the numbers beside both axes, without those that a name or the tip of an arrow would cover. */
export function ticksBeside(names, tips, space) {
  const { em } = space
  const isCovered = (tick) =>
    names.some(({ at: [x, y], tokens }) => {
      const reach = (0.28 * (tokens.length + tick.text.length) + 0.8) * em
      return tokens && Math.abs(tick.y - y) < 1.1 * em && Math.abs(tick.x - x) < reach
    })
  const isAtTip = (tick) => tips.some(([x, y]) => Math.hypot(tick.x - x, tick.y - y) < 1.7 * em)
  return ticksOf(space).filter((tick) => !isCovered(tick) && !isAtTip(tick))
}

/** Return the numbers beside both axes, as many as there is room for. The origin has no number. */
function ticksOf({ origin: [x, y], width, height, unit, step, em }) {
  const room = (distance) => (1.4 + 0.5 * String(distance).length) * em // numbers such as 0.25 need more
  const distances = [1, 2, 5, 10].map((times) => Number((times * step).toFixed(4)))
  const apart = distances.find((each) => each * unit >= room(each)) ?? 20 * step
  const numbers = (start, end) => {
    const [first, last] = [Math.ceil(start / unit / apart), Math.floor(end / unit / apart)]
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) =>
      Number(((first + i) * apart).toFixed(4)),
    ).filter((number) => number !== 0)
  }
  const text = (number) => String(number).replace("-", "−")
  const right = numbers(em - x, width - em - x).map((number) => ({
    x: x + number * unit,
    y: Math.min(y + em, height - 3),
    text: text(number),
    anchor: "middle",
  }))
  const up = numbers(y - height + em, y - em).map((number) => ({
    x: Math.max(x - 0.3 * em, em),
    y: y - number * unit + 0.3 * em,
    text: text(number),
    anchor: "end",
  }))
  return [...right, ...up]
}

export function shaftPath(space, at) {
  return line(place(space, [0, 0]), place(space, at))
}

/** Return the path of an arrow's head, or "" if the arrow has no length. */
export function headPath(space, at) {
  const [[x, y], [u, v]] = [place(space, [0, 0]), place(space, at)]
  const length = Math.hypot(u - x, v - y)
  if (length < 1) return ""
  const head = (HEAD * space.em) / length
  const [dx, dy] = [(u - x) * head, (v - y) * head]
  return `M ${u} ${v} L ${u - dx - dy / 2} ${v - dy + dx / 2} L ${u - dx + dy / 2} ${v - dy - dx / 2} Z`
}

/** Return the position of an arrow's name: beyond its tip, or below the origin if the arrow has no length. */
export function namePlace(space, at) {
  const [[x, y], [u, v]] = [place(space, [0, 0]), place(space, at)]
  const length = Math.hypot(u - x, v - y)
  const { width, height, em } = space
  if (length < 1) return [u, v + 1.7 * em]
  const far = (1.6 * em) / length
  const [beside, above] = [u + far * (u - x), v + far * (v - y) + 0.3 * em]
  return [Math.min(Math.max(beside, 2 * em), width - 2 * em), Math.min(Math.max(above, em), height - 0.4 * em)]
}

/** Return the path from the tip of one arrow to the line of another, at a right angle, and from there to the origin. */
export function footPath(space, one, other) {
  const square = other[0] ** 2 + other[1] ** 2
  if (!square) return ""
  const share = (one[0] * other[0] + one[1] * other[1]) / square
  const foot = place(space, [other[0] * share, other[1] * share])
  return line(place(space, one), foot) + line(place(space, [0, 0]), foot)
}
