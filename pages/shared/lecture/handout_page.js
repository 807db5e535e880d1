// Handout page: write the page of a handout, with a section for each scene and two sections on a sheet of paper.

import { plainText } from "./speaker.js"

const WIDTH = 680 // pixels of a picture on paper
const HIGHEST = 330 // pixels of a picture on paper
const STYLE = `
  @page { size: A4; margin: 12mm; }
  html:root { overflow: visible; color-scheme: light; }
  html:root body { display: block; position: static; overflow: visible; width: ${WIDTH}px; margin: 0 auto; padding: 0;
    color: black; background: white; font: 14px/1.35 system-ui, sans-serif; }
  section { break-inside: avoid; padding: 10px 0 4px;
    border-top: 1px solid color-mix(in srgb, currentColor 50%, transparent); }
  section:first-child { border-top: 0; }
  body > section > h2 { font: bold 17px/1.3 system-ui, sans-serif; margin: 0 0 4px; padding: 0; color: black; }
  body > section > p { font: 14px/1.35 system-ui, sans-serif; margin: 0 0 4px; color: black; }
  .handout-picture { overflow: hidden; max-height: ${HIGHEST}px; margin: 6px 0; print-color-adjust: exact;
    -webkit-print-color-adjust: exact; }
  .handout-picture.asks .role-mark { visibility: hidden; }
  .notes { border: solid color-mix(in srgb, currentColor 35%, transparent); border-width: 0 0 1px; height: 26px; }
`

/** Return CSS with the font size and the background of this page. */
export function lookOfThePage() {
  const rem = getComputedStyle(document.documentElement).fontSize
  const background = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor
  return `html:root { font-size: ${rem} !important; } .handout-picture { background: ${background}; }`
}

/**
 * Return the page as HTML: with the answers if `answers`, and otherwise only with the questions of the scenes.
 * `whose` says whose words the scenes have, or is "" if they are the app's.
 */
export function pageOf(scenes, css, answers, whose) {
  const said = whose && `<section><p>${plain(whose)}</p></section>`
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Attention Lab: handout</title>
<style>${css}</style><style>${STYLE}</style></head>
<body>${said}${scenes.map((scene) => section(scene, answers)).join("\n")}</body></html>`
}

function section({ title, options, says, asked, question, answer, width, sizes }, answers) {
  const letters = options.map((option, i) => `<b>${"ABC"[i]}</b> ${plain(option)}`).join(" · ")
  const words = answers ? says.map((text) => `<p>${text}</p>`).join("") : ""
  const asks = asked && !answers ? " asks" : ""
  const zoom = width ? WIDTH / width : 1
  return `<section><h2>${title}</h2>${letters && `<p>${letters}</p>`}${words}
<div class="handout-picture${asks}"><div style="${sizes.replace(/"/g, "'")}; zoom: ${zoom}; width: ${width}px">
${answers ? answer : question}</div></div>${'<div class="notes"></div>'.repeat(3)}</section>`
}

/** Return the Markdown of an option as HTML without markup. */
function plain(markdown) {
  return plainText(markdown).replace(/&/g, "&amp;").replace(/</g, "&lt;")
}
