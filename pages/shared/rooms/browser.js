// Browser: a random id that this browser makes up and keeps, so that a reload finds its answers again; and the room
// that is led in this tab with its key, so that a reload leads it on. A new tab leads nothing.

const KEPT = "attention-lab.browser"
const ROOM = "attention-lab.own-room"
const FORM = /^[0-9a-f]{32}$/
const NO_ROOM = ["", ""]

export default function ({ data: [idIsKnown, roomIsKnown, code, key], setTriggerValue }) {
  if (roomIsKnown) keepRoom(code, key)
  const room = roomIsKnown ? NO_ROOM : keptRoom()
  if (!idIsKnown || room[0]) setTriggerValue("told", [keptId(), ...room])
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

function keptRoom() {
  try {
    const [code, key] = JSON.parse(sessionStorage.getItem(ROOM) ?? "[]")
    return typeof code === "string" && typeof key === "string" ? [code, key] : NO_ROOM
  } catch {
    return NO_ROOM
  }
}

function keepRoom(code, key) {
  try {
    if (code) sessionStorage.setItem(ROOM, JSON.stringify([code, key]))
    else sessionStorage.removeItem(ROOM)
  } catch {
    // a browser that keeps nothing: the lecturer's own link leads back
  }
}
