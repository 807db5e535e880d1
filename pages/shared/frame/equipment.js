// What a page loads once. Its style stands first in the body: after Streamlit’s own, before those that a lecture adds.

const REFUSES = Symbol.for("attention-lab.refuses-long-texts")
const ARRIVED = Symbol.for("attention-lab.arrived")
const SETTLED = 4000 // milliseconds in which a page that was opened grows to its height

export default function () {
  const style = document.getElementById("attention-lab") ?? document.createElement("style")
  if (!style.isConnected) document.body.prepend(style)
  style.id = "attention-lab"
  if (style.textContent !== PAGE_STYLE) style.textContent = PAGE_STYLE
  load()
  if (!globalThis[REFUSES]) refuseLongTexts(document)
  globalThis[REFUSES] = true
  if (!window[ARRIVED] && new URLSearchParams(location.search).has("task")) showTask()
  window[ARRIVED] = true
}

/** A link to a task opens at the task, which stands below the lesson: also while the page grows, until the visitor acts. */
function showTask() {
  const growing = new ResizeObserver(() => document.getElementById("try-it")?.scrollIntoView())
  const rest = () => growing.disconnect()
  growing.observe(document.querySelector("[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]"))
  for (const type of ["wheel", "touchstart", "pointerdown", "keydown"]) window.addEventListener(type, rest, { once: true })
  setTimeout(rest, SETTLED)
}
