// Stage: what the keys of a lecture and the components of a page tell each other, and keep in the browser.

export const LARGE = "(min-width: 700px)" // a phone in the audience shows the page as usual
export const REVEAL = "attention-lab:reveal" // show the next result
export const REVEALED = "attention-lab:revealed" // one was shown by a press on its cover
export const COVER = "attention-lab:cover" // cover the last result again
export const ANEW = "attention-lab:anew" // a lecture has begun: all is covered again
export const SCENE = "attention-lab:scene" // another scene has opened: nothing of the one before is pointed at any more
export const ASKED = "data-lab-asked" // on the page while a scene asks: its sentence and its picture wait
export const GUESS = "guess" // what that says while the owner of a phone is to guess
export const COVERED = "data-lab-covered" // on the page while a result is covered: what follows would give it away
export const RESULTS = "attention-lab.revealed" // by scene, how much of it is revealed: a reload and a way back keep that

const FOOT = 0.85 // of the page’s letters: the line of the clock
const MAIN = "[data-testid=stMain]"
export const ALL = "[data-testid=stMainBlockContainer] > [data-testid=stVerticalBlock]" // that a page shows

/** The height that the window leaves for an element, when the page is scrolled to its top: to the clock, less what follows. */
export function roomOnStage(box) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize)
  const { top, bottom } = box.getBoundingClientRect()
  const follows = document.querySelector(ALL).getBoundingClientRect().bottom - bottom
  return innerHeight - FOOT * rem - top - document.querySelector(MAIN).scrollTop - Math.max(0, follows)
}
