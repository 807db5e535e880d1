"""What a page costs beside the smallest app there is, and the core beside PyTorch: `python tests/benchmark.py`.

Every figure is a median and has its yardstick measured in the same run, so that only ratios need to be compared
between machines. Needs Linux (server CPU is read from /proc) and a browser.
"""

import os
import re
import shutil
import sys
import timeit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Browser, Locator, Page

from browsing import launch, new_tab, settled, shown_exceptions
from serving import PAGES, ROOT, Server, serve

ONE_SLIDER = """
import streamlit as st

n = st.slider("n", 1, 20, 5)
st.write(f"n is {n}")
"""
RERUNS, ROUNDS, PRESSES = 40, 3, 10
RIPPLING = {"attention": "/attention?step=3"}  # where a page as it starts has nothing that an edit changes
# From the key press to the first number that follows from the edit.
RIPPLE = """
cell => {
  const follows = ({ target }) => target.closest?.("figure:not(.editable) td.cell")
  window.rippled = new Promise(done => {
    const observer = new MutationObserver(changes => {
      if (changes.some(follows)) observer.disconnect(), done(performance.now() - labTimes.keyed)
    })
    const roots = [...document.querySelectorAll("*")].flatMap(element => element.shadowRoot ?? [])
    for (const root of roots) observer.observe(root, { subtree: true, childList: true })
  })
}
"""
EDITABLE = re.compile("editable$")  # what the name of a matrix ends with
CLOCK_TICK = os.sysconf("SC_CLK_TCK")
FIELDS_BEFORE_TIMES = 11  # of /proc/pid/stat, counted after the closing bracket of the process's name


@contextmanager
def one_slider_app(config: Path | None = None) -> Iterator[Server]:
    """The yardstick, with Streamlit's defaults or with the given configuration folder."""
    with TemporaryDirectory() as folder:
        script = Path(folder, "one_slider.py")
        script.write_text(ONE_SLIDER)
        if config:
            shutil.copytree(config, Path(folder, config.name))
        with serve(script) as server:
            yield server


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    user, system = fields[FIELDS_BEFORE_TIMES : FIELDS_BEFORE_TIMES + 2]
    return (int(user) + int(system)) / CLOCK_TICK


def open_tab(browser: Browser, server: Server, path: str = "/") -> Page:
    page = new_tab(browser, server.url, reduced_motion=True)  # an edited cell's fading glow is not waiting time
    page.goto(path)
    if exceptions := shown_exceptions(settled(page)):
        raise SystemExit(f"{path} is broken, so its time means nothing: {exceptions}")
    return page


def rerun_cpu(page: Page, server: Server) -> float:
    """Milliseconds of server CPU for one rerun of the whole page, asked for by Streamlit's own key."""
    before = cpu_seconds(server.pid)
    for _ in range(RERUNS):
        page.keyboard.press("r")
        settled(page, quiet=30)
    return 1000 * (cpu_seconds(server.pid) - before) / RERUNS


def press_time(target: Locator, key: str) -> float:
    """Milliseconds from the key press to the last change of what the page shows."""
    target.press(key)
    page = settled(target.page)
    return page.evaluate("labTimes.changed - labTimes.keyed")


def ripple_time(target: Locator, key: str) -> float:
    """Milliseconds from the key press on a cell to the first number that follows from it."""
    target.evaluate(RIPPLE)
    target.press(key)
    rippled = target.page.evaluate("rippled")
    settled(target.page)
    return rippled


def side_by_side(measure: Callable[..., float], rounds: list[tuple], yardsticks: list[tuple]) -> tuple[float, float]:
    """The medians of both, measured in turn, so that a busy moment of the machine hits both alike."""
    pairs = [(measure(*ours), measure(*theirs)) for ours, theirs in zip(rounds, yardsticks, strict=True)]
    ours, theirs = zip(*pairs, strict=True)
    return median(ours), median(theirs)


def show(name: str, ours: float, theirs: float, unit: str = "ms") -> None:
    print(f"  {name:<30}{ours:>10.3g} {unit}{theirs:>10.3g} {unit}{ours / theirs:>9.2f} ×")


