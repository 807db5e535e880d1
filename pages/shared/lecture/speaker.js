// Speaker: a second window with notes, which the projector does not show. It follows the first window and has the same
// keys.

import { time } from "./clock.js"

const WINDOW = "attention-lab-speaker"
const SPEAKER_STYLE = `
  :root { color-scheme: light dark; }
  body { font: 1.25rem/1.45 system-ui, sans-serif; margin: 1.5rem; max-width: 46rem; }
  body { color: CanvasText; background: Canvas; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1rem; margin: 1.4rem 0 0.2rem; } p { margin: 0.3rem 0; }
  h2, .time { color: color-mix(in srgb, CanvasText 70%, Canvas); font-variant-numeric: tabular-nums; }
`
// The script of the second window. It looks up the desk each time, because the first window may be loaded again.
const FOLLOWING = `
  const desk = () => window.opener?.[Symbol.for("attention-lab.desk")]
  addEventListener("keydown", (event) => desk()?.onKey?.(event))
  setInterval(() => { const found = desk(); if (found) found.speaker = window }, 250)
  window.labFollows = true
`

/** Open the window, or bring it to the front. */
export function openNotes(desk) {
  desk.speaker = window.open("", WINDOW, "popup,width=780,height=640")
}

/** Write the notes of the open scene into the window, if it is open. */
export function writeNotes({ speaker, data }, covered) {
  if (!speaker || speaker.closed) return
  const { document: there } = speaker
  const body = there.createElement("body")
  body.append(...sections(data, covered))
  if (!there.head.childElementCount) addStyleAndScript(there)
  const now = there.body?.querySelector(".time")
  if (now && sameBut(there.body, body)) return now.replaceWith(body.querySelector(".time"))
  there.body.replaceWith(body)
}

/** Add the title, the style and the script to the window, if it is new or was loaded again. */
function addStyleAndScript(there) {
  there.title = "Notes for the speaker"
  there.documentElement.lang = "en"
  const script = there.createElement("script")
  script.src = URL.createObjectURL(new Blob([FOLLOWING], { type: "text/javascript" }))
  there.head.replaceChildren(piece("title", "Notes for the speaker"), piece("style", SPEAKER_STYLE), script)
}

function sameBut(one, other) {
  const text = (body) =>
    [...body.children]
      .filter((each) => each.className !== "time")
      .map((each) => each.outerHTML)
      .join()
  return text(one) === text(other)
}

function sections({ title, options, note, next, planned, place, whose }, covered) {
  const clock = piece("p", planned ? time(planned) : "")
  clock.className = "time"
  return [
    clock,
    ...(whose ? [piece("p", whose)] : []),
    piece("h1", `${place ? `${place[0]} of ${place[1]} · ` : ""}${plainText(title)}`),
    ...options.map((option, i) => piece("p", `${"ABC"[i]}  ${plainText(option)}`)),
    ...titled("Covered", [piece("p", covered.length ? covered.join(", ") : "Nothing: the room sees all of it.")]),
    ...titled("The answer", spoken()),
    ...titled("For you", note && plainText(note).split("\n").map((line) => piece("p", line))),
    ...titled("Next", [piece("p", next ? plainText(next) : "The end.")]),
  ]
}

function titled(title, content) {
  return content && content.length ? [piece("h2", title), ...content] : []
}

/** Return the paragraphs of the scene's sentence, with formulas in MathML, which the browser draws itself. */
function spoken() {
  const says = document.querySelector(".st-key-says")?.cloneNode(true)
  for (const formula of says?.querySelectorAll(".katex") ?? []) formula.replaceWith(formula.querySelector("math"))
  return [...(says?.querySelectorAll("p") ?? [])]
}

/** Return the Markdown of a scene as plain text. The signs in words of a visitor are written by their numbers there. */
export function plainText(markdown) {
  const text = markdown.replace(/(?<!\\)[$*]|\\(?=[^a-zA-Z])/g, "")
  return text.replace(/&#(\d+);/g, (_, number) => String.fromCodePoint(number))
}

function piece(tag, text) {
  return Object.assign(document.createElement(tag), { textContent: text })
}
