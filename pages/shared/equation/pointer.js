// Pointer: find out whether the visitor moved the pointer. Browsers also send an event if the page moves below it.

const POINTER = (globalThis[Symbol.for("attention-lab.pointer")] ??= watched()) // shared by the whole page

function watched() {
  const pointer = { at: "", before: "" }
  const note = ({ screenX, screenY }) => Object.assign(pointer, { before: pointer.at, at: `${screenX} ${screenY}` })
  for (const type of ["pointermove", "pointerdown"]) document.addEventListener(type, note, { capture: true })
  return pointer
}

/** Return whether the pointer has another position on the screen than at the last event. */
export function hasMoved() {
  return POINTER.at !== POINTER.before
}
