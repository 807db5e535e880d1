// Stay: what was pressed stays under the pointer, also if the answer makes something above it higher or lower.

const STAYS = 2_000 // milliseconds in which the answer to a press has been drawn
const ENDINGS = ["wheel", "touchmove", "keydown", "pointerdown"] // what a visitor does next
let release = () => {}

/** Keep an element at its height in the window until the answer is drawn, or until the visitor does something else. */
export function stayInPlace(pressed) {
  release()
  const scroller = document.querySelector('[data-testid="stMain"]')
  const page = scroller?.querySelector('[data-testid="stVerticalBlock"]')
  if (!page) return
  const topOf = () => pressed.getBoundingClientRect().top
  const before = topOf()
  // It is called after the layout and before the paint, so nobody sees the page jump and come back.
  const observer = new ResizeObserver(() => pressed.isConnected && scroller.scrollBy(0, topOf() - before))
  const ended = setTimeout(() => release(), STAYS)
  release = () => {
    observer.disconnect()
    clearTimeout(ended)
    for (const type of ENDINGS) document.removeEventListener(type, release, true)
    release = () => {}
  }
  observer.observe(page)
  for (const type of ENDINGS) document.addEventListener(type, release, true)
}
