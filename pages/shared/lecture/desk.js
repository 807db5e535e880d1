// Desk: the presenter's tools: results that are covered and shown, a black screen, and the code for the phones.

import { ANEW, ASKED, COVER, COVERED, GUESS, isOpenedByLink, LARGE, RESULTS, REVEAL } from "./stage.js"
import { resetClock } from "./clock.js"

const UNCOVERED = "attention-lab.uncovered" // the scenes whose sentence was shown; this is kept after a reload
const START = "attention-lab.start" // the lecture to which these scenes belong
const root = document.documentElement

// --- covers ---

/** Begin a scene with its question. If its sentence was shown before, and no guess is needed, begin with it. */
export function ask(scene, presented, guessing) {
  root.toggleAttribute(ASKED, guessing || (presented && !shown().includes(scene)))
  if (guessing) root.setAttribute(ASKED, GUESS)
}

function shown() {
  return JSON.parse(sessionStorage.getItem(UNCOVERED) ?? "[]")
}

function keep(scenes) {
  sessionStorage.setItem(UNCOVERED, JSON.stringify(scenes))
}

function tell(name) {
  return !document.dispatchEvent(new CustomEvent(name, { cancelable: true }))
}

/** Show the next covered result, and the sentence together with the last one. Return false if nothing is covered. */
export function uncover(scene) {
  if (!matchMedia(LARGE).matches) return false
  const result = tell(REVEAL)
  if (result && root.hasAttribute(COVERED)) return true
  const asked = root.hasAttribute(ASKED)
  root.removeAttribute(ASKED)
  if (asked) keep([...shown(), scene])
  return result || asked
}

/** React to a press on a cover, which has shown a result. If nothing is covered any more, show the sentence too. */
export function follow(scene) {
  if (!root.hasAttribute(COVERED)) uncover(scene)
}

export function uncoverAll(scene) {
  while (uncover(scene));
}

/** Cover the result that was shown last, and the sentence. Return false if nothing was shown. */
export function coverAgain(scene) {
  if (!matchMedia(LARGE).matches) return false
  const asking = root.hasAttribute(ASKED)
  const result = tell(COVER)
  if (!asking) keep(shown().filter((each) => each !== scene))
  root.setAttribute(ASKED, "")
  return result || !asking
}

/** Return the names of everything that is covered, for the speaker's notes. */
export function covered() {
  const equations = [...(globalThis[Symbol.for("attention-lab.covering")] ?? [])]
  const names = equations.flatMap((view) =>
    [...view.root.querySelectorAll("figure.covered")].map((figure) => view.matrices.get(figure.dataset.id).name),
  )
  return [...new Set(names), ...(root.hasAttribute(ASKED) ? ["the sentence"] : [])]
}

/** Forget what was shown: every scene asks its question again, and the clock is at 0. */
export function forget() {
  for (const name of [UNCOVERED, RESULTS]) sessionStorage.removeItem(name)
  resetClock()
  tell(ANEW)
}

/** Forget what was shown if another lecture has begun or a link has opened this page, but not after a reload. */
export function startAnew(start, first) {
  const opened = first && isOpenedByLink()
  const begun = start && start !== sessionStorage.getItem(START)
  if (begun) sessionStorage.setItem(START, start)
  if (opened || begun) forget()
}

// --- screens over the page ---

function layOver(id, name, content) {
  const sheet = document.createElement("div")
  Object.assign(sheet, { id, role: "status", ariaLabel: name, onclick: () => sheet.remove() })
  sheet.append(...content)
  document.body.append(sheet)
}

export function blacken() {
  layOver("lab-black", "Black screen; press any key to go on", [])
}

/** Show the code for the phones as large as the window allows, and the link below it. */
export function showCode({ image, link, warning }) {
  if (document.querySelector("#lab-code")) return
  const picture = Object.assign(document.createElement("img"), { src: image, alt: "QR code of the link below" })
  const text = (words) => Object.assign(document.createElement("p"), { textContent: words })
  const parts = [image && picture, link && text(link), warning && text(warning)]
  layOver("lab-code", "The code for phones; press any key to go on", parts.filter(Boolean))
}

/** Remove the black screen or the code. Return the action that showed it, or null if neither is shown. */
export function uncoverStage() {
  const [black, code] = [document.querySelector("#lab-black"), document.querySelector("#lab-code")]
  black?.remove()
  code?.remove()
  return black ? "black" : code ? "code" : null
}
