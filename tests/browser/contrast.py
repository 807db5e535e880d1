"""How well every text of a page stands out against what is behind it: the rule of WCAG 2.2, level AA.

axe has a rule for this as well. It asks what lies under each element on the screen, which takes two thirds of its time,
and it passes over what is drawn in SVG. Here each text is measured against what it is written in.
"""

from typing import NamedTuple

from playwright.sync_api import Page

from pages.shared.notation.palette import ON_PALE

# Every text that is seen, inputs and shadow trees included, with its ratio of contrast and the least that is enough.
# A canvas turns every notation of a colour into numbers, and paints see-through layers over each other. Of what looks
# alike, the first is measured for all. Left out are the key's name on a button with a shortcut, which is Streamlit's
# own, and what does not stand on what it is written in: words on the bars of a chart and the number above a slider's
# handle, both of whose colours `tests/pages/test_palette.py` looks after.
TEXTS = """
(onPale) => {
  const UNSEEN = ".katex-mathml, style, script, noscript, title"
  const EXEMPT = `:disabled, [aria-disabled=true], kbd, .role-mark [fill="${onPale}"], [data-testid=stSliderThumbValue]`
  const TYPED = "textarea, select, input:not([type=checkbox], [type=radio], [type=range], [type=file])"
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })
  const known = new Map()
  const found = []

  const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4)
  const luminance = (layers) => {
    context.clearRect(0, 0, 1, 1)
    for (const { colour, opacity } of layers) {
      context.globalAlpha = opacity
      context.fillStyle = colour
      context.fillRect(0, 0, 1, 1)
    }
    const [r, g, b] = context.getImageData(0, 0, 1, 1).data
    return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
  }
  const contrast = (behind, text) => {
    const [darker, lighter] = [luminance(behind), luminance([...behind, text])].sort((a, b) => a - b)
    return (lighter + 0.05) / (darker + 0.05)
  }
  const remembered = (behind, text) => {
    const key = [...behind, text].map(({ colour, opacity }) => `${colour} ${opacity}`).join("|")
    return known.get(key) ?? (known.set(key, contrast(behind, text)), known.get(key))
  }
  const isForReadersAlone = ({ width, height }) => width <= 1 || height <= 1
  const note = (words, element, style, colour, box, { behind, opacity }) => {
    if (!words.trim() || style.visibility !== "visible" || !opacity) return
    const text = { colour, opacity }
    const size = parseFloat(style.fontSize)
    const least = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5
    const ratio = remembered(behind, text)
    if (ratio < least && isForReadersAlone(box())) return
    const name = `${element.tagName.toLowerCase()} ${element.getAttribute("class") ?? ""}: ${words.trim()}`
    found.push([name.slice(0, 200), ratio, least])
  }
  const boxOf = (node) => () => {
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect()
  }
  const written = (element, style, within) => {
    const typed = element.value
    const { color } = typed ? style : getComputedStyle(element, "::placeholder")
    note(typed || element.placeholder || "", element, style, color, () => element.getBoundingClientRect(), within)
  }
  const visit = (element, { behind, opacity }) => {
    const style = getComputedStyle(element)
    if (style.display === "none" || element.matches(UNSEEN) || element.matches(EXEMPT)) return
    const here = { behind, opacity: opacity * style.opacity }
    here.behind = [...behind, { colour: style.backgroundColor, opacity: here.opacity }]
    if (element.matches(TYPED)) written(element, style, here)
    for (const child of [...(element.shadowRoot?.childNodes ?? []), ...element.childNodes]) {
      if (child.nodeType === Node.ELEMENT_NODE) visit(child, here)
      if (child.nodeType !== Node.TEXT_NODE) continue
      const colour = element instanceof SVGElement ? style.fill : style.color
      note(child.data, element, style, colour, boxOf(child), here)
    }
  }
  visit(document.documentElement, { behind: [], opacity: 1 })
  return found
}
"""


class Text(NamedTuple):
    """A text that is seen, its ratio of contrast from 1 to 21, and the least that lets it be read."""

    name: str
    ratio: float
    least: float

    @property
    def is_faint(self) -> bool:
        return self.ratio < self.least


def texts(page: Page) -> list[Text]:
    return [Text(*each) for each in page.evaluate(TEXTS, ON_PALE)]


def faint(page: Page) -> list[str]:
    """The texts of a page that stand out too little."""
    return [f"too faint: {text.name} ({text.ratio:.2f} of {text.least})" for text in texts(page) if text.is_faint]
