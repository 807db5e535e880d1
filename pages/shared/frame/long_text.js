// Long text: refuse a text that is too long before it is in the text area. Otherwise the server would end the
// connection, and the page could not say why. The message stays below the area until the visitor types or pastes
// something else.
import { element } from "./elements.js"

export function refuseLongTexts(root) {
  root.addEventListener(
    "beforeinput",
    (event) => {
      const area = event.target
      if (area.localName !== "textarea" || event.isComposing) return
      const added = event.data ?? event.dataTransfer?.getData("text/plain") ?? ""
      const length = area.value.length - (area.selectionEnd - area.selectionStart) + added.length
      if (added && length > LONGEST_TEXT) event.preventDefault()
      say(area, added && length > LONGEST_TEXT ? length : 0)
    },
    true,
  )
}

function say(area, length) {
  const box = area.closest('[data-testid="stTextArea"]')
  box?.querySelector(".too-long")?.remove()
  if (!box || !length) return
  const [most, got] = [LONGEST_TEXT, length].map((n) => n.toLocaleString("en"))
  const rule = `A text may have ${most} characters; this would have ${got}`
  const textContent = `${rule}, so nothing was changed: paste less of it.`
  box.append(element("p", { className: "too-long", role: "alert", textContent }))
}
