// Handout: go through all scenes of a lecture, copy the picture and the words of each, and write them as one page.

import { ASKED, LARGE } from "./stage.js"
import { forget, uncoverAll } from "./desk.js"
import { fonts, markup, styles, withMathML } from "./handout_copy.js"
import { lookOfThePage, pageOf } from "./handout_page.js"

const MADE = "attention-lab.handout" // the handout that this tab has made, so that a reload does not make it again
const FONT = "Source Sans" // the font of pages and pictures
const LOOK = 150 // milliseconds between two checks of a scene
const SLOWEST = 15000 // milliseconds to wait for one scene
const SMALL = "The handout needs the scenes as they are presented: make it in a window at least 700 pixels wide."

/** Make the handout that the lecturer has asked for, if this tab has not made it yet. */
export function makeHandout(desk) {
  const { handout } = desk.data
  if (!handout || handout === sessionStorage.getItem(MADE)) return
  sessionStorage.setItem(MADE, handout)
  const leave = () => (forget(), desk.send("leave", true))
  if (matchMedia(LARGE).matches) collect(desk, leave)
  else showSheet([paragraph(SMALL)], leave)
}

async function collect(desk, leave) {
  const state = paragraph("")
  const sheet = showSheet([state], leave)
  const scenes = []
  const leaveLight = showInLight()
  forget()
  for (let number = 1; sheet.isConnected; number++) {
    const last = desk.data.scenes
    state.textContent = `The handout: scene ${number} of ${last}`
    scenes.push(await copyOf(desk, number))
    if (number === last || !sheet.isConnected) break
    desk.send("next", true)
  }
  const css = `${styles()}\n${lookOfThePage()}\n${await fonts(FONT)}`
  leaveLight()
  const page = (answers) => pageOf(scenes, css, answers, desk.data.whose)
  if (sheet.isConnected) offer(sheet, page, leave)
}

/** Show the page in its light theme, because paper is light. Return a function that restores the theme. */
function showInLight() {
  const answer = window.matchMedia
  // Streamlit then asks the browser for the theme again.
  const ask = () => window.dispatchEvent(new CustomEvent("afterprint"))
  window.matchMedia = (query) => answer.call(window, query.includes("prefers-color-scheme: dark") ? "not all" : query)
  ask()
  return () => {
    window.matchMedia = answer
    ask()
  }
}

// --- one scene ---

/** Return a copy of a scene: its picture without and with its results, and its words. */
async function copyOf(desk, number) {
  await atRest(() => desk.data.place?.[0] === number && pictureOf(desk))
  const { options, focus, scene } = desk.data
  const question = pictureOf(desk, true)
  const asked = document.documentElement.hasAttribute(ASKED) && options.length > 0
  uncoverAll(scene)
  await atRest(() => pictureOf(desk))
  const box = document.querySelector(focus)
  return {
    number,
    title: withMathML(document.querySelector(".st-key-scene p")),
    options: [...options],
    asked,
    question,
    answer: pictureOf(desk),
    says: [...document.querySelectorAll(".st-key-says p")].map(withMathML),
    width: Math.round(box?.getBoundingClientRect().width ?? 0),
    sizes: document.documentElement.getAttribute("style") ?? "",
  }
}

function pictureOf({ data }, asks = false) {
  const box = data.focus && document.querySelector(data.focus)
  return box ? markup(box, asks) : ""
}

/** Wait until the server is done and `look` has returned the same text in three checks, but at most SLOWEST. */
async function atRest(look) {
  const since = Date.now()
  let before = null
  for (let same = 0; same < 2 && Date.now() - since < SLOWEST; ) {
    await new Promise((go) => setTimeout(go, LOOK))
    const running = document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "running"
    const now = running ? null : look()
    same = now && now === before ? same + 1 : 0
    before = now
  }
}

// --- what is shown ---

function offer(sheet, page, leave) {
  const frame = Object.assign(document.createElement("iframe"), { title: "The handout" })
  const answers = Object.assign(document.createElement("input"), { type: "checkbox", checked: true })
  const write = () => (frame.srcdoc = page(answers.checked))
  answers.onchange = write
  const label = document.createElement("label")
  label.append(answers, " With answers")
  const bar = document.createElement("div")
  bar.append(
    label,
    button("Print, or save as PDF", () => frame.contentWindow.print()),
    button("Save as a web page", () => save(frame.srcdoc, answers.checked)),
    closing(sheet, leave)
  )
  sheet.replaceChildren(bar, frame)
  write()
}

function save(page, answers) {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([page], { type: "text/html" }))
  link.download = `attention_lab_handout${answers ? "" : "_without_answers"}.html`
  link.click()
  URL.revokeObjectURL(link.href)
}

function showSheet(content, onClose) {
  document.querySelector("#lab-handout")?.remove()
  const sheet = document.createElement("div")
  Object.assign(sheet, { id: "lab-handout", role: "dialog", ariaLabel: "Handout" })
  const close = closing(sheet, onClose)
  sheet.append(...content, close)
  sheet.addEventListener("keydown", (event) => {
    event.stopPropagation() // this key is not for the lecture
    if (event.key === "Escape") sheet.querySelector(".close").click()
  })
  document.body.append(sheet)
  close.focus()
  return sheet
}

function closing(sheet, onClose) {
  return Object.assign(button("Close", () => (sheet.remove(), onClose())), { className: "close" })
}

function button(text, onclick) {
  return Object.assign(document.createElement("button"), { textContent: text, onclick })
}

function paragraph(text) {
  return Object.assign(document.createElement("p"), { textContent: text, role: "status" })
}
