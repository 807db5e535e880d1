// Beginnings: long names of columns are cut at their ends. Two names that would then look the same are seen without the
// beginning that they share: not “looks for so…” twice, but “…somebody” and “…something”.

import { element } from "./elements.js"

/** Return how many letters of each name are not seen, if at most `room` letters of a name are seen. */
export function lettersLeftOut(names, room) {
  const left = new Map(names.map((name) => [name, 0]))
  for (const alike of lookingAlike(left, room)) {
    const shared = sharedBeginning(alike)
    const words = shared.slice(0, shared.lastIndexOf(" ") + 1)
    const mates = words ? names.filter((name) => name.startsWith(words)) : []
    mates.forEach((name) => left.set(name, words.length))
  }
  for (const alike of lookingAlike(left, room)) alike.forEach((name) => left.set(name, sharedBeginning(alike).length))
  return names.map((name) => left.get(name))
}

/** Return groups of different names that look the same. */
function lookingAlike(left, room) {
  const groups = new Map()
  for (const [name, from] of left) {
    const seen = name.slice(from, from + room)
    groups.set(seen, [...(groups.get(seen) ?? []), name])
  }
  return [...groups.values()].filter((names) => names.length > 1)
}

/** Return the beginning that different names share. It leaves a letter of each. */
function sharedBeginning([first, ...others]) {
  const longest = Math.min(first.length, ...others.map((name) => name.length)) - 1
  let length = 0
  while (length < longest && others.every((name) => name[length] === first[length])) length++
  return first.slice(0, length)
}

/** Write a name into an element, with a part that is not seen but is still read aloud. */
export function writeName(span, name, leftOut) {
  if (!leftOut && !span.firstElementChild) return
  span.classList.toggle("short", leftOut > 0)
  span.replaceChildren(leftOut ? element("small", { textContent: name.slice(0, leftOut) }) : "", name.slice(leftOut))
}
