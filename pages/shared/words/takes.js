// Takes: say in words what a word takes from the others.

import { show } from "./numbers.js"
import { element } from "./elements.js"

const MOST_SAID = 6 // if there are more, say the greatest

/** A text such as: “it” takes 0.73 from cat, 0.10 from milk, and at most 0.04 from each of the others. */
export function takesInWords(asker, taken, digits) {
  const sorted = [...taken]
    .sort((one, other) => other.weight - one.weight)
    .map(({ name, weight }) => ({ name, text: show(weight, digits) }))
  const said = sorted.filter(({ text }, i) => i < MOST_SAID && Number(text) > 0)
  const rest = sorted[said.length]
  const parts = said.map(({ name, text }, i) => [
    i ? ", " : "",
    element(text === said[0].text ? "strong" : "span", { textContent: `${text} from ${name}` }),
  ])
  return [`“${asker}” takes `, ...parts.flat(), rest ? `, and at most ${rest.text} from each of the others.` : "."]
}
