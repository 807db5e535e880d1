"""Errors on a stage, the screen of a presented scene: parts that are cut off, under the clock, or scrolled away."""

from playwright.sync_api import Page

# Each visible text and matrix that is outside of the window or of its box, or under the line of the clock.
WRONG = """
() => {
  const main = document.querySelector('[data-testid="stMain"]')
  const found = main.scrollTop ? [`scrolled by ${main.scrollTop}`] : []
  const all = (root) => [...root.querySelectorAll("*")].flatMap((each) => [each, ...inside(each)])
  const inside = ({ shadowRoot }) => (shadowRoot ? all(shadowRoot) : [])
  const unseen = "h1, .katex-mathml, style, .said, .told" // heard
  const seen = (each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest(unseen)
  const boxOf = (each) => each.getBoundingClientRect()
  const foot = [...document.querySelectorAll("#lab-foot span")].map(boxOf).filter(({ width }) => width)
  const meets = (a, b) => a.right > b.left + 1 && a.left < b.right - 1 && a.bottom > b.top + 2 && a.top < b.bottom - 2
  const check = (box, name) => {
    if (box.width < 2 || box.height < 2) return
    const beyond = Math.max(box.right - innerWidth, -box.left, box.bottom - innerHeight, -box.top)
    if (beyond > 1) found.push(`${Math.round(beyond)} pixels beyond the window: ${name}`)
    if (foot.some((part) => meets(box, part))) found.push(`under the clock: ${name}`)
  }
  for (const each of all(main).filter(seen)) {
    for (const text of each.childNodes) {
      if (text.nodeType !== Node.TEXT_NODE || !text.data.trim()) continue
      const range = document.createRange()
      range.selectNodeContents(text)
      for (const box of range.getClientRects()) check(box, text.data.trim().slice(0, 40))
    }
    const picture = each.matches("figure, canvas, [data-testid='stVegaLiteChart']")
    if (picture) check(boxOf(each), each.dataset.id ?? each.tagName)
    const cut = each.matches(".scroll, .items, pre") && each.scrollWidth > each.clientWidth + 1
    if (cut) found.push(`cut: ${each.innerText.slice(0, 40)}`)
  }
  return [...new Set(found)]
}
"""


def stage_faults(page: Page) -> list[str]:
    """Return a text for each part of a presented scene that is cut off, covered by the clock, or scrolled away."""
    return page.evaluate(WRONG)
