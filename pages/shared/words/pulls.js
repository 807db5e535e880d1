// Pulls: draw the lines from the chosen word to the words that it attends to. The greater a weight, the thicker its
// line.

const SVG = "http://www.w3.org/2000/svg"
const THICKEST = 12 // pixels, for a weight of 1

/** Return where the words are in the picture, by word. Reading this makes the browser lay out the page. */
export function boxesOf(picture, words) {
  const origin = picture.getBoundingClientRect()
  return new Map(
    words.map((word) => {
      const { left, top, width, bottom } = word.getBoundingClientRect()
      return [word, { x: left + width / 2 - origin.left, top: top - origin.top, bottom: bottom - origin.top }]
    }),
  )
}

/**
 * Draw a line to each word in `taken`, which has the words and their weights, but none for a weight of 0. `boxes` says
 * where the words are.
 */
export function drawPulls(picture, boxes, asking, taken) {
  const pulls = taken.filter(({ weight }) => weight > 0)
  const box = (word) => boxes.get(word)
  while (picture.childElementCount < pulls.length) picture.append(document.createElementNS(SVG, "path"))
  while (picture.childElementCount > pulls.length) picture.lastChild.remove()
  pulls.forEach(({ word, weight }, i) => {
    const path = picture.children[i]
    path.setAttribute("d", word === asking ? loop(box(word)) : between(box(asking), box(word)))
    path.style.strokeWidth = `${1 + (THICKEST - 1) * weight}px`
    path.style.strokeOpacity = 0.35 + 0.65 * weight
  })
}

/** Return the path of the line of a word that attends to itself. */
function loop({ x, top }) {
  return `M ${x - 5} ${top} C ${x - 26} ${top - 34} ${x + 26} ${top - 34} ${x + 5} ${top}`
}

/** Return the path between two words: an arc above two words of one line, or a curve between words of two lines. */
function between(from, to) {
  const [low, high] = from.top < to.top ? [from, to] : [to, from]
  if (low.bottom > high.top) {
    const height = Math.min(26 + 0.13 * Math.abs(to.x - from.x), 110)
    return `M ${from.x} ${from.top} C ${from.x} ${from.top - height} ${to.x} ${to.top - height} ${to.x} ${to.top}`
  }
  const middle = (low.bottom + high.top) / 2
  return `M ${low.x} ${low.bottom} C ${low.x} ${middle} ${high.x} ${middle} ${high.x} ${high.top}`
}
