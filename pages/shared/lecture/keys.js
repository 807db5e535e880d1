// Keys: react to the keys of a lecture. Page Down and Page Up, the keys of a slide clicker, go through the scenes. The
// presenter view has more keys.

import { REVEALED, SCENE } from "./stage.js"
import { removeFoot, resetClock, showFoot, startClock, toggleClock } from "./clock.js"
import { ask, blacken, coverAgain, covered, follow, forget } from "./desk.js"
import { showCode, startAnew, uncover, uncoverAll, uncoverStage } from "./desk.js"
import { makeHandout } from "./handout.js"
import { giveRoom } from "./room.js"
import { openNotes, writeNotes } from "./speaker.js"

const ALWAYS = { PageDown: "on", PageUp: "back" }
const PRESENTING = {
  Escape: "leave",
  Home: "first",
  End: "last",
  a: "all",
  b: "black",
  ".": "black",
  n: "notes",
  c: "clock",
  r: "reset",
  q: "code",
  o: "ask",
  s: "reveal",
}
const ON_NOTHING = { ArrowRight: "on", ArrowDown: "on", " ": "on", ArrowLeft: "back", ArrowUp: "back" }
const TYPED_INTO =
  "input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [role=slider], [contenteditable]"
const PRESSED = "button, a, label, summary, td, input, [role=radio]" // these use arrows, Space and Enter themselves
const TICK = 500 // milliseconds
const ANSWER = 60 // milliseconds between two checks whether a scene has been drawn
const LONGEST = 8000 // milliseconds to wait for an answer
const DESK = (globalThis[Symbol.for("attention-lab.desk")] ??= {
  queue: [],
  digits: "",
  refused: "",
  waiting: false,
  drawn: 0,
})

export default function ({ data, setTriggerValue }) {
  const drawn = ++DESK.drawn
  Object.assign(DESK, { data, send: setTriggerValue, onKey })
  startAnew(data.start, drawn === 1)
  showFromTheTop(data.scene)
  ask(data.scene, data.present, data.guessing)
  document.addEventListener("keydown", onKey)
  document.addEventListener("click", onClick)
  document.addEventListener(REVEALED, onRevealed)
  clearInterval(DESK.ticking)
  if (data.present) DESK.ticking = setInterval(tick, TICK)
  if (data.code) showCode(data.code)
  DESK.takeRoom?.()
  DESK.takeRoom = data.present ? giveRoom(data.focus) : null
  tick()
  makeHandout(DESK)
  return () => {
    if (drawn !== DESK.drawn) return // the page was drawn again
    document.removeEventListener("keydown", onKey)
    document.removeEventListener("click", onClick)
    document.removeEventListener(REVEALED, onRevealed)
    clearInterval(DESK.ticking)
    removeFoot()
    DESK.takeRoom?.()
    DESK.takeRoom = null
    ask("", false, false)
  }
}

/** If another scene has opened, scroll to the top and remove all highlights. */
function showFromTheTop(scene) {
  const main = document.querySelector('[data-testid="stMain"]')
  if (!main || main.dataset.scene === scene) return
  if (main.dataset.scene !== undefined) removeHighlights(main)
  main.scrollTo(0, 0)
  main.dataset.scene = scene
}

/** Remove the focus and the highlights from the words and numbers of the scene before. */
function removeHighlights(main) {
  if (main.contains(document.activeElement)) document.activeElement.blur()
  document.dispatchEvent(new CustomEvent(SCENE))
}

function onRevealed() {
  follow(DESK.data.scene)
}

function tick() {
  const { data, digits, refused } = DESK
  if (data.present) showFoot(data.planned, digits ? `Scene ${digits}: press Enter` : refused)
  else removeFoot()
  writeNotes(DESK, covered())
}

// --- which keys belong to the lecture ---

