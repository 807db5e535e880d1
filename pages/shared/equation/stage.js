// Stage: the names of the events by which the keys of a lecture reach the components of a page, the names of what they
// store in the browser, and the height that is free for a presented equation.

export const LARGE = "(min-width: 700px)" // smaller screens, such as phones in the audience, show the page as usual
export const REVEAL = "attention-lab:reveal" // show the next result
export const REVEALED = "attention-lab:revealed" // a press on a cover has shown a result
export const COVER = "attention-lab:cover" // cover the last result again
export const ANEW = "attention-lab:anew" // a lecture has begun, so everything is covered again
export const SCENE = "attention-lab:scene" // another scene has opened, so the highlights of the scene before end
// Attributes of the page. While a scene asks its question, its sentence and picture are hidden. The value GUESS means
// that the owner of a phone has to guess. While a result is covered, everything that would reveal it is hidden.
export const ASKED = "data-lab-asked"
export const GUESS = "guess"
export const COVERED = "data-lab-covered"
export const RESULTS = "attention-lab.revealed" // by scene: how many results are revealed. This is kept after a reload

/** Return whether a link opened this page. A reload or the browser's Back button does not count. */
export function isOpenedByLink() {
  return performance.getEntriesByType("navigation")[0]?.type === "navigate"
}

const FOOT = 0.85 // the height of the clock's line, in letters of the page
const MAIN = "[data-testid=stMain]"
export const ALL = "[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]" // everything that a page shows

/** Return the free height for an element of a page: from its top to the clock, minus the elements below it. */
export function roomOnStage(box) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize)
  const { top, bottom } = box.getBoundingClientRect()
  const follows = document.querySelector(ALL).getBoundingClientRect().bottom - bottom
  return innerHeight - FOOT * rem - top - document.querySelector(MAIN).scrollTop - Math.max(0, follows)
}
