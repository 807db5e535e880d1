// Way: the bar of chapters above a screen of the path, the keys of the path, and what this browser remembers of it.

const KEPT = "attention-lab.path"
const WAY = (globalThis[Symbol.for("attention-lab.path")] ??= { drawn: 0, shown: null, guesses: "" })
const LOOK = 60 // milliseconds between two checks whether the answer is drawn
const LOOKS = 20
const LETTERS = ["a", "b", "c", "d"] // the keys that choose an option
const END = 20 // pixels: the page is at its end, whatever the browser rounds
const EACH = 5 // scroll the page at every fifth check
const MOVES = ["wheel", "pointerdown", "keydown", "touchmove"]
const TYPED_INTO = "input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [role=slider], [contenteditable]"
const PRESSED = "button, a, label, summary, td, input, [role=radio], [role=option]" // these use Enter themselves

export default function ({ data: [data], parentElement, setTriggerValue }) {
  const drawn = ++WAY.drawn
  draw(parentElement.querySelector(".path"), data, (number) => setTriggerValue("go", number))
  remember(data, setTriggerValue)
  follow(data)
  document.addEventListener("keydown", onKey)
  for (const type of MOVES) document.addEventListener(type, rest, { passive: true })
  return () => {
    if (drawn !== WAY.drawn) return // the bar was drawn again
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

/** Go to the top of the page if another screen has opened. Scroll to the answer if the visitor has just guessed. */
function follow({ screen, guesses }) {
  if (WAY.shown !== null && WAY.shown !== screen) beginAtTheTop()
  else if (WAY.shown !== null && WAY.guesses.length < guesses.length) showTheAnswer()
  Object.assign(WAY, { shown: screen, guesses })
}

/** Scroll to the top, and move the focus to the page, because the pressed button belongs to the screen before. */
function beginAtTheTop() {
  main()?.scrollTo(0, 0)
  focusMain()
}

/** Scroll to the answer, several times for a while, because the picture above is drawn again and moves the answer. */
function showTheAnswer(looks = LOOKS) {
  const answer = document.querySelector(".st-key-path_reveal")
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth"
  if (answer && looks % EACH === 0) answer.scrollIntoView({ block: "nearest", behavior })
  if (answer && nothingHasFocus()) focusOn(answer)
  if (looks) WAY.looking = setTimeout(showTheAnswer, LOOK, looks - 1)
}

/** Focus the answer, because the pressed button is gone. Page Down and Tab then go on from the answer. */
function focusOn(answer) {
  answer.tabIndex = -1
  answer.focus({ preventScroll: true })
}

function nothingHasFocus() {
  return [document.body, main()].includes(document.activeElement)
}

/** Focus the page, so that keys scroll it. Draw no outline around the page. */
function focusMain() {
  main()?.style.setProperty("outline", "none")
  main()?.focus({ preventScroll: true })
}

function main() {
  return document.querySelector('[data-testid="stMain"]')
}

/** Stop scrolling to the answer, because the visitor has begun to scroll or has pressed something. */
function rest() {
  clearTimeout(WAY.looking)
}

// --- the memory ---

/**
 * Store the screen and the guesses in this browser. After a new start (`fresh`), store nothing yet, and ask the server
 * to go back to the stored screen, unless the link has guesses. The name of the screen is stored, because its number
 * can change.
 */
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
    return null // the browser stores nothing, or something that is not JSON
  }
}

function keep(place) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(place))
  } catch {
    // the browser stores nothing, but the address still has the screen and the guesses
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
  const options = [...document.querySelectorAll(".st-key-path_options button:enabled")]
  const option = options[LETTERS.indexOf(key.toLowerCase())] ?? options[Number(key) - 1]
  if (option && !target.closest?.("td")) return () => option.click()
  if (key === "PageUp") return atTheTop() && turning("back")
  const enter = key === "Enter" && !target.closest?.(PRESSED)
  if (key !== "PageDown" && !enter) return null
  const asked = document.querySelector(".st-key-path_options button:enabled, .st-key-path_guess input:enabled")
  if (asked) return () => asked.focus()
  return atTheEnd() && turning("next")
}

function turning(name) {
  const onward = document.querySelector('.st-key-path_onward [data-testid="stBidiComponentIsolated"]')
  const button = onward?.shadowRoot.querySelector(`.${name}:enabled`)
  return button && (() => button.click())
}

/** Return whether the end of the screen is in sight. Before that, Page Down scrolls as usual. */
function atTheEnd() {
  const page = main()
  return page && page.scrollTop + page.clientHeight > page.scrollHeight - END
}

function atTheTop() {
  return main()?.scrollTop < END
}
