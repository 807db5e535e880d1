// Pointer: whether it was moved. Browsers also send an event if the page moves under a pointer at rest.

const POINTER = (globalThis[Symbol.for("attention-lab.pointer")] ??= watched()) // shared by the whole page

function watched() {
  const pointer = { at: "", before: "" }
  const note = ({ screenX, screenY }) => Object.assign(pointer, { before: pointer.at, at: `${screenX} ${screenY}` })
  for (const type of ["pointermove", "pointerdown"]) document.addEventListener(type, note, { capture: true })
  return pointer
}

/** Whether the pointer is at another place than in the last event. */
export function hasMoved() {
  return POINTER.at !== POINTER.before
}