function onKey(event) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || dialog()) return
  const over = uncoverStage()
  const act = actionOf(event)
  if (over || act) event.preventDefault()
  if (!act || act === over || (over && act === "leave")) return // the key has only removed the screen over the page
  DESK.refused = ""
  DESK.queue.push(act)
  pump()
}

function actionOf(event) {
  const { key } = event
  const target = event.composedPath()[0]
  if (target.matches?.(TYPED_INTO)) return null
  if (key in ALWAYS) return ALWAYS[key]
  if (!DESK.data.present) return null
  if (isDigit(key)) return key
  if (isTyping() && key === "Enter") return "number"
  if (isTyping() && ["Escape", "Backspace"].includes(key)) return "untype"
  return PRESENTING[key.length === 1 ? key.toLowerCase() : key] ?? (target.closest?.(PRESSED) ? null : ON_NOTHING[key])
}

function isDigit(key) {
  return /^[0-9]$/.test(key)
}

/** Return whether a number is being typed. Its digits may still wait for the answer to an earlier press. */
function isTyping() {
  return Boolean(DESK.digits) || DESK.queue.some(isDigit)
}

function dialog() {
  return Boolean(document.querySelector('[role="dialog"], [role="listbox"]'))
}

// --- one press after the other ---

const HERE = {
  on: ({ scene, present }) => present && (startClock(), uncover(scene)),
  back: ({ scene, present }) => present && coverAgain(scene),
  all: ({ scene }) => (startClock(), uncoverAll(scene), true),
  black: () => (blacken(), true),
  notes: () => (openNotes(DESK), true),
  clock: () => (toggleClock(), true),
  reset: () => (resetClock(), true),
  untype: () => ((DESK.digits = DESK.digits.slice(0, -1)), true),
}

/** Return the name and the value of the request that an action sends to the server, or null if it sends none. */
function requestOf(act, { place, scenes }) {
  if (["leave", "code", "ask", "reveal"].includes(act)) return [act, true]
  const here = place?.[0] ?? 0
  const to = { first: 1, last: scenes, number: Number(DESK.digits), on: here + 1, back: here - 1 }[act]
  if (to > scenes || to < 1) DESK.refused = refusal(act, to, scenes)
  if (to === here || to > scenes || to < 1) return null
  return { on: ["next", true], back: ["back", true] }[act] ?? ["go", to]
}

function refusal(act, to, scenes) {
  if (act === "number") return `There is no scene ${to}: this lecture has ${scenes}.`
  return act === "on" ? "This is the last scene." : ""
}

/** Do the actions in the queue, in order. After an action that asks the server, the others wait for its answer. */
function pump() {
  while (DESK.queue.length && !DESK.waiting) {
    const act = DESK.queue.shift()
    if (isDigit(act)) DESK.digits = (DESK.digits + act).slice(-3)
    else if (!HERE[act]?.(DESK.data)) sendTo(act)
  }
  tick()
}

function sendTo(act) {
  const request = requestOf(act, DESK.data)
  DESK.digits = ""
  if (act === "first") forget()
  if (!request) return
  waitForAnswer()
  DESK.send(...request)
}

/** After a click on “Next” or “Back”, let keys wait for the server, because they are meant for the next scene. */
function onClick({ target }) {
  if (target.closest?.(".st-key-scene-Next button, .st-key-scene-Back button") && !DESK.waiting) waitForAnswer()
}

function waitForAnswer() {
  DESK.waiting = true
  setTimeout(wait, ANSWER, { drawn: DESK.drawn, since: Date.now(), rested: 0 })
}

/** Do the next action when the answer is drawn and two checks in a row have found the same page. */
function wait({ drawn, since, rested }) {
  const running = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running"
  const looks = running || drawn === DESK.drawn ? 0 : rested + 1
  if (looks < 2 && Date.now() - since < LONGEST) return setTimeout(wait, ANSWER, { drawn, since, rested: looks })
  DESK.waiting = false
  pump()
}
