// Browser: keep a random id for this browser, so that its answers are found after a reload. Also keep the code and the
// key of the room that a lecturer leads in this tab, so that the lecturer still leads it after a reload. A new tab
// leads none.

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
    return (globalThis[Symbol.for(KEPT)] ??= newId()) // this browser stores nothing: keep the id on the page
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
    // this browser stores nothing: the lecturer needs the link with the key after a reload
  }
}
