// Whole: whether all that a page shows in the window is there, and stands still.

const AGAIN = 50 // milliseconds between two looks at the page
const DRAWN = "div > div > * > *" // what a component draws is within its own element, which is there before it

/** Wait until the page is whole, or for so many milliseconds. */
export async function untilWhole(longest) {
  const end = performance.now() + longest
  let before = null
  while (performance.now() < end) {
    const now = placesOfWholePage()
    if (now !== null && now === before) return
    before = now
    await new Promise((go) => setTimeout(go, AGAIN))
  }
}

/** Return the places of what stands in the window, or null while something there is missing. */
function placesOfWholePage() {
  if (document.querySelector("#root [data-testid=stException], [data-testid=stDialog]")) return "shown at once"
  const app = document.querySelector("[data-testid=stApp]")
  if (app?.dataset.testScriptState !== "notRunning" || !app.querySelector("[data-testid=stMain] h1")) return null
  const main = app.querySelector("[data-testid=stMain]")
  const waits = '[data-testid="stSkeleton"], code.language-math'
  if (document.fonts.status !== "loaded" || [...main.querySelectorAll(waits)].some(isInWindow)) return null
  const figures = [...main.querySelectorAll("[data-testid=stBidiComponentIsolated]")].filter(isInWindow)
  if (figures.some((each) => !isDrawn(each))) return null
  const elements = [...main.querySelectorAll("[data-testid=stElementContainer]")]
  return elements.map(topOf).filter((top) => top < window.innerHeight).join()
}

function isInWindow(element) {
  return element.checkVisibility() && topOf(element) < window.innerHeight
}

function topOf(element) {
  return Math.round(element.getBoundingClientRect().top)
}

function isDrawn({ shadowRoot }) {
  return Boolean(shadowRoot?.querySelector(DRAWN))
}
