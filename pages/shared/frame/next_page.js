// Next page: the page before stays on the screen until the next one is whole.

import { untilWhole } from "./whole.js"

const LONGEST_HOLD = 1500 // milliseconds; nothing can be pressed meanwhile
const SKIPPED = ["AbortError", "InvalidStateError", "TimeoutError"] // by the browser, such as in a hidden tab

/** Hold what the screen shows as soon as the address changes to another page. */
export function holdPages() {
  window.navigation?.addEventListener("navigate", ({ destination }) => {
    const isSame = new URL(destination.url).pathname === location.pathname
    if (isSame || !document.startViewTransition || document.getElementById("lab-first")) return
    document.startViewTransition(() => untilWhole(LONGEST_HOLD)).ready.catch((error) => {
      if (!SKIPPED.includes(error.name)) throw error
    })
  })
}
