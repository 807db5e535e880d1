// Way: the bar of chapters, the keys of the path, and what this browser remembers of it.

const KEPT = "attention-lab.path"
const WAY = (globalThis[Symbol.for("attention-lab.path")] ??= { drawn: 0, shown: null, guesses: "" })
const LOOK = 60 // milliseconds between two looks at whether an answer is drawn
const LOOKS = 20
const LETTERS = ["a", "b", "c", "d"] // of the options
const EACH = 5 // of these looks at which the page is scrolled
const MOVES = ["wheel", "pointerdown", "keydown", "touchmove"]
const TYPED_INTO = "input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [role=slider], [contenteditable]"
const PRESSED = "button, a, label, summary, td, input, [role=radio], [role=option]" // what Enter means something to

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const drawn = ++WAY.drawn
  draw(parentElement.querySelector(".path"), data, (number) => setTriggerValue("go", number))
  remember(data, setTriggerValue)
  follow(data)
  document.addEventListener("keydown", onKey)
  for (const type of MOVES) document.addEventListener(type, rest, { passive: true })
  document.addEventListener("scroll", noteScroll, { passive: true, capture: true })
  noteScroll()
  return () => {
    if (drawn !== WAY.drawn) return // it was drawn anew
    document.removeEventListener("scroll", noteScroll, { capture: true })
    document.documentElement.removeAttribute("data-path-scrolled")
    document.removeEventListener("keydown", onKey)
    for (const type of MOVES) document.removeEventListener(type, rest)
    rest()
  }
}

// --- the bar ---

function draw(nav, { chapters, screen, last }, go) {
  const list = document.createElement("ol")
  chapters.forEach(({ title, screens }, i) => {
    const chapter = document.createElement("li")
    const here = screens.some(({ number }) => number === screen)
    chapter.className = here ? "chapter here" : "chapter"
    const name = Object.assign(document.createElement("span"), { className: "title", textContent: `${i + 1} ${title}` })
    chapter.append(name, ...screens.map((each) => mark(each, screen, last, go)))
    list.append(chapter)
  })
  const place = document.createElement("li")
  place.className = "place"
  place.textContent = screen === last ? "the lines to keep" : `${screen} of ${last - 1}`
  list.append(place)
  nav.replaceChildren(list)
}

function mark({ number, question, guessed }, screen, last, go) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: guessed ? "guessed" : "", title: `${number}. ${question}` })
  button.ariaLabel = `${number} of ${last - 1}: ${question}${guessed ? " Guessed." : ""}`
  if (number === screen) button.ariaCurrent = "step"
  button.onclick = () => go(number)
  return button
}

/** Go to the top when another screen opens, and to the answer when there is one. */
function follow({ screen, guesses }) {
  if (WAY.shown !== null && WAY.shown !== screen) beginAtTheTop()
  else if (WAY.shown !== null && WAY.guesses.length < guesses.length) showTheAnswer()
  Object.assign(WAY, { shown: screen, guesses })
}

/** The button that was pressed is of the screen before. From the top on, Page Down scrolls, and Tab goes on. */
function beginAtTheTop() {
  main()?.scrollTo(0, 0)
  focusMain()
}

/** It is looked for a while: the picture above it is drawn anew as well, and moves it. */
function showTheAnswer(looks = LOOKS) {
  const answer = document.querySelector(".st-key-path_reveal")
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"
  if (answer && looks % EACH === 0) answer.scrollIntoView({ block: "nearest", behavior })
  if (answer && nothingHasFocus()) focusOn(answer)
  if (looks) WAY.looking = setTimeout(showTheAnswer, LOOK, looks - 1)
}

/** The button that was pressed is gone. From the answer on, Page Down scrolls, and Tab goes on. */
function focusOn(answer) {
  answer.tabIndex = -1
  answer.focus({ preventScroll: true })
}

function nothingHasFocus() {
  return [document.body, main()].includes(document.activeElement)
}

/** The browser scrolls by key what has the focus. The whole page has no outline then, as if nothing had the focus. */
function focusMain() {
  main()?.style.setProperty("outline", "none")
  main()?.focus({ preventScroll: true })
}

function main() {
  return document.querySelector('[data-testid="stMain"]')
}

/** Whoever scrolls or presses something has seen it. */
function rest() {
  clearTimeout(WAY.looking)
}

// --- the memory ---

/** Go on where this browser was, when it comes anew; else keep where it is. A link with guesses of its own is not kept until it is used. The name of a screen is kept, since its number can change. */
function remember({ name, guesses, fresh }, setTriggerValue) {
  const kept = keptBefore()
  if (!fresh) return keep({ screen: name, guesses })
  const differs = kept && (kept.screen !== name || kept.guesses !== guesses)
  if (differs && !guesses) setTriggerValue("resume", kept)
}

function keptBefore() {
  try {
    return JSON.parse(localStorage.getItem(KEPT))
  } catch {
    return null // storage is closed, or holds something else
  }
}

function keep(place) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(place))
  } catch {
    // storage is closed: the link still has it
  }
}

// --- the keys ---

function onKey(event) {
  const target = event.composedPath()[0]
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || target.matches?.(TYPED_INTO)) return
  if (document.querySelector('[role="dialog"]')) return
  if (target === document.body && event.key !== "Tab") focusMain() // so that this key scrolls the page
  const act = meant(event, target)
  if (!act) return
  event.preventDefault()
  act()
}

function meant({ key }, target) {
  const options = [...document.querySelectorAll(".st-key-path_options button")]
  const option = options[LETTERS.indexOf(key.toLowerCase())] ?? options[Number(key) - 1]
  if (option && !target.closest?.("td")) return () => option.click()
  if (key === "PageUp") return atTheTop() && pressing('[class*="st-key-path_onward-back"] button')
  const enter = key === "Enter" && !target.closest?.(PRESSED)
  if (key !== "PageDown" && !enter) return null
  const asked = document.querySelector(".st-key-path_guess button, .st-key-path_guess input")
  if (asked) return () => asked.focus()
  return atTheEnd() && pressing('[class*="st-key-path_onward-next"] button')
}

function pressing(selector) {
  const button = document.querySelector(selector)
  return button && !button.disabled && (() => button.click())
}

/** Whether the way on is in sight; if it is not, Page Down scrolls as everywhere. */
function atTheEnd() {
  const onward = document.querySelector(".st-key-path_onward")
  return onward && onward.getBoundingClientRect().top < innerHeight
}

function atTheTop() {
  return main()?.scrollTop < 20
}

/** Note whether the question is out of sight, for the style of the page. */
function noteScroll() {
  document.documentElement.toggleAttribute("data-path-scrolled", !atTheTop())
}
