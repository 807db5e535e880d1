"""Fast input over a slow connection, at random: what is on the screen in the end is what its link shows.

`ATTENTION_LAB_WALKS=100 pytest tests/browser/test_random_walk.py` takes a hundred walks in place of three.
"""

import os
import random

import pytest
from playwright.sync_api import Page, expect

from browsing import settled
from delaying import delayed
from serving import PAGES

WALKS = int(os.environ.get("ATTENTION_LAB_WALKS", "3"))
STEPS = 12
SLOW = 700  # milliseconds without a change, after which no answer is under way

# Takes hold of one of the page's handles: a choice, a slider, or a cell that can be edited.
TAKE_HOLD = """
(n) => {
  const main = document.querySelector('[data-testid="stMain"]')
  const equations = [...main.querySelectorAll('[data-testid="stBidiComponentRegular"] *')].map((e) => e.shadowRoot)
  const cells = equations.filter(Boolean).flatMap((root) => [...root.querySelectorAll("td.cell.editable")])
  const choices = [...main.querySelectorAll('[role="radio"], button[aria-pressed], input[type="range"]')]
  const handles = [...choices, ...cells].filter((handle) => handle.checkVisibility() && !handle.disabled)
  const handle = handles[n % handles.length]
  handle.focus()
  handle.click()
  return handle.matches("td") ? "cell" : handle.matches("input[type=range]") ? "slider" : "choice"
}
"""
KEYS = {"cell": ["7", "Enter"], "slider": ["ArrowRight", "ArrowRight"], "choice": []}


def walk(page: Page, steps: random.Random) -> list[str]:
    """Take hold of one thing after another, and wait for no answer. Return what they were."""
    taken = list[str]()
    for _ in range(STEPS):
        taken.append(page.evaluate(TAKE_HOLD, steps.randrange(10**6)))
        for key in KEYS[taken[-1]]:
            page.keyboard.press(key)
        page.wait_for_timeout(steps.randrange(120))
    return taken


def shown(page: Page) -> dict[str, list[str]]:
    """Every number of the equations, every choice, every slider."""
    return {
        "numbers": page.locator("td.cell").evaluate_all("cells => cells.map((cell) => cell.title.split('\\n')[0])"),
        "chosen": page.get_by_role("radio", checked=True).all_inner_texts(),
        "pressed": page.get_by_role("button", pressed=True).all_inner_texts(),
        "sliders": page.locator("input[type=range]").evaluate_all("all => all.map((each) => each.value)"),
    }


@pytest.mark.parametrize("seed", range(WALKS))
def test_a_random_walk_ends_where_its_link_begins(visit, server, seed):
    steps = random.Random(seed)
    with delayed(server) as far:
        page = visit(steps.choice(PAGES).url, server=far)
        taken = walk(page, steps)
        ended = shown(settled(page, quiet=SLOW))
        expect(page.get_by_test_id("stException")).to_have_count(0)
        link = page.url.removeprefix(far.url)
        assert shown(visit(link)) == ended, (taken, link)
