// Fit: presented, an equation too high for the window is set as tightly as can still be read.

import { LARGE } from "./cover.js"

const SHARE = 0.68 // of the window's height, which the title of a scene and what is said of it leave

export function fit(view) {
  const { root, data } = view
  root.classList.toggle("presented", data.present)
  root.classList.remove("dense")
  if (!data.present) return
  root.classList.toggle("dense", matchMedia(LARGE).matches && root.offsetHeight > SHARE * innerHeight)
  view.fitting ??= watch(view)
}

/** Fit again when type or window have changed; to fit what fits changes nothing, so this ends. */
function watch(view) {
  const observer = new ResizeObserver(() => requestAnimationFrame(() => fit(view)))
  observer.observe(view.root)
  return observer
}
