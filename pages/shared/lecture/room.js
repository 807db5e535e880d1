// Room: let the picture of a presented scene fill the free height of the window. Equations do this themselves. (This is
// not about rooms in which a class answers.)

import { ALL, roomOnStage } from "./stage.js"

const LARGEST = 2.2 // times the size on the page
const style = document.documentElement.style

/**
 * Fit the picture of a scene into the free height, now and whenever the page changes. Return a function that ends this.
 */
export function giveRoom(focus) {
  const observer = new ResizeObserver(() => requestAnimationFrame(give))
  const give = () => {
    const box = focus && document.querySelector(focus)
    if (!box) return
    const room = roomOnStage(box)
    set("--room", `${Math.round(room)}px`)
    if (box.querySelector("[data-testid=stVegaLiteChart]")) enlargeChart(box, room)
  }
  observer.observe(document.querySelector(ALL))
  window.addEventListener("resize", give)
  give()
  return () => {
    observer.disconnect()
    window.removeEventListener("resize", give)
    for (const name of ["--room", "--enlarged"]) style.removeProperty(name)
  }
}

/** Enlarge a chart to the height `room`. Its width already fills the page. */
function enlargeChart(box, room) {
  const now = Number(getComputedStyle(document.documentElement).getPropertyValue("--enlarged"))
  const wanted = Math.min(LARGEST, (now * room) / box.getBoundingClientRect().height)
  if (wanted < now || wanted > 1.03 * now) set("--enlarged", Math.floor(100 * wanted) / 100)
}

function set(name, value) {
  if (style.getPropertyValue(name) !== String(value)) style.setProperty(name, value)
}
