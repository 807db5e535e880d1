"""Random presses along a route, in the browser: `python tests/measure presses --presses 1000 --route 45`.

After every few presses, it checks the screen: there is no exception, nothing is cut, and the speaker's window shows the
same scene and the same covers as the stage.
"""

from argparse import ArgumentParser
from random import Random

from playwright.sync_api import Page

from browsing import LISTENS, launch, new_tab, record_problems, settle, shown_exceptions, stage_faults
from serving import serve

KEYS = ["PageDown"] * 12 + ["PageUp"] * 4 + ["ArrowRight", "ArrowLeft", "Space", "a", "b", "q", "c", "r", "Home", "End"]
TYPED = ["Enter", "Backspace", *"0123456789"]
OTHERS = ["x", "Shift", "F9"]  # keys without a meaning in a lecture
RESTS = (
    "() => { const desk = globalThis[Symbol.for('attention-lab.desk')]; return !desk.waiting && !desk.queue.length }"
)
STAGE = """() => {
  const inside = ({ shadowRoot }) => (shadowRoot ? all(shadowRoot) : [])
  const says = document.querySelector(".st-key-says")
  const all = (root) => [...root.querySelectorAll("*")].flatMap((each) => [each, ...inside(each)])
  return {
    title: document.querySelector(".st-key-scene p").textContent,
    matrices: all(document).filter((each) => each.matches("figure.covered") && each.checkVisibility()).length > 0,
    sentence: says ? getComputedStyle(says).visibility : "gone",
  }
}"""


class Walk:
    """A random walk through a lecture: its page, the speaker's window, and the keys that were pressed."""

    def __init__(self, page: Page, seed: int) -> None:
        self.page, self.random, self.pressed = page, Random(seed), list[str]()
        with page.expect_popup() as opened:
            page.keyboard.press("n")
        self.notes = opened.value
        self.notes.wait_for_function("window.labFollows")

    def press(self, times: int) -> None:
        """Press random keys, on the page or in the speaker's window, and wait until the page has reacted to them."""
        for _ in range(times):
            key = self.random.choice(self.random.choice([KEYS, KEYS, KEYS, TYPED, OTHERS]))
            self.pressed.append(key)
            self.random.choice([self.page, self.notes]).keyboard.press(key)
        self.page.wait_for_function(RESTS)
        settle(self.page, 60)

    def clear(self) -> None:
        """Remove the black screen and the card with the code for phones, which may lie over the scene."""
        self.page.evaluate("document.querySelectorAll('#lab-black, #lab-code').forEach((each) => each.remove())")

    def errors(self) -> list[str]:
        """Return the errors on the page, and the differences between the page and the speaker's window."""
        self.clear()
        stage = self.page.evaluate(STAGE)
        self.notes.wait_for_timeout(600)  # the window follows twice a second
        covered = self.notes.locator("h2:text-is('Covered') + p").inner_text()
        found = [*shown_exceptions(self.page), *stage_faults(self.page)]
        if not self.notes.locator("h1").inner_text().startswith(stage["title"].split(" · ")[0]):
            found.append(f"the stage shows {stage['title']}, the notes {self.notes.locator('h1').inner_text()}")
        if stage["sentence"] == "gone":
            found.append(f"a key has led out of the scene {stage['title']}")
        hidden = stage["sentence"] == "hidden"
        nothing = not hidden and not stage["matrices"]
        if ("the sentence" in covered) != hidden or covered.startswith("Nothing") != nothing:
            found.append(f"the stage has {stage}, the notes say that is covered: {covered}")
        return found


def press_at_random(page: Page, presses: int, every: int, seed: int) -> list[str]:
    """Press keys at random. Return the errors that were found, each with the keys that were pressed before.

    `every` is how many keys are pressed between two checks.
    """
    page.wait_for_function(LISTENS)
    this, found = Walk(page, seed), list[str]()
    for _ in range(presses // every):
        this.press(every)
        found += [f"after {' '.join(this.pressed[-2 * every :])}: {each}" for each in this.errors()]
    this.notes.close()
    return found


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--presses", type=int, default=1000)
    parser.add_argument("--every", type=int, default=10, help="presses between two looks")
    parser.add_argument("--route", default="45")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    with launch() as browser, serve() as app:
        if browser is None:
            raise SystemExit("no Chromium or Chrome on this machine")
        page = new_tab(browser, app.url, width=1280, height=720, reduced_motion=True)
        problems = record_problems(page)
        page.goto(f"/?scene=1&route={asked.route}&view=present")
        found = [*press_at_random(settle(page), asked.presses, asked.every, asked.seed), *problems]
        print(*found, f"{asked.presses} presses, {len(found)} found", sep="\n")
        raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
