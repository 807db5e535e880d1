// Desk: what a presenter has at hand: covers, a black screen, a clock.

const REVEAL = "attention-lab:reveal" // equations listen: show the next result
const COVER = "attention-lab:cover" // and: cover the last one again
const LARGE = "(min-width: 700px)" // on a phone the presenter view is the page as usual
const ASKED = "data-lab-asked" // on the page while a scene asks: its sentence and its picture wait
const COVERED = "data-lab-covered" // while results are covered
const UNCOVERED = "attention-lab.uncovered" // scenes whose sentence was shown; a reload and a way back keep that
const RESULTS = "attention-lab.revealed" // and of which results were shown
const BEGUN = "attention-lab.begun" // when the lecture began
const HIDDEN = "attention-lab.no-clock"
const page = document.documentElement

// --- covers ---

/** Begin a scene as it was left: asking, or with its sentence. */
export function ask(scene, presented) {
  page.toggleAttribute(ASKED, presented && !shown().includes(scene))
}

function shown() {
  return JSON.parse(sessionStorage.getItem(UNCOVERED) ?? "[]")
}

function keep(scenes) {
  sessionStorage.setItem(UNCOVERED, JSON.stringify(scenes))
}

function tell(name) {
  return !document.dispatchEvent(new CustomEvent(name, { cancelable: true }))
}

/** Show what is covered next: a result, and with the last one the sentence; false where nothing is covered. */
export function uncover(scene) {
  if (!matchMedia(LARGE).matches) return false
  const result = tell(REVEAL)
  if (result && page.hasAttribute(COVERED)) return true
  const asked = page.hasAttribute(ASKED)
  page.removeAttribute(ASKED)
  if (asked) keep([...shown(), scene])
  return result || asked
}

/** A result was shown by a press on its cover: with the last one comes the sentence. */
export function follow(scene) {
  if (!page.hasAttribute(COVERED)) uncover(scene)
}

export function uncoverAll(scene) {
  while (uncover(scene));
}

/** Cover again what was uncovered last; return false where nothing was uncovered. */
export function coverAgain(scene) {
  if (!matchMedia(LARGE).matches) return false
  const asking = page.hasAttribute(ASKED)
  const result = tell(COVER)
  if (!asking) keep(shown().filter((each) => each !== scene))
  page.setAttribute(ASKED, "")
  return result || !asking
}

/** From the start: every scene asks anew. */
export function forget() {
  for (const name of [UNCOVERED, RESULTS, BEGUN]) sessionStorage.removeItem(name)
}

// --- the black screen ---

export function blacken() {
  const black = document.querySelector("#lab-black") ?? document.createElement("div")
  if (black.isConnected) return black.remove()
  black.id = "lab-black"
  black.role = "status"
  black.ariaLabel = "Black screen; press any key to go on"
  black.onclick = () => black.remove()
  document.body.append(black)
}

/** Take the black screen away; false where there is none. */
export function lighten() {
  const black = document.querySelector("#lab-black")
  black?.remove()
  return Boolean(black)
}

// --- the clock ---

export function begin() {
  if (!sessionStorage.getItem(BEGUN)) sessionStorage.setItem(BEGUN, Date.now())
}

/** Minutes and seconds since the lecture began. */
export function elapsed() {
  const seconds = Math.floor((Date.now() - (Number(sessionStorage.getItem(BEGUN)) || Date.now())) / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
}

export function time([until, of]) {
  return `${elapsed()} of ${of}:00 · this scene until ${until}:00`
}

/** Show how long the lecture has lasted beside what is planned, or take the clock away. */
export function showTime(planned) {
  const clock = document.querySelector("#lab-clock") ?? document.createElement("div")
  if (!planned || localStorage.getItem(HIDDEN)) return clock.remove()
  clock.id = "lab-clock"
  const said = time(planned)
  if (clock.textContent !== said) clock.textContent = said
  if (!clock.isConnected) document.body.append(clock)
}

export function toggleTime() {
  localStorage.getItem(HIDDEN) ? localStorage.removeItem(HIDDEN) : localStorage.setItem(HIDDEN, "hidden")
}
