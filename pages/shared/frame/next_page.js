// Next page: the page before stays on the screen until the next one is whole.

import { untilWhole } from "./whole.js"

const LONGEST_HOLD = 1500 // milliseconds; nothing can be pressed meanwhile
const NARROW = 768 // pixels; in a narrower window, the menu is a drawer
const SKIPPED = ["AbortError", "InvalidStateError", "TimeoutError"] // by the browser, such as in a hidden tab

/** Hold what the screen shows as soon as the address changes to another page. */
export function holdPages() {
  window.navigation?.addEventListener("navigate", ({ destination }) => {
    const isSame = new URL(destination.url).pathname === location.pathname
    if (!isSame) closeDrawer()
    if (isSame || !document.startViewTransition || document.getElementById("lab-first")) return
    document.startViewTransition(() => untilWhole(LONGEST_HOLD)).ready.catch((error) => {
      if (!SKIPPED.includes(error.name)) throw error
    })
  })
}

/** Close the menu of a phone, which would cover the page that was chosen in it. */
function closeDrawer() {
  const close = document.querySelector('[data-testid="stSidebarCollapseButton"] button')
  if (window.innerWidth < NARROW) close?.click()
}
