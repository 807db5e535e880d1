// Keys: a slide clicker's Page Down and Page Up walk through the scenes; Escape leaves the presenter view.

const REVEAL = "attention-lab:reveal"
const LARGE = "(min-width: 700px)" // on a phone the presenter view is the page as usual
const KEYS = { PageDown: "next", PageUp: "back", Escape: "leave" }

export default function ({ data, setTriggerValue }) {
  showFromTheTop(data.scene)
  const onKey = (event) => {
    const move = KEYS[event.key]
    if (!move || event.defaultPrevented || modified(event) || busy(event)) return
    if (move === "leave" && !data.present) return
    event.preventDefault()
    if (move !== "next" || !data.present || !revealed()) setTriggerValue(move, true)
  }
  document.addEventListener("keydown", onKey)
  return () => document.removeEventListener("keydown", onKey)
}

/** Begin each scene where it begins; what is scrolled within one stays. */
function showFromTheTop(scene) {
  const main = document.querySelector('[data-testid="stMain"]')
  if (main && main.dataset.scene !== scene) main.scrollTo(0, 0)
  if (main) main.dataset.scene = scene
}

function modified({ altKey, ctrlKey, metaKey, shiftKey }) {
  return altKey || ctrlKey || metaKey || shiftKey
}

/** Whether the key belongs to what has the focus: a text, a slider, a list that is open, a dialog. */
function busy(event) {
  const target = event.composedPath()[0]
  const typed = target.tagName === "INPUT" && !["radio", "checkbox", "button"].includes(target.type)
  const own = typed || ["TEXTAREA", "SELECT"].includes(target.tagName) || target.isContentEditable
  return own || target.role === "slider" || Boolean(document.querySelector('[role="dialog"], [role="listbox"]'))
}

/** Let the next covered result be shown; false where nothing is covered. */
function revealed() {
  return matchMedia(LARGE).matches && !document.dispatchEvent(new CustomEvent(REVEAL, { cancelable: true }))
}
