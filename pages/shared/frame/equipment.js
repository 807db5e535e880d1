// What a page loads once. Its style stands first in the body: after Streamlit’s own, before those that a lecture adds.

const REFUSES = Symbol.for("attention-lab.refuses-long-texts")

export default function () {
  const style = document.getElementById("attention-lab") ?? document.createElement("style")
  if (!style.isConnected) document.body.prepend(style)
  style.id = "attention-lab"
  if (style.textContent !== PAGE_STYLE) style.textContent = PAGE_STYLE
  load()
  if (!globalThis[REFUSES]) refuseLongTexts(document)
  globalThis[REFUSES] = true
}
