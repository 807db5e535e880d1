// First screen: it stands until the page below it is whole, and then leaves at once. A press on it is done afterwards.

const AGAIN = 50 // milliseconds between two looks at the page
const LONGEST = 20_000 // then the page is shown in any case
const OURS = "[data-lab-drawn]"
const FIRST = document.getElementById("lab-first")

if (FIRST) stand(FIRST)

function stand(first) {
  let pressed = null
  let before = null
  document.documentElement.dataset.labFirst = ""
  first.addEventListener("click", (event) => {
    const live = event.target.closest("[data-live]")
    pressed = live ? JSON.parse(live.dataset.live) : pressed
  })
  showPlace(first)
  document.fonts.load("1rem 'Source Sans'").then(() => showPlace(first)) // now the stations have their widths
  const look = () => {
    const now = placesOfWholePage()
    if ((now === null || now !== before) && performance.now() < LONGEST) {
      before = now
      return setTimeout(look, AGAIN)
    }
    delete document.documentElement.dataset.labFirst
    first.remove()
    if (pressed) press(...pressed)
  }
  look()
}

/** Scroll the map to the present station, as the map itself does. */
function showPlace(first) {
  const list = first.querySelector(".map")?.shadowRoot?.querySelector("ol")
  const here = list?.querySelector("[aria-current]")
  if (here) list.scrollLeft = here.offsetLeft - (list.clientWidth - here.offsetWidth) / 2
}

function press(selector, text) {
  const live = [...document.querySelectorAll(selector)].find((each) => each.textContent.includes(text))
  live?.click()
}

/** Return the places of what the first screen has, or null while something in it is missing. */
function placesOfWholePage() {
  if (document.querySelector("#root [data-testid=stException], [data-testid=stDialog]")) return "shown at once"
  const app = document.querySelector("[data-testid=stApp]")
  if (app?.dataset.testScriptState !== "notRunning" || !app.querySelector("[data-testid=stMain] h1")) return null
  const main = app.querySelector("[data-testid=stMain]")
  const waits = '[data-testid="stSkeleton"], code.language-math'
  if (document.fonts.status !== "loaded" || [...main.querySelectorAll(waits)].some(isInView)) return null
  const figures = [...main.querySelectorAll("[data-testid=stBidiComponentIsolated]")].filter(isInView)
  if (figures.some((each) => !isDrawn(each))) return null
  const elements = [...main.querySelectorAll("[data-testid=stElementContainer]")]
  return elements.map(topOf).filter((top) => top < window.innerHeight).join()
}

function isInView(element) {
  return topOf(element) < window.innerHeight
}

function topOf(element) {
  return Math.round(element.getBoundingClientRect().top)
}

function isDrawn(element) {
  return element.matches(OURS) || element.querySelector(OURS) !== null
}
