// Keys: a slide clicker's Page Down and Page Up walk through the scenes; while one presents, others help.

import { ask, begin, blacken, coverAgain, follow, forget, lighten, showTime, toggleTime, uncover, uncoverAll } from "./desk.js"
import { openNotes, writeNotes } from "./speaker.js"

const ALWAYS = { PageDown: "on", PageUp: "back" }
const PRESENTING = { Escape: "leave", Home: "first", End: "last", a: "all", b: "black", ".": "black", n: "notes", c: "clock", q: "code" }
const ON_NOTHING = { ArrowRight: "on", ArrowDown: "on", " ": "on", ArrowLeft: "back", ArrowUp: "back", Enter: "number" }
const TYPED_INTO = "input:not([type=radio], [type=checkbox], [type=button]), textarea, select, [role=slider], [contenteditable]"
const PRESSED = "button, a, label, summary, td, input, [role=radio]" // what arrows, Space and Enter mean something to
const REVEALED = "attention-lab:revealed" // a result, by a press on its cover
const TICK = 500 // milliseconds
const ANSWER = 60 // between two looks at whether a scene has come
const LONGEST = 8000 // for an answer
const DESK = (globalThis[Symbol.for("attention-lab.desk")] ??= { queue: [], digits: "", waiting: false, drawn: 0 })

export default function ({ data, setTriggerValue }) {
  const drawn = ++DESK.drawn
  Object.assign(DESK, { data, send: setTriggerValue })
  showFromTheTop(data.scene)
  ask(data.scene, data.present)
  document.addEventListener("keydown", onKey)
  document.addEventListener(REVEALED, onRevealed)
  clearInterval(DESK.ticking)
  if (data.present) DESK.ticking = setInterval(tick, TICK)
  tick()
  return () => {
    if (drawn !== DESK.drawn) return // it was drawn anew
    document.removeEventListener("keydown", onKey)
    document.removeEventListener(REVEALED, onRevealed)
    clearInterval(DESK.ticking)
    showTime(null)
    ask("", false)
  }
}

/** Scroll to the top when another scene opens. Within a scene, the page stays where it was scrolled to. */
function showFromTheTop(scene) {
  const main = document.querySelector('[data-testid="stMain"]')
  if (main && main.dataset.scene !== scene) main.scrollTo(0, 0)
  if (main) main.dataset.scene = scene
}

function onRevealed() {
  follow(DESK.data.scene)
}

function tick() {
  showTime(DESK.data.present && DESK.data.planned)
  writeNotes(DESK.data)
}

// --- which key is meant for the lecture ---

function onKey(event) {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || dialog()) return
  if (lighten()) return event.preventDefault()
  const act = meant(event)
  if (!act) return
  event.preventDefault()
  DESK.queue.push(act)
  pump()
}

function meant(event) {
  const { key } = event
  const target = event.composedPath()[0]
  if (target.matches?.(TYPED_INTO)) return null
  if (key in ALWAYS) return ALWAYS[key]
  if (!DESK.data.present) return null
  if (/^[0-9]$/.test(key)) return key
  if (key === "Enter" && DESK.digits) return "number"
  return PRESENTING[key.length === 1 ? key.toLowerCase() : key] ?? (target.closest?.(PRESSED) ? null : ON_NOTHING[key])
}

function dialog() {
  return Boolean(document.querySelector('[role="dialog"], [role="listbox"]'))
}

// --- one press after the other ---

const HERE = {
  on: ({ scene, present }) => present && (begin(), uncover(scene)),
  back: ({ scene, present }) => present && coverAgain(scene),
  all: ({ scene }) => (begin(), uncoverAll(scene), true),
  black: () => (blacken(), true),
  notes: (data) => (openNotes(data), true),
  clock: () => (toggleTime(), tick(), true),
  code: () => (document.querySelector(".st-key-share button")?.click(), true),
}

/** Return the request that a press makes to the server, or null if there is no scene to go to. */
function asked(act, { place }) {
  const [here, last] = place ?? [0, Infinity]
  const to = { first: 1, last, number: Number(DESK.digits), on: here + 1, back: here - 1 }[act]
  if (act === "leave") return ["leave", true]
  if (to === here || to < 1 || to > last) return null
  return { on: ["next", true], back: ["back", true] }[act] ?? (Number.isFinite(to) ? ["go", to] : null)
}

/** Do what was pressed, in order. After a press that asks the server, the others wait for its answer. */
function pump() {
  while (DESK.queue.length && !DESK.waiting) {
    const act = DESK.queue.shift()
    if (/^[0-9]$/.test(act)) DESK.digits += act
    else if (!HERE[act]?.(DESK.data)) sendTo(act)
  }
}

function sendTo(act) {
  const request = asked(act, DESK.data)
  DESK.digits = ""
  if (act === "first") forget()
  if (!request) return
  DESK.waiting = true
  DESK.send(...request)
  setTimeout(wait, ANSWER, { drawn: DESK.drawn, since: Date.now(), rested: 0 })
}

/** Go on once the answer is drawn, and the page was at rest in two looks in a row. */
function wait({ drawn, since, rested }) {
  const running = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running"
  const looks = running || drawn === DESK.drawn ? 0 : rested + 1
  if (looks < 2 && Date.now() - since < LONGEST) return setTimeout(wait, ANSWER, { drawn, since, rested: looks })
  DESK.waiting = false
  pump()
}
