"""How much every text of a page contrasts with its background, by the rule of WCAG 2.2, level AA.

axe has a rule for contrast too. But it looks for what is under each element on the screen, which takes two thirds of
its time, and it ignores texts in SVG. Here each text is compared with the background of the elements that contain it.
"""

from typing import NamedTuple

from playwright.sync_api import Page

# Every visible text, also in inputs and shadow trees, with its ratio of contrast and the least sufficient ratio. A
# canvas turns every notation of a colour into numbers, and paints transparent layers over each other. Of texts with the
# same look, only the first is measured. Two kinds are left out: the key's name on a button with a shortcut, which is
# Streamlit's own; and the number above a slider's handle, because no element that contains it is its background. Words
# on the bars of a chart are compared with the page; `tests/pages/shared/test_palette.py` compares them with the bars.
TEXTS = """
() => {
  const UNSEEN = ".katex-mathml, style, script, noscript, title"
  const EXEMPT = `:disabled, [aria-disabled=true], kbd, [data-testid=stSliderThumbValue]`
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
    """A visible text, its ratio of contrast from 1 to 21, and the least ratio with which people can read it."""

    name: str
    ratio: float
    least: float

    @property
    def is_faint(self) -> bool:
        """Whether the text has too little contrast."""
        return self.ratio < self.least


def texts(page: Page) -> list[Text]:
    """Return every visible text of a page with its contrast."""
    return [Text(*each) for each in page.evaluate(TEXTS)]


def faint_texts(page: Page) -> list[str]:
    """Return a line for each text of a page that has too little contrast."""
    return [f"too faint: {text.name} ({text.ratio:.2f} of {text.least})" for text in texts(page) if text.is_faint]
