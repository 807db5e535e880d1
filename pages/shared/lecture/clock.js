// Clock: the line at the bottom of the presenter view, with the time of the lecture, the number of a scene that is
// being typed, and why a key was refused.

const BEGUN = "attention-lab.begun" // the time at which the lecture began
const HIDDEN = "attention-lab.no-clock"

export function startClock() {
  if (!sessionStorage.getItem(BEGUN)) sessionStorage.setItem(BEGUN, Date.now())
}

export function resetClock() {
  sessionStorage.removeItem(BEGUN)
}

export function toggleClock() {
  localStorage.getItem(HIDDEN) ? localStorage.removeItem(HIDDEN) : localStorage.setItem(HIDDEN, "hidden")
}

/** Return the time since the lecture began, and the planned minutes: until the end of this scene, and of all scenes. */
export function time([until, of]) {
  const begun = Number(sessionStorage.getItem(BEGUN))
  if (!begun) return `0:00 of ${inMinutes(60 * of)} · Page Down starts the clock, R resets it`
  const lasted = inMinutes(Math.floor((Date.now() - begun) / 1000))
  return `${lasted} of ${inMinutes(60 * of)} · this scene until ${inMinutes(60 * until)}`
}

function inMinutes(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, "0")}`
}

/** Show the clock, unless the presenter has hidden it, and the text `said` in the same line. */
export function showFoot(planned, said) {
  const clock = planned && !localStorage.getItem(HIDDEN) ? time(planned) : ""
  const foot = document.querySelector("#lab-foot") ?? addFoot()
  for (const [part, text] of [
    ["#lab-said", said],
    ["#lab-clock", clock],
  ]) {
    const place = foot.querySelector(part)
    if (place.textContent !== text) place.textContent = text
  }
}

export function removeFoot() {
  document.querySelector("#lab-foot")?.remove()
}

function addFoot() {
  const foot = Object.assign(document.createElement("div"), { id: "lab-foot" })
  const said = Object.assign(document.createElement("span"), { id: "lab-said", role: "status" })
  foot.append(said, Object.assign(document.createElement("span"), { id: "lab-clock" }))
  document.body.append(foot)
  return foot
}
