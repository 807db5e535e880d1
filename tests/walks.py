"""Fast random input over a slow connection: `python tests/walks.py [WALKS]`.

It says for each walk, a series of random actions, whether the screen at the end shows the same as its link. With
`--cloud`, the server has the settings of Streamlit Community Cloud, and one walk begins on each page.
"""

import random
import sys
from argparse import ArgumentParser

from playwright.sync_api import Browser, Page

from browsing import launch, new_tab, settle
from delaying import delayed_server
from serving import COMMUNITY_CLOUD, NO_SETTINGS, PAGES, Server, serve

WALKS = 100
STEPS = 12
SLOW = 700  # after so many milliseconds without a change, all answers have arrived

# Finds one of the page's controls: a choice, a slider, or a cell that can be edited.
TAKE_HOLD = """
(n) => {
  const main = document.querySelector('[data-testid="stMain"]')
  const equations = [...main.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].map((e) => e.shadowRoot)
  const cells = equations.filter(Boolean).flatMap((root) => [...root.querySelectorAll("figure.editable td.cell")])
  const choices = [...main.querySelectorAll('[role="radio"], button[aria-pressed], input[type="range"]')]
  const handles = [...choices, ...cells].filter((handle) => handle.checkVisibility() && !handle.disabled)
  const handle = handles[n % handles.length]
  if (!handle) return "nothing" // the page is being drawn
  handle.focus()
  handle.click()
  return handle.matches("td") ? "cell" : handle.matches("input[type=range]") ? "slider" : "choice"
}
"""
KEYS = {"cell": ["7", "Enter"], "slider": ["ArrowRight", "ArrowRight"], "choice": [], "nothing": []}


def walk(page: Page, steps: random.Random) -> list[str]:
    """Use controls of a page at random, one after another, without waiting for an answer. Return their kinds.

    `steps` is the random generator.
    """
    taken = list[str]()
    for _ in range(STEPS):
        taken.append(page.evaluate(TAKE_HOLD, steps.randrange(10**6)))
        for key in KEYS[taken[-1]]:
            page.keyboard.press(key)
        page.wait_for_timeout(steps.randrange(120))
    return taken


def shown(page: Page) -> dict[str, list[str]]:
    """Return what the page shows: numbers in equations, chosen options, pressed buttons, and values of sliders."""
    return {
        "numbers": page.locator("td.cell").evaluate_all("cells => cells.map((cell) => cell.title.split('\\n')[0])"),
        "chosen": page.get_by_role("radio", checked=True).all_inner_texts(),
        "pressed": page.get_by_role("button", pressed=True).all_inner_texts(),
        "sliders": page.locator("input[type=range]").evaluate_all("all => all.map((each) => each.value)"),
    }


def ends_where_its_link_begins(browser: Browser, server: Server, far: Server, seed: int, start: str = "") -> bool:
    """Use controls of a page at random. Return whether the page's link then opens a page that shows the same.

    `far` is the server over a slow connection, on which the controls are used, and `server` opens the link. `start` is
    the address to begin at; if it is empty, begin on a random page. `seed` decides all random choices.
    """
    steps = random.Random(seed)
    page, again = new_tab(browser, far.url), new_tab(browser, server.url)
    page.goto(far.url + (start or steps.choice(PAGES).url))
    settle(page)
    taken = walk(page, steps)
    ended, link = shown(settle(page, quiet=SLOW)), page.url.removeprefix(far.url)
    again.goto(server.url + link)
    same = shown(settle(again)) == ended
    print(f"walk {seed}: {link} {'ok' if same else f'shows something else after {taken}'}", flush=True)
    page.context.close()
    again.context.close()
    return same


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("walks", type=int, nargs="?", default=WALKS)
    parser.add_argument("--cloud", action="store_true")
    asked = parser.parse_args()
    starts = [page.url for page in PAGES] if asked.cloud else [""] * asked.walks
    settings = COMMUNITY_CLOUD if asked.cloud else NO_SETTINGS
    with serve(settings=settings) as server, delayed_server(server) as far, launch() as browser:
        if browser is None:
            sys.exit("no Chromium or Chrome on this machine: install one")
        same = [ends_where_its_link_begins(browser, server, far, *walk) for walk in enumerate(starts)]
    sys.exit(f"{same.count(False)} of {len(same)} walks ended elsewhere" if not all(same) else 0)


if __name__ == "__main__":
    main()
