"""A browser that opens the app: start it, open a page, wait until the page no longer changes, and note errors."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Playwright, Request, expect, sync_playwright

from serving import PAGES

# The first of these programs is Chromium without windows, which needs a third less time.
BROWSER_NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# The browser must talk only to the app: no updates, no sync, no look-ups of its own. Requests to any other machine go
# to a proxy that does not exist.
BROWSER_ARGUMENTS = (
    "--proxy-server=127.0.0.1:9",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Do not optimise scripts: the tests leave a page so soon that this would only cost time. A reader's browser optimises.
SOON_LEFT = ("--js-flags=--no-turbofan --no-maglev",)
SETTLE_LIMIT = 30_000  # milliseconds
# If a link opens a page, Streamlit first looks for its server under the address of the page, and finds nothing.
HARMLESS_404 = re.compile(r"/\w+/_stcore/(health|host-config)$")

# Streamlit's own mark of a running script misses short runs and is silent until the server answers. So each tab
# also notes when it last sent, last received, and last changed what it shows, shadow trees included.
INSTRUMENT = """
(() => {
  const times = (window.labTimes = { keyed: 0, sent: 0, received: 0, changed: 0 });
  const note = (name) => () => { times[name] = performance.now(); };
  addEventListener("keydown", note("keyed"), true);

  const send = WebSocket.prototype.send;
  const listening = new WeakSet();
  WebSocket.prototype.send = function (...message) {
    if (!listening.has(this)) this.addEventListener("message", note("received"));
    listening.add(this);
    note("sent")();
    return send.apply(this, message);
  };

  const shown = { subtree: true, childList: true, characterData: true, attributes: true };
  const observer = new MutationObserver(note("changed"));
  observer.observe(document, shown);
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (options) {
    const root = attachShadow.call(this, options);
    observer.observe(root, shown);
    return root;
  };

  window.labShift = 0; // how much the page has moved by itself, as the browser counts it
  const count = (list) => list.getEntries().forEach(({ value }) => (window.labShift += value));
  new PerformanceObserver(count).observe({ type: "layout-shift", buffered: true });
})();
"""

SETTLED = """
(quiet) => {
  const { sent, received, changed } = window.labTimes;
  const app = document.querySelector('[data-testid="stApp"]');
  const idle = app?.dataset.testConnectionState === "CONNECTED" && app.dataset.testScriptState === "notRunning";
  const unfinished = document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], #lab-first');
  const answered = received > sent && sent > 0;
  return idle && answered && !unfinished && performance.now() - Math.max(received, changed) > quiet;
}
"""

# Whether the keys of a lecture work. Their script is loaded after the page.
LISTENS = "globalThis[Symbol.for('attention-lab.desk')]?.data !== undefined"
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def find_browser(playwright: Playwright) -> str | None:
    """Return the path of the machine's Chromium or Chrome, or of Playwright's download, or None if both are missing."""
    installed = [path for path in map(shutil.which, BROWSER_NAMES) if path]
    downloaded = playwright.chromium.executable_path
    return installed[0] if installed else downloaded if Path(downloaded).exists() else None


@contextmanager
def launch(*arguments: str) -> Iterator[Browser | None]:
    """Start a headless browser, give it to the `with` block, and close it at the end of the block.

    If the machine has no browser, the block gets None.
    """
    with sync_playwright() as playwright:
        path = find_browser(playwright)
        if path is None:
            yield None
            return
        browser = playwright.chromium.launch(executable_path=path, args=[*BROWSER_ARGUMENTS, *arguments])
        yield browser
        browser.close()


def new_tab(browser: Browser, base_url: str, *, touch: bool = False, **look: Any) -> Page:
    """Open an empty tab for a new visitor, and return the tab.

    The tab completes short addresses, such as "/attention", with `base_url`. `look` holds the arguments of
    `change_look`, such as `dark=True`.
    """
    context = browser.new_context(
        base_url=base_url, has_touch=touch, is_mobile=touch, permissions=["clipboard-read", "clipboard-write"]
    )
    context.add_init_script(INSTRUMENT)
    return change_look(context.new_page(), **look)


def change_look(
    page: Page, *, dark: bool = False, width: int = 1280, height: int = 900, reduced_motion: bool = False
) -> Page:
    """Change the theme, the size or the motion of a tab, and return the tab.

    A page that is already open in the tab then looks as if it had been opened with these settings.
    """
    page.emulate_media(
        color_scheme="dark" if dark else "light", reduced_motion="reduce" if reduced_motion else "no-preference"
    )
    page.set_viewport_size({"width": width, "height": height})
    return page


def resize(page: Page, width: int, height: int, quiet: int = 150) -> Page:
    """Change the size of a tab, wait until nothing changes any more, and return the tab."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(NEXT_FRAME)
    return settle(page, quiet)


