"""The cost of a page relative to the smallest possible app, and of the core relative to PyTorch.

Every figure is a median. What it is compared with is measured in the same run, because then only ratios need to be
compared between machines. This needs Linux, for the CPU time of a server in another process, and a browser.
"""

import re
import shutil
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from playwright.sync_api import Browser, Locator, Page

from browsing import launch, new_tab, settle, shown_exceptions
from measuring import core_time, show, side_by_side
from serving import PAGES, ROOT, PageFile, Server, serve

ONE_SLIDER = """
import streamlit as st

n = st.slider("n", 1, 20, 5)
st.write(f"n is {n}")
"""
RIPPLING = {  # the address to open instead, for pages whose first view does not react to an edit
    "attention": "/attention?step=3",
    "check_my_matrix": "/check_my_matrix?answer=4.3 3.85; 4.38 4.48; 4.88 3.4",
}
# Measures the time from the key press to the first number that changes because of it.
RIPPLE = """
cell => {
  const follows = ({ target }) => target.closest?.("figure:not(.editable) td.cell")
  window.rippled = new Promise((done, failed) => {
    setTimeout(() => failed(new Error("no number followed")), 10_000)
    const observer = new MutationObserver(changes => {
      if (changes.some(follows)) observer.disconnect(), done(performance.now() - labTimes.keyed)
    })
    const roots = [...document.querySelectorAll("*")].flatMap(element => element.shadowRoot ?? [])
    for (const root of roots) observer.observe(root, { subtree: true, childList: true })
  })
}
"""
Handle = tuple[Locator, str, str]
EDITABLE = re.compile("editable$")  # the end of the name of a matrix
SCHEDULED = 2  # the clock of a process that counts its real running time, in clock_getcpuclockid's encoding


class Effort(NamedTuple):
    """Which pages are measured, and how often."""

    pages: Sequence[PageFile] = tuple(PAGES)
    reruns: int = 40  # reruns for one figure of the server's CPU time
    rounds: int = 3  # how many such figures; the result is their median
    presses: int = 10  # how many presses of each key; the result is their median