def server_cost(browser: Browser, app: Server) -> None:
    print("\nServer CPU of a rerun: page, one-slider app with the same configuration, ratio")
    with one_slider_app(ROOT / ".streamlit") as smallest:
        yardstick = open_tab(browser, smallest)
        for page_file in PAGES:
            page = open_tab(browser, app, page_file.url)
            show(page_file.name, *side_by_side(rerun_cpu, [(page, app)] * ROUNDS, [(yardstick, smallest)] * ROUNDS))
            page.context.close()


def browser_time(browser: Browser, app: Server) -> None:
    print("\nKey press to settled page: page, slider of a one-slider app with default configuration, ratio")
    with one_slider_app() as smallest:
        yardstick = open_tab(browser, smallest).get_by_role("slider")
        theirs = presses(yardstick, "ArrowRight", "ArrowLeft")
        for page_file in PAGES:
            page = open_tab(browser, app, page_file.url)
            slider, cell = page.get_by_role("slider"), page.get_by_role("grid", name=EDITABLE).get_by_role("gridcell")
            if slider.count():
                ours = presses(slider.first, "ArrowRight", "ArrowLeft")
                show(f"{page_file.name}, slider", *side_by_side(press_time, ours, theirs))
            if cell.count():
                ours = presses(cell.first, "Alt+ArrowUp", "Alt+ArrowDown")
                show(f"{page_file.name}, cell", *side_by_side(press_time, ours, theirs))
            page.context.close()


def ripple(browser: Browser, app: Server) -> None:
    print("\nKey press on a cell to the first number that follows, slider of a one-slider app, ratio")
    with one_slider_app() as smallest:
        yardstick = open_tab(browser, smallest).get_by_role("slider")
        theirs = [(press_time, *press) for press in presses(yardstick, "ArrowRight", "ArrowLeft")]
        for page_file in PAGES:
            page = open_tab(browser, app, RIPPLING.get(page_file.name, page_file.url))
            cells = page.get_by_role("grid", name=EDITABLE).get_by_role("gridcell")
            if cells.count():
                ours = [(ripple_time, *press) for press in presses(cells.first, "Alt+ArrowUp", "Alt+ArrowDown")]
                show(page_file.name, *side_by_side(lambda measure, *press: measure(*press), ours, theirs))
            page.context.close()


def presses(target: Locator, forth: str, back: str) -> list[tuple[Locator, str]]:
    return [(target, forth), (target, back)] * PRESSES


def core_time() -> None:
    print("\nThe core: attend with its whole trace, PyTorch's eager attention, ratio")
    if find_spec("torch") is None:
        print("  skipped: PyTorch is not installed")
        return
    for name, shape, dtype in [("16 tokens", (16, 16), np.float64), ("8 × 512 × 64", (8, 512, 64), np.float32)]:
        show(name, *core_beside_torch(shape, dtype))


def core_beside_torch(shape: tuple[int, ...], dtype: type) -> tuple[float, float]:
    sys.path.append(str(ROOT))  # a script is given its own folder only
    import torch  # pyright: ignore[reportMissingImports]

    from attention_core import attend

    q, k, v = np.random.default_rng(0).standard_normal((3, *shape)).astype(dtype)
    tq, tk, tv = map(torch.from_numpy, (q, k, v))
    scale = shape[-1] ** -0.5

    def eager() -> object:
        return torch.softmax(tq @ tk.mT * scale, -1) @ tv

    number = max(1, 4096 // q.size)
    repeats = [[(task, number)] * 30 for task in (lambda: attend(q, k, v), eager)]
    return side_by_side(lambda task, times: 1000 * timeit.timeit(task, number=times) / times, *repeats)


def main() -> None:
    core_time()
    with launch() as browser, serve() as app:
        if browser is None:
            raise SystemExit("no Chromium or Chrome on this machine")
        server_cost(browser, app)
        ripple(browser, app)
        browser_time(browser, app)


if __name__ == "__main__":
    main()
