"""After an edit, the browser computes the style of only those elements that the edit changes.

A rule such as `[class*="…"] > *` would let the browser look at everything below each element whose class changes, and
in every run Streamlit changes a class of all that it draws.
"""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page

from browsing import settle

CATEGORIES = ["devtools.timeline"]
EVERYTHING = """
() => {
  const inside = (shadow) => (shadow ? below(shadow) : [])
  const below = (root) => [...root.querySelectorAll("*")].flatMap((each) => [each, ...inside(each.shadowRoot)])
  return below(document).length
}
"""


@pytest.mark.parametrize("path", ["/queries_keys_values", "/attention"])
def test_an_edit_restyles_only_a_part_of_the_page(path, visit, browser):
    page = visit(path)
    number = page.locator(".editable td.cell").first

    def edit() -> None:
        number.press("Alt+ArrowUp")
        settle(page)

    edit()
    least = min(count_restyled(browser, page, edit) for _ in range(3))  # sometimes the page also fits wider numbers
    assert least < page.evaluate(EVERYTHING) / 2


def count_restyled(browser: Browser, page: Page, act: Callable[[], None]) -> int:
    """Return for how many elements the browser computes the style while `act` runs. Repetitions count."""
    tracing, events, ended = browser.new_browser_cdp_session(), [], []
    tracing.on("Tracing.dataCollected", lambda told: events.extend(told["value"]))
    tracing.on("Tracing.tracingComplete", lambda _: ended.append(True))
    tracing.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": CATEGORIES}})
    act()
    tracing.send("Tracing.end")
    while not ended:
        page.wait_for_timeout(20)
    tracing.detach()
    updates = [event for event in events if event["name"] == "UpdateLayoutTree"]
    assert updates, "the browser did not say what it styled"
    return sum(update["args"]["elementCount"] for update in updates)