def settle(page: Page, quiet: int = 150) -> Page:
    """Wait until the server has answered, its script has ended, and nothing has changed for `quiet` milliseconds.

    Return the tab `page`.
    """
    page.wait_for_function(SETTLED, arg=quiet, polling=25, timeout=SETTLE_LIMIT)
    return page


def record_problems(page: Page) -> list[str]:
    """Return a list that grows with every console error, uncaught exception and request to another machine.

    The test browser cannot reach other machines, so a request to another machine fails. The function therefore looks at
    failed requests only. A page makes more than a hundred requests that succeed.
    """
    problems: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error" and not HARMLESS_404.search(urlsplit(message.location["url"]).path):
            problems.append(f"console: {message.text} ({message.location['url']})")

    def on_failure(request: Request) -> None:
        if urlsplit(request.url).hostname not in {"127.0.0.1", None}:  # None: data and blob addresses
            problems.append(f"request to another host: {request.url}")

    page.on("console", on_console)
    page.on("requestfailed", on_failure)
    page.on("pageerror", lambda error: problems.append(f"uncaught: {error}"))
    return problems


def shown_exceptions(page: Page) -> list[str]:
    """Return the texts of the error boxes on a page: those of Streamlit and those of the app."""
    return page.locator("[data-testid=stException], .st-key-went_wrong").all_text_contents()


def open_in_menu(page: Page, name: str) -> None:
    """Open a page, by its name in the address, from the menu at the top. Most pages are in one of the menu's groups."""
    menu = page.get_by_test_id("stTopNav")
    group = next((each.group for each in PAGES if each.name == name), "")
    if group:
        menu.get_by_role("button", name=group).click()
    (page.get_by_role("menu") if group else menu).locator(f'a[href$="/{name}"]').click()


def more_tools(page: Page) -> Locator:
    """Open the list of the tools that are needed less often, and return it."""
    tools = page.get_by_test_id("stPopoverBody")
    if not tools.count():
        page.get_by_role("button", name="More", exact=True).click()
    expect(tools).to_be_visible()
    return tools


def share(page: Page) -> Locator:
    """Open the Share dialog, wait until its QR code is drawn, and return the dialog."""
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("img", name="QR code").or_(dialog.get_by_text("Download it as a file"))).to_be_visible()
    settle(page)
    return dialog


def download_state(page: Page, file: Path) -> str:
    """Download the state of the page into a file, and return the name that the app suggests for the file."""
    with page.expect_download() as download:
        share(page).get_by_role("button", name="Download this state").click()
    download.value.save_as(file)
    return download.value.suggested_filename


def upload_state(page: Page, file: Path) -> None:
    """Upload a downloaded file with a state in the Share dialog, so that the app opens this state."""
    share(page).locator('input[type="file"]').set_input_files(file)


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
    const cut = each.matches(".slides, .items, pre") && each.scrollWidth > each.clientWidth + 1
    if (cut) found.push(`cut: ${each.innerText.slice(0, 40)}`)
  }
  return [...new Set(found)]
}
"""


def stage_faults(page: Page) -> list[str]:
    """Return a text for each part of a presented scene that is cut off, covered by the clock, or scrolled away."""
    return page.evaluate(WRONG)