@contextmanager
def one_slider_app(config: Path | None = None) -> Iterator[Server]:
    """Serve an app with one slider until the `with` block ends. Pages are compared with this app.

    It has Streamlit's defaults, or the configuration in the folder `config`.
    """
    with TemporaryDirectory() as folder:
        script = Path(folder, "one_slider.py")
        script.write_text(ONE_SLIDER)
        if config:
            shutil.copytree(config, Path(folder, config.name))
        with serve(script) as server:
            yield server


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process in seconds, to the nanosecond, from Linux's clock for the process.

    It counts all threads of the process, including those that have ended.
    """
    return time.clock_gettime(~pid << 3 | SCHEDULED)


def open_tab(browser: Browser, server: Server, path: str = "/") -> Page:
    """Open a page in a new tab, and return the tab. Exit if the page shows an error."""
    page = new_tab(browser, server.url, reduced_motion=True)  # the fading mark of a cell is no waiting time
    page.goto(path)
    if exceptions := shown_exceptions(settle(page)):
        raise SystemExit(f"{path} is broken, so its time means nothing: {exceptions}")
    return page


def rerun_cpu(page: Page, server: Server, reruns: int) -> float:
    """Return the milliseconds of server CPU that one rerun of the whole page takes.

    Streamlit's key R starts a rerun.
    """
    before = cpu_seconds(server.pid)
    for _ in range(reruns):
        page.keyboard.press("r")
        settle(page, quiet=30)
    return 1000 * (cpu_seconds(server.pid) - before) / reruns


def edit_cpu(target: Locator, forth: str, back: str, server: Server, reruns: int) -> float:
    """Return the milliseconds of server CPU that one press of a key on a cell or a slider takes.

    The key `forth` changes `target`, and the key `back` changes it back. They are pressed in turn, `reruns` times
    in all.
    """
    before = cpu_seconds(server.pid)
    for press in range(reruns):
        target.press(back if press % 2 else forth)
        settle(target.page, quiet=30)
    return 1000 * (cpu_seconds(server.pid) - before) / reruns


def press_time(target: Locator, key: str) -> float:
    """Return the milliseconds from the press of a key to the last change on the page."""
    target.press(key)
    page = settle(target.page)
    return page.evaluate("labTimes.changed - labTimes.keyed")


def ripple_time(target: Locator, key: str) -> float:
    """Return the milliseconds from the press of a key on a cell to the first change of a number that depends on it."""
    target.evaluate(RIPPLE)
    target.press(key)
    rippled = target.page.evaluate("rippled")
    settle(target.page)
    return rippled


def print_server_cost(browser: Browser, app: Server, effort: Effort) -> None:
    """Print the server CPU of a rerun of each page, and for comparison that of a small app with one slider."""
    print("\nServer CPU of a rerun: page, one-slider app with the same configuration, ratio")
    with one_slider_app(ROOT / ".streamlit") as smallest:
        yardstick = open_tab(browser, smallest)
        for page_file in effort.pages:
            page = open_tab(browser, app, page_file.url)
            ours, theirs = (page, app, effort.reruns), (yardstick, smallest, effort.reruns)
            show(page_file.name, *side_by_side(rerun_cpu, [ours] * effort.rounds, [theirs] * effort.rounds))
            page.context.close()


def print_edit_cost(browser: Browser, app: Server, effort: Effort) -> None:
    """Print the server CPU after an edit on each page, and for comparison that of a small app with one slider."""
    print(
        "\nServer CPU of what an edit runs again: page, slider of a one-slider app with the same configuration, ratio"
    )
    with one_slider_app(ROOT / ".streamlit") as smallest:
        theirs = (*slider_and_cell(open_tab(browser, smallest))["slider"], smallest, effort.reruns)
        for name, handle in sliders_and_cells_of_pages(browser, app, effort):
            ours = (*handle, app, effort.reruns)
            show(name, *side_by_side(edit_cpu, [ours] * effort.rounds, [theirs] * effort.rounds))


def print_browser_time(browser: Browser, app: Server, effort: Effort) -> None:
    """Print the time from a key press to the last change on each page, and that of a small app with one slider."""
    print("\nKey press to settled page: page, slider of a one-slider app with default configuration, ratio")
    with one_slider_app() as smallest:
        theirs = presses_in_turn(*slider_and_cell(open_tab(browser, smallest))["slider"], effort.presses)
        for name, handle in sliders_and_cells_of_pages(browser, app, effort):
            show(name, *side_by_side(press_time, presses_in_turn(*handle, effort.presses), theirs))


def print_ripple_time(browser: Browser, app: Server, effort: Effort) -> None:
    """Print the time from a key press on a cell to the first change of a number that depends on it.

    For comparison, also print how long a small app with one slider takes to show a change of this slider.
    """
    print("\nKey press on a cell to the first number that follows, slider of a one-slider app, ratio")
    with one_slider_app() as smallest:
        yardstick = open_tab(browser, smallest).get_by_role("slider")
        theirs = [
            (press_time, *press) for press in presses_in_turn(yardstick, "ArrowRight", "ArrowLeft", effort.presses)
        ]
        for page_file in effort.pages:
            page = open_tab(browser, app, RIPPLING.get(page_file.name, page_file.url))
            cells = page.get_by_role("grid", name=EDITABLE).get_by_role("gridcell")
            if cells.count():
                keys = presses_in_turn(cells.first, "Alt+ArrowUp", "Alt+ArrowDown", effort.presses)
                ours = [(ripple_time, *press) for press in keys]
                show(page_file.name, *side_by_side(lambda measure, *press: measure(*press), ours, theirs))
            page.context.close()


def slider_and_cell(page: Page) -> dict[str, Handle]:
    """Return the first slider and the first editable cell of a page, by the names "slider" and "cell".

    Each comes with the key that changes it and the key that changes it back.
    """
    slider, cell = page.get_by_role("slider"), page.get_by_role("grid", name=EDITABLE).get_by_role("gridcell")
    found = {"slider": (slider, "ArrowRight", "ArrowLeft"), "cell": (cell, "Alt+ArrowUp", "Alt+ArrowDown")}
    return {name: (target.first, forth, back) for name, (target, forth, back) in found.items() if target.count()}


def sliders_and_cells_of_pages(browser: Browser, app: Server, effort: Effort) -> Iterator[tuple[str, Handle]]:
    """Yield a name and a slider or a cell for each page. The page is open until the next one is asked for."""
    for page_file in effort.pages:
        page = open_tab(browser, app, page_file.url)
        for name, handle in slider_and_cell(page).items():
            yield f"{page_file.name}, {name}", handle
        page.context.close()


def presses_in_turn(target: Locator, forth: str, back: str, times: int) -> list[tuple[Locator, str]]:
    """Return pairs of a target and a key: `forth` and `back` in turn, `times` times each."""
    return [(target, forth), (target, back)] * times


def chosen_effort() -> Effort:
    """Return the effort that the command line asks for: all pages unless it names some."""
    parser, named = ArgumentParser(description=__doc__), {page.name: page for page in PAGES}
    parser.add_argument("--pages", nargs="+", choices=named, default=[*named], metavar="PAGE", help="the pages' names")
    for name in ("reruns", "rounds", "presses"):
        parser.add_argument(f"--{name}", type=int, default=Effort._field_defaults[name])
    chosen = parser.parse_args()
    return Effort([named[name] for name in chosen.pages], chosen.reruns, chosen.rounds, chosen.presses)


def main() -> None:
    effort = chosen_effort()
    core_time()
    with launch() as browser, serve() as app:
        if browser is None:
            raise SystemExit("no Chromium or Chrome on this machine")
        print_server_cost(browser, app, effort)
        print_edit_cost(browser, app, effort)
        print_ripple_time(browser, app, effort)
        print_browser_time(browser, app, effort)


if __name__ == "__main__":
    main()
