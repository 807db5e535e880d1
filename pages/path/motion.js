// Motion: an animation in the cells of an equation that shows how they are computed. A button plays and stops it.

const LASTS = 1900 // milliseconds for all frames together
const TYPED_INTO = "input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [contenteditable]"
const STILL = "(prefers-reduced-motion: reduce)" // such visitors get no animation
const KEYS = matchMedia("(hover: hover)") // a device with a mouse has a keyboard too
const PLAYER = (globalThis[Symbol.for("attention-lab.path-motion")] ??= { playing: null, drawn: 0, frames: [], label: "" })

export default function ({ data: [data], parentElement }) {
  const drawn = ++PLAYER.drawn
  Object.assign(PLAYER, { frames: data.frames, label: data.label })
  PLAYER.button = buttonIn(parentElement.querySelector(".motion"))
  document.addEventListener("keydown", onKey)
  return () => {
    if (drawn !== PLAYER.drawn) return // the button was drawn again
    stop()
    document.removeEventListener("keydown", onKey)
  }
}

function buttonIn(root) {
  if (matchMedia(STILL).matches) return root.replaceChildren()
  const button = root.querySelector("button") ?? Object.assign(document.createElement("button"), { type: "button" })
  button.onclick = () => (PLAYER.playing ? stop() : play())
  root.replaceChildren(button)
  say(button)
  return button
}

function say(button) {
  const [does, key] = PLAYER.playing ? ["■ Stop", " (Esc)"] : [`▶ ${PLAYER.label}`, " (R)"]
  if (button) button.textContent = does + (KEYS.matches ? key : "")
}

function onKey(event) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.composedPath()[0].matches?.(TYPED_INTO)) return
  if (event.key === "Escape" && PLAYER.playing) stop()
  else if (event.key.toLowerCase() === "r" && !matchMedia(STILL).matches) play()
}

function play() {
  stop()
  const frames = PLAYER.frames.map(([lit, shown]) => ({ lit: lit.flatMap(cellsAt), shown: shown.flatMap(([place, value]) => cellsAt(place).map((cell) => [cell, value])) }))
  const cells = new Map(frames.flatMap(({ shown }) => shown.map(([cell]) => [cell, { text: cell.textContent, last: cell.textContent }])))
  PLAYER.playing = { frames, cells, lit: [], at: -1, begun: performance.now() }
  say(PLAYER.button)
  tick()
}

function tick() {
  const { playing } = PLAYER
  if (!playing) return
  const at = Math.floor(((performance.now() - playing.begun) / LASTS) * playing.frames.length)
  if (at >= playing.frames.length) return stop()
  if (at !== playing.at) show(playing, at)
  requestAnimationFrame(tick)
}

function show(playing, at) {
  const { lit, shown } = playing.frames[at]
  playing.at = at
  light(playing, lit)
  for (const [cell, value] of shown) {
    const kept = playing.cells.get(cell)
    if (cell.textContent !== kept.last) continue // the cell was changed by something else
    kept.last = cell.textContent = written(value, kept.text)
  }
}

function light(playing, lit) {
  playing.lit.forEach((cell) => (cell.style.outline = ""))
  lit.forEach((cell) => (cell.style.outline = "2px solid currentColor"))
  playing.lit = lit
}

/** End the animation: remove the outlines, and show the numbers from before. */
function stop() {
  const { playing } = PLAYER
  PLAYER.playing = null
  if (!playing) return
  light(playing, [])
  for (const [cell, { text, last }] of playing.cells) if (cell.textContent === last) cell.textContent = text
  say(PLAYER.button)
}

/** Return a number as text, with as many decimals as the text `end`, which the cell has after the animation. */
function written(value, end) {
  const decimals = end.split(".")[1]?.length ?? 0
  return value.toFixed(decimals).replace("-", "\u2212")
}

function cellsAt([id, row, column]) {
  const roots = [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')]
  const figures = roots.flatMap((element) => [...(element.shadowRoot?.querySelectorAll(`figure[data-id="${id}"]`) ?? [])])
  return figures.flatMap((figure) => [...figure.querySelectorAll(`td.cell[data-row="${row}"][data-column="${column}"]`)])
}
