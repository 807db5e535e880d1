// Pointer: whether it was moved. Browsers also tell of what comes to lie under a pointer at rest, which changes no scene.

const POINTER = (globalThis[Symbol.for("attention-lab.pointer")] ??= watched()) // of the whole page

function watched() {
  const pointer = { at: "", before: "" }
  const note = ({ screenX, screenY }) => Object.assign(pointer, { before: pointer.at, at: `${screenX} ${screenY}` })
  for (const type of ["pointermove", "pointerdown"]) document.addEventListener(type, note, { capture: true })
  return pointer
}

/** Whether the pointer is not where the page was told of before. */
export function hasMoved() {
  return POINTER.at !== POINTER.before
}
