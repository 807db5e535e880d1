"""The first bytes of a page: what they show at once, what they link to, and that nothing moves afterwards."""

import gzip
import re
import shutil
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from browser.equation import cell
from browsing import change_look, new_tab, open_in_menu, record_problems, settle
from serving import PAGES, ROOT, serve

STILL = 0.1  # the layout shift up to which a browser's makers call a page good
NEAR = 2  # pixels
WIDTHS = [1280, 390]

# The boxes of the texts in a tree, by text. Only the first of equal texts is told.
BOXES = """
(selector) => {
  const found = {}
  const visit = (node) => {
    for (const each of node.childNodes) {
      if (each instanceof Element && getComputedStyle(each).display === "none") continue
      if (each instanceof Element && each.matches("style, script, template, .katex, i, .chooser")) continue
      if (each.shadowRoot) visit(each.shadowRoot)
      if (each instanceof Text && each.data.trim()) {
        const range = document.createRange()
        range.selectNodeContents(each)
        const { x, y } = range.getBoundingClientRect()
        found[each.data.trim()] ??= [x, y]
      } else visit(each)
    }
  }
  document.querySelectorAll(selector).forEach(visit)
  return found
}
"""
# Note where the texts of the first screen stand, as soon as they can be seen.
NOTED = f"""
localStorage.setItem("attention-lab.hand", "yes") // a browser that knows the hand: none moves a number
addEventListener("DOMContentLoaded", async () => {{
  const frame = () => new Promise(requestAnimationFrame)
  await document.fonts.load("700 17px 'Source Sans'")
  while (document.querySelector("#lab-first .parts:not(.drawn)")) await frame()
  await frame()
  await frame()
  window.labFirst = ({BOXES})("#lab-first")
}})
"""


(LONGEST,) = map(int, re.findall(r"LONGEST = (\S+)", (ROOT / "pages/shared/frame/first_screen.js").read_text("utf-8")))
# Note how long the first screen still stands after the server has sent its whole page.
WHEN_IT_LEAVES = """
const looking = setInterval(() => {
  const state = document.querySelector("[data-testid=stApp]")?.dataset.testScriptState
  if (state === "notRunning") window.labSent ??= performance.now()
  if (!window.labSent || document.getElementById("lab-first")) return
  window.labWaited = performance.now() - window.labSent
  clearInterval(looking)
}, 20)
"""


@pytest.fixture(scope="module")
def rehearsed():
    """Give the tests a server that has rehearsed all pages."""
    with serve(rehearses=True) as server:
        for _ in range(200):
            if 'class="parts"' in first_bytes(f"{server.url}/real_model"):  # this page is one of the last
                break
            time.sleep(0.3)
        yield server


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("page_file", PAGES, ids=lambda page: page.name)
def test_a_cold_visit_shows_its_first_screen_at_once_and_nothing_moves(page_file, width, browser, rehearsed):
    page = new_tab(browser, rehearsed.url)
    change_look(page, width=width, height=800)
    problems = record_problems(page)
    page.add_init_script(NOTED)
    page.goto(page_file.url, wait_until="commit")
    settle(page)
    first = page.evaluate("window.labFirst")
    live = page.evaluate(BOXES, "[data-testid=stHeader], [data-testid=stMain]")
    assert first
    far = {text: (at, live.get(text)) for text, at in first.items() if not is_near(at, live.get(text))}
    assert far == {}
    assert page.evaluate("window.labShift") <= STILL
    assert problems == []
    page.context.close()


def is_near(one, other):
    """Return whether two places are as good as the same."""
    return other is not None and max(abs(a - b) for a, b in zip(one, other, strict=True)) <= NEAR


def test_the_first_screen_of_each_page_leaves_because_the_page_is_whole(browser, server):
    page = new_tab(browser, server.url)
    page.add_init_script(WHEN_IT_LEAVES)
    for page_file in PAGES:
        page.goto(page_file.url)
        page.wait_for_function("window.labWaited !== undefined")
        assert page.evaluate("window.labWaited") < LONGEST / 2, page_file.name


def test_what_is_pressed_on_the_first_screen_is_done_once_the_page_is_whole(browser, server):
    page = new_tab(browser, server.url)
    page.goto("/scaling", wait_until="commit")
    page.locator("#lab-first").get_by_role("button", name="Share").click()
    expect(page.get_by_role("dialog")).to_contain_text("This link restores the page")
    page.context.close()


def test_the_links_of_the_first_screen_open_pages_at_once(browser, server):
    page = new_tab(browser, server.url)
    page.goto("/scaling", wait_until="commit")
    page.locator("#lab-first").get_by_role("link", name="The path").click()
    expect(page).to_have_url(re.compile("/path$"))
    page.context.close()


@pytest.mark.parametrize("query", ["view=present&scene=2", "embed=true"])
def test_a_page_that_is_shown_alone_has_no_menu_in_its_first_screen(query, server):
    assert "<nav>" not in first_bytes(f"{server.url}/attention?{query}")
    assert "<nav>" in first_bytes(f"{server.url}/attention?step=2")


def test_the_files_of_the_first_bytes_are_kept_for_a_year_and_compressed(server):
    html = first_bytes(f"{server.url}/scaling")
    for file in re.findall(r'(?:href|src)="\./(attention-lab[^"]*)"', html):
        plain = answer(f"{server.url}/{file}")
        packed = answer(f"{server.url}/{file}", **{"Accept-Encoding": "gzip"})
        assert plain.headers["Cache-Control"] == "public, immutable, max-age=31536000"
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.read()) == plain.read()
    assert len(re.findall("attention-lab[.]", html)) == 2


def test_a_file_of_another_version_is_not_found(server):
    """Check that the page itself does not come in place of a script, because a browser would keep it for a year."""
    found = answer(f"{server.url}/attention-lab.0123456789abcdef.js")
    assert "immutable" not in (found.headers["Cache-Control"] or "")


# The app as another host may serve it: the host sends Streamlit's file for a page as it is.
ELSEWHERE = re.sub("^MIDDLEWARE = .*", "MIDDLEWARE = []", (ROOT / "app.py").read_text("utf-8"), flags=re.MULTILINE)


def test_where_another_host_sends_the_first_bytes_all_comes_as_before(browser, tmp_path):
    shutil.copytree(ROOT / ".streamlit", tmp_path / ".streamlit")
    for room in ("pages", "attention_core"):
        (tmp_path / room).symlink_to(ROOT / room)
    (tmp_path / "app.py").write_text(ELSEWHERE)
    with serve(tmp_path / "app.py") as server:
        assert "attention-lab" not in first_bytes(f"{server.url}/attention")
        page = new_tab(browser, server.url)
        problems = record_problems(page)
        page.goto("/attention?step=3")
        expect(cell(settle(page), "q", 0, 0)).to_be_visible()
        assert page.locator("style#attention-lab").count() == 1
        cell(page, "q", 0, 0).click()
        expect(page.locator(".st-key-arithmetic")).to_be_visible()
        open_in_menu(page, "scaling")
        expect(page.locator(".way [aria-current]")).to_contain_text("Scale")
        assert problems == []
        page.context.close()


def first_bytes(url):
    """Return what the server answers first, as text."""
    return answer(url).read().decode()


def answer(url, **headers):
    """Return the server's answer to a request."""
    return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20)
