// Browser: a random id that this browser makes up and keeps, so that a reload finds its answers again.

const KEPT = "attention-lab.browser"
const FORM = /^[0-9a-f]{32}$/

export default function ({ data: [known], setTriggerValue }) {
  const id = keptId()
  if (id !== known) setTriggerValue("id", id)
}

function keptId() {
  try {
    const kept = localStorage.getItem(KEPT)
    if (FORM.test(kept)) return kept
    const made = newId()
    localStorage.setItem(KEPT, made)
    return made
  } catch {
    return (globalThis[Symbol.for(KEPT)] ??= newId()) // a browser that keeps nothing: until the page is left
  }
}

function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")
}
