// Equipment: what a page loads once. Its style is the first element of the body: it comes after Streamlit’s own style
// and before the styles of a lecture.

const REFUSES = Symbol.for("attention-lab.refuses-long-texts")
const ARRIVED = Symbol.for("attention-lab.arrived") // the page that was opened last
const SETTLED = 4000 // milliseconds in which a new page grows to its full height

export default function ({ data: { entry } }) {
  document.documentElement.dataset.labEntry = entry
  const style = document.getElementById("attention-lab") ?? document.createElement("style")
  if (!style.isConnected) document.body.prepend(style)
  style.id = "attention-lab"
  if (style.textContent !== PAGE_STYLE) style.textContent = PAGE_STYLE
  load()
  if (!globalThis[REFUSES]) refuseLongTexts(document)
  globalThis[REFUSES] = true
  if (window[ARRIVED] !== location.pathname && new URLSearchParams(location.search).has("task")) showTask()
  window[ARRIVED] = location.pathname
}

/** Scroll to the task that a link opens. Repeat this while the page grows, until the visitor does something. */
function showTask() {
  const growing = new ResizeObserver(() => document.getElementById("try-it")?.scrollIntoView())
  const rest = () => growing.disconnect()
  growing.observe(document.querySelector("[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]"))
  for (const type of ["wheel", "touchstart", "pointerdown", "keydown"])
    window.addEventListener(type, rest, { once: true })
  setTimeout(rest, SETTLED)
}
