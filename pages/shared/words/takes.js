// Takes: write in words how much a word attends to the other words.

import { show } from "./numbers.js"
import { element } from "./elements.js"

const MOST_SAID = 6 // if there are more, only the greatest weights are written

/**
 * Return a sentence in parts: “it” attends to cat with 0.73, to milk with 0.10, and to each other word with at most
 * 0.04. `taken` is without the later words if a mask hides them, and `areHidden` says so.
 */
export function takesInWords(asker, taken, areHidden, digits) {
  const sorted = [...taken]
    .sort((one, other) => other.weight - one.weight)
    .map(({ name, weight }) => ({ name, text: show(weight, digits) }))
  const said = sorted.filter(({ text }, i) => i < MOST_SAID && Number(text) > 0)
  const rest = sorted[said.length]
  const parts = said.map(({ name, text }, i) => [
    i ? ", " : "",
    element(text === said[0].text ? "strong" : "span", { textContent: `${i ? "to " : ""}${name} with ${text}` }),
  ])
  const most = rest && (Number(rest.text) > 0 ? `at most ${rest.text}` : `less than ${show(10 ** -digits, digits)}`)
  const others = rest ? `, and to each other ${areHidden ? "earlier word" : "word"} with ${most}.` : "."
  return [`“${asker}” attends to `, ...parts.flat(), others, areHidden ? " Later words are hidden." : ""]
}
