// Pointer: find out whether the visitor moved it. Browsers also send an event if the page moves below the pointer.

const POINTER = (globalThis[Symbol.for("attention-lab.pointer")] ??= watched()) // shared by the whole page

function watched() {
  const pointer = { at: "", before: "" }
  const note = ({ screenX, screenY }) => Object.assign(pointer, { before: pointer.at, at: `${screenX} ${screenY}` })
  for (const type of ["pointermove", "pointerdown"]) document.addEventListener(type, note, { capture: true })
  return pointer
}

/** Return whether the pointer is at another place on the screen than at the event before. */
export function hasMoved() {
  return POINTER.at !== POINTER.before
}
