// Older: sentences with numbers, signs with numbers, and charts come from the server. Until it has answered, they are
// pale, because they say what the numbers were.

import { EQUATIONS } from "./light.js"

const SENTENCES = '[data-testid="stMain"] [data-testid="stMarkdown"] :is(p, li, table, .katex-display)'
const NUMBER = /\d\.\d/ // static sentences have whole numbers, such as “Step 3”
let isMarked = false

/** Mark all that only the server writes as older than the numbers, or end this. */
export function markOlder(isOlder) {
  if (isOlder === isMarked) return
  isMarked = isOlder
  document.documentElement.toggleAttribute("data-older", isOlder)
  for (const view of EQUATIONS) view.root.classList.toggle("ahead", isOlder)
  if (!isOlder) return document.querySelectorAll(".older").forEach((each) => each.classList.remove("older"))
  for (const each of document.querySelectorAll(SENTENCES)) if (hasNumber(each)) each.classList.add("older")
}

function hasNumber(sentence) {
  const isNumber = ({ textContent }) => /^[−\d,%]+$/.test(textContent)
  return NUMBER.test(sentence.textContent) || [...sentence.querySelectorAll("strong")].some(isNumber)
}
